//! Smaller values.

use super::*;

fn smaller(ty: &str, value: &str, limit: usize) -> Vec<String> {
    let mut found = Vec::new();
    with_forms(|forms, names| {
        let form = form(forms, names, ty);
        let value = read_text(forms, form, value).expect("the value reads");
        let all = candidates(forms, form, &value, limit);
        found = all.iter().map(|value| text(forms, form, value)).collect();
    });
    found
}

#[test]
fn candidates_come_in_order() {
    let check = |ty: &str, value: &str, expected: &[&str]| {
        assert_eq!(smaller(ty, value, 200), expected, "{ty} {value}");
    };
    check("I64", "-9", &["0", "-4", "-8"]);
    check("I64", "1", &["0"]);
    check("U8", "0", &[]);
    check(
        "BigInt",
        "\"36893488147419103232\"",
        &["0", "\"18446744073709551616\"", "\"36893488147419103231\""],
    );
    check("F64", "2.5", &["0.0", "1.0", "2.0"]);
    check("F64", "1.0", &["0.0"]);
    check("F64", "0.0", &[]);
    check("F64", "\"NaN\"", &["0.0", "1.0"]);
    check("Bool", "false", &["true"]);
    check("Bool", "true", &[]);
    check(
        "Utf8",
        "\"abé\"",
        &[
            "\"ab\"", "\"bé\"", "\"bé\"", "\"aé\"", "\"ab\"", "\"aaé\"", "\"aba\"",
        ],
    );
    check("List I64", "[3]", &["[]", "[0]", "[1]", "[2]"]);
    check(
        "List Bool",
        "[true,false]",
        &["[true]", "[false]", "[false]", "[true]", "[true,true]"],
    );
    check(
        "Shape",
        r#"{"tag":"Line","value":1.0}"#,
        &[r#"{"tag":"Dot"}"#, r#"{"tag":"Line","value":0.0}"#],
    );
    check("Shape", r#"{"tag":"Dot"}"#, &[]);
    check(
        "Pair Bool",
        r#"{"second":false,"first":1}"#,
        &[
            r#"{"second":true,"first":1}"#,
            r#"{"second":false,"first":0}"#,
        ],
    );
    check(
        "Map U8 U8",
        r#"[{"key":1,"value":1}]"#,
        &["[]", r#"[{"key":1,"value":0}]"#],
    );
    check("Bytes", "\"Ag==\"", &["\"\"", "\"AA==\"", "\"AQ==\""]);
    assert_eq!(smaller("List I64", "[3,4,5,6]", 3).len(), 3);
}

#[test]
fn shrinking_comes_to_an_end() {
    with_forms(|forms, names| {
        for ty in [
            "List F64",
            "Map Utf8 I8",
            "Tree I16",
            "Result Utf8 BigInt",
            "Bytes",
        ] {
            let form = form(forms, names, ty);
            let mut generator = Generator::new(3);
            for _ in 0..20 {
                let mut value = generator.draw(forms, form).expect("the type has values");
                let mut steps = 0;
                // The first candidate makes the largest step; none of the others may lead back up.
                while let Some(next) = candidates(forms, form, &value, 1).pop() {
                    let written = text(forms, form, &next);
                    assert!(read_text(forms, form, &written).is_ok());
                    value = next;
                    steps += 1;
                    assert!(steps < 2_000, "{ty}");
                }
            }
        }
    });
}
