use super::*;
use crate::syntax::known;

fn env(types: &str) -> Result<(Environment, Names), String> {
    let mut names = Names::new();
    let text = format!(r#"{{"types":[{types}]}}"#);
    read(text.as_bytes(), &mut names)
        .map(|environment| (environment, names))
        .map_err(|error| error.to_string())
}

fn declared(name: &str, body: &str) -> String {
    format!(r#"{{"name":"{name}","params":["a"],"strategy":{{"tag":"Structural"}},"body":{body}}}"#)
}

fn con(name: &str, arguments: &str) -> String {
    format!(r#"{{"tag":"SCon","value":{{"name":"{name}","args":[{arguments}]}}}}"#)
}

fn record(fields: &[(&str, &str)]) -> String {
    let field = |(name, shape): &(&str, &str)| {
        format!(r#"{{"name":"{name}","shape":{shape},"ignored":{{"tag":"None"}}}}"#)
    };
    let fields: Vec<String> = fields.iter().map(field).collect();
    format!(
        r#"{{"tag":"Record","value":{{"fields":[{}]}}}}"#,
        fields.join(",")
    )
}

fn alias(shape: &str) -> String {
    format!(r#"{{"tag":"Alias","value":{{"ty":{shape}}}}}"#)
}

const A: &str = r#"{"tag":"SVar","value":{"name":"a"}}"#;

#[test]
fn kernel_types_stand_at_their_ids() {
    let (environment, _) = env("").expect("nothing is declared");
    for (name, id) in [
        (known::I64, ids::I64),
        (known::F64, ids::F64),
        (known::MAP, ids::MAP),
        (known::BOOL, ids::BOOL),
        (known::RESULT_TYPE, ids::RESULT),
        (known::UTF8_ERROR, ids::UTF8_ERROR),
        (known::PY, ids::PY),
    ] {
        assert_eq!(environment.type_named(name), Some(id));
        assert_eq!(environment[id].name, name);
    }
    for number in Number::ALL {
        assert_eq!(Number::of(number.id()), Some(number));
    }
    assert_eq!(environment.types().count(), ids::COUNT);
}

#[test]
fn declarations_have_one_line() {
    let list = con("List", A);
    let sum = format!(
        r#"{{"tag":"Sum","value":{{"variants":[{{"name":"Leaf","payload":{{"tag":"None"}}}},
        {{"name":"Node","payload":{{"tag":"Some","value":{}}}}},
        {{"name":"Both","payload":{{"tag":"None"}},"fields":{{"tag":"Some","value":[
            {{"name":"left","shape":{list},"ignored":{{"tag":"None"}}}},
            {{"name":"size","shape":{},"ignored":{{"tag":"Some","value":{{"tag":"Const","value":{{"value":7}}}}}}}},
            {{"name":"copy","shape":{list},"ignored":{{"tag":"Some","value":{{"tag":"CopyField","value":{{"field":"left"}}}}}}}}
        ]}}}}]}}}}"#,
        con("Tree", A),
        con("I64", ""),
    );
    let (environment, mut names) = env(&declared("Tree", &sum)).expect("it makes sense");
    let name = names.intern("Tree");
    let id = environment.type_named(name).expect("it is declared");
    assert_eq!(
        declaration_line(&environment, &names, id),
        "type Tree a = | Leaf | Node (Tree a) | Both { left : List a, size : I64 ignored = 7, copy : List a ignored = left }"
    );
    assert_eq!(
        declaration_line(&environment, &names, ids::FS_ERROR),
        "type FsError = | NotFound { path : Path } | ReadFailed { path : Path, message : Utf8 } | NotUtf8 { path : Path }"
    );
}

#[test]
fn declarations_that_make_no_sense_are_refused() {
    let check = |types: &str, expected: &str| {
        let error = env(types).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    };
    let one = declared("One", &record(&[("x", A)]));
    check(&format!("{one},{one}"), "the name is declared already");
    check(&declared("Bool", &record(&[])), "declared already");
    check(&declared("List", &record(&[])), "declared already");
    check(&declared("lower", &record(&[])), "`$.types[0].name` must");
    check(
        &declared("T", &record(&[("let", A)])),
        "must be a lowercase",
    );
    check(&declared("T", &record(&[("x", A), ("x", A)])), "twice");
    let unknown = record(&[("x", &con("Absent", ""))]);
    check(&declared("T", &unknown), "`Absent` is no type");
    let arity = record(&[("x", &con("List", ""))]);
    check(&declared("T", &arity), "`List` takes 1 arguments");
    let variable = record(&[("x", r#"{"tag":"SVar","value":{"name":"b"}}"#)]);
    check(&declared("T", &variable), "`b` is no parameter");
    let function = record(&[("f", r#"{"tag":"SArrow","value":{}}"#)]);
    check(&declared("T", &function), "holds no function");
    let circle = [
        declared("A", &alias(&con("B", A))),
        declared("B", &alias(&con("List", &con("A", A)))),
    ];
    check(&circle.join(","), "the alias stands for itself");
    check(r#"{"name":"T"}"#, "`$.types[0]` lacks the key `params`");
}

#[test]
fn opaque_values_show_through_types_that_refer_to_each_other() {
    let own = |name: &str, arguments: &str| con(name, arguments);
    let types = [
        declared("First", &record(&[("next", &own("Second", A))])),
        declared(
            "Second",
            &record(&[("back", &own("First", A)), ("at", &own("Fs", ""))]),
        ),
        declared("Phantom", &record(&[("x", &own("I64", ""))])),
        declared("Holder", &record(&[("x", A)])),
    ];
    let (environment, mut names) = env(&types.join(",")).expect("it makes sense");
    let mut id = |text: &str| {
        let name = names.intern(text);
        environment.type_named(name).expect("it is declared")
    };
    let [first, phantom, holder] = ["First", "Phantom", "Holder"].map(&mut id);
    assert!(environment.holds_opaque(first));
    assert!(!environment.holds_opaque(phantom));
    assert!(!environment.shows_param(phantom, 0));
    assert!(environment.shows_param(holder, 0));
    assert!(environment.shows_param(ids::MAP, 1));
    assert!(!environment.holds_opaque(ids::OPTION));
}

#[test]
fn records_are_found_by_their_visible_fields() {
    let types = [
        declared("Point", &record(&[("x", A), ("y", A)])),
        declared("Place", &record(&[("y", A), ("x", A)])),
        declared("Wide", &record(&[("x", A), ("y", A), ("z", A)])),
    ];
    let (environment, mut names) = env(&types.join(",")).expect("it makes sense");
    let fields = ["x", "y", "z"].map(|text| names.intern(text));
    assert_eq!(environment.records_with(&fields[..2]).len(), 2);
    assert_eq!(environment.records_with(&fields).len(), 1);
    assert_eq!(environment.records_with(&fields[..1]).len(), 0);
}
