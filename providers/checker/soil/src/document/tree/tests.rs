use super::*;
use crate::source::FileId;
use crate::syntax::{FileShape, lex, parse};

fn parsed(source: &str) -> String {
    let mut names = Names::new();
    let parsed = parse(
        FileId::new(0),
        source.as_bytes(),
        FileShape::Free,
        &mut names,
    );
    assert!(
        parsed.diagnostics.is_empty(),
        "{source}: {:?}",
        parsed.diagnostics
    );
    tree(&parsed.tree, source.as_bytes(), &names)
}

/// The item of the body of `f`, without spans.
fn body(source: &str) -> String {
    let source = format!("f : A f = {source}");
    let mut names = Names::new();
    let parsed = parse(
        FileId::new(0),
        source.as_bytes(),
        FileShape::Free,
        &mut names,
    );
    assert!(
        parsed.diagnostics.is_empty(),
        "{source}: {:?}",
        parsed.diagnostics
    );
    let document = tree_without_spans(&parsed.tree, &names);
    let (_, body) = document
        .split_once("\"body\":{\"item\":")
        .expect("a definition has a body");
    let end = body.len() - "}}}]}\n".len();
    body[..end].to_owned()
}

#[test]
fn whole_document() {
    assert_eq!(
        parsed("f : (x : A) -> io e A\nf x = (g (x))"),
        concat!(
            r#"{"defs":[{"span":{"start":0,"end":33,"line":1,"col":1},"item":{"name":"f","#,
            r#""sig":{"span":{"start":4,"end":21,"line":1,"col":5},"item":{"tag":"Arrow","value":{"#,
            r#""param":{"tag":"Some","value":{"span":{"start":5,"end":6,"line":1,"col":6},"name":"x"}},"#,
            r#""dom":{"span":{"start":9,"end":10,"line":1,"col":10},"item":{"tag":"Con","value":{"name":"A","args":[]}}},"#,
            r#""row":{"effects":[{"tag":"Io"}],"var":{"tag":"Some","value":"e"}},"#,
            r#""cod":{"span":{"start":20,"end":21,"line":1,"col":21},"item":{"tag":"Con","value":{"name":"A","args":[]}}}}}},"#,
            r#""decreases":{"tag":"None"},"params":[{"span":{"start":24,"end":25,"line":2,"col":3},"name":"x"}],"#,
            r#""body":{"span":{"start":29,"end":33,"line":2,"col":8},"item":{"tag":"App","value":{"#,
            r#""fn":{"span":{"start":29,"end":30,"line":2,"col":8},"item":{"tag":"Path","value":{"root":"g","fields":[]}}},"#,
            r#""arg":{"span":{"start":32,"end":33,"line":2,"col":11},"item":{"tag":"Path","value":{"root":"x","fields":[]}}}}}}}}]}"#,
            "\n"
        )
    );
}

#[test]
fn expressions() {
    let x = r#"{"item":{"tag":"Path","value":{"root":"x","fields":[]}}}"#;
    let cases = [
        (
            "x.a.b",
            r#"{"tag":"Path","value":{"root":"x","fields":["a","b"]}}"#.to_owned(),
        ),
        (
            "M::b",
            r#"{"tag":"Qualified","value":{"space":"M","name":"b"}}"#.to_owned(),
        ),
        ("B", r#"{"tag":"CtorE","value":{"name":"B"}}"#.to_owned()),
        ("?h", r#"{"tag":"Hole","value":{"name":"h"}}"#.to_owned()),
        (
            "1_0",
            r#"{"tag":"Literal","value":{"lit":{"tag":"LInt","value":{"digits":"10"}}}}"#
                .to_owned(),
        ),
        (
            "1.0",
            r#"{"tag":"Literal","value":{"lit":{"tag":"LFloat","value":{"text":"1.0"}}}}"#
                .to_owned(),
        ),
        (
            r#""a\n""#,
            r#"{"tag":"Literal","value":{"lit":{"tag":"LStr","value":{"value":"a\n"}}}}"#
                .to_owned(),
        ),
        (
            "x or x",
            format!(r#"{{"tag":"OrE","value":{{"lhs":{x},"rhs":{x}}}}}"#),
        ),
        (
            "x and x",
            format!(r#"{{"tag":"AndE","value":{{"lhs":{x},"rhs":{x}}}}}"#),
        ),
        (
            "not x",
            format!(r#"{{"tag":"NotE","value":{{"operand":{x}}}}}"#),
        ),
        (
            "-x",
            format!(r#"{{"tag":"Neg","value":{{"operand":{x}}}}}"#),
        ),
        (
            "x >= x",
            format!(r#"{{"tag":"Cmp","value":{{"op":{{"tag":"Ge"}},"lhs":{x},"rhs":{x}}}}}"#),
        ),
        (
            "x % x",
            format!(r#"{{"tag":"Arith","value":{{"op":{{"tag":"Mod"}},"lhs":{x},"rhs":{x}}}}}"#),
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(body(source), expected, "{source}");
    }
}

#[test]
fn blocks_and_records() {
    let x = r#"{"item":{"tag":"Path","value":{"root":"x","fields":[]}}}"#;
    let cases = [
        (
            "fun a -> x",
            format!(r#"{{"tag":"Fun","value":{{"params":[{{"name":"a"}}],"body":{x}}}}}"#),
        ),
        (
            "if x then x else x",
            format!(r#"{{"tag":"If","value":{{"cond":{x},"then_branch":{x},"else_branch":{x}}}}}"#),
        ),
        (
            "let a = x and _ = x in x",
            format!(
                r#"{{"tag":"Let","value":{{"is_rec":false,"bindings":[{{"binder":{{"tag":"Some","value":{{"name":"a"}}}},"value":{x}}},{{"binder":{{"tag":"None"}},"value":{x}}}],"body":{x}}}}}"#
            ),
        ),
        (
            "{ x.a with b = x }",
            format!(
                r#"{{"tag":"RecordE","value":{{"update":{{"tag":"Some","value":{{"root":"x","fields":["a"]}}}},"fields":[{{"name":"b","value":{x}}}]}}}}"#
            ),
        ),
        (
            "{ b = x }",
            format!(
                r#"{{"tag":"RecordE","value":{{"update":{{"tag":"None"}},"fields":[{{"name":"b","value":{x}}}]}}}}"#
            ),
        ),
        (
            "(x : a)",
            format!(
                r#"{{"tag":"Annot","value":{{"expr":{x},"ty":{{"item":{{"tag":"TVar","value":{{"name":"a"}}}}}}}}}}"#
            ),
        ),
        (
            "match x with | T::A { b, c = _, .. } -> x | d -> x | 1 -> x",
            format!(
                concat!(
                    r#"{{"tag":"Match","value":{{"scrutinee":{x},"arms":["#,
                    r#"{{"item":{{"pattern":{{"item":{{"tag":"PCtor","value":{{"type_name":{{"tag":"Some","value":"T"}},"name":"A","#,
                    r#""arg":{{"tag":"Some","value":{{"item":{{"tag":"PRecord","value":{{"fields":[{{"name":"b","pattern":{{"tag":"None"}}}},"#,
                    r#"{{"name":"c","pattern":{{"tag":"Some","value":{{"item":{{"tag":"PWild"}}}}}}}}],"open":true}}}}}}}}}}}}}},"body":{x}}}}},"#,
                    r#"{{"item":{{"pattern":{{"item":{{"tag":"PBind","value":{{"binder":{{"name":"d"}}}}}}}},"body":{x}}}}},"#,
                    r#"{{"item":{{"pattern":{{"item":{{"tag":"PLit","value":{{"lit":{{"tag":"LInt","value":{{"digits":"1"}}}}}}}}}},"body":{x}}}}}]}}}}"#,
                ),
                x = x
            ),
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(body(source), expected, "{source}");
    }
}

#[test]
fn predicates() {
    let v = r#"{"item":{"tag":"PPath","value":{"root":"v","fields":[]}}}"#;
    let call = format!(r#"{{"item":{{"tag":"PCall","value":{{"name":"p","args":[{v}]}}}}}}"#);
    let cases = [
        ("p v", call.clone()),
        ("p v implies p v", format!(r#"{{"item":{{"tag":"Implies","value":{{"lhs":{call},"rhs":{call}}}}}}}"#)),
        ("p v or p v", format!(r#"{{"item":{{"tag":"POr","value":{{"lhs":{call},"rhs":{call}}}}}}}"#)),
        ("p v and p v", format!(r#"{{"item":{{"tag":"PAnd","value":{{"lhs":{call},"rhs":{call}}}}}}}"#)),
        ("not p v", format!(r#"{{"item":{{"tag":"PNot","value":{{"pred":{call}}}}}}}"#)),
        (
            "v + v < q (v)",
            format!(
                r#"{{"item":{{"tag":"PCmp","value":{{"op":{{"tag":"Lt"}},"lhs":{{"item":{{"tag":"PArith","value":{{"op":{{"tag":"Add"}},"lhs":{v},"rhs":{v}}}}}}},"rhs":{{"item":{{"tag":"PCallE","value":{{"name":"q","args":[{v}]}}}}}}}}}}}}"#
            ),
        ),
        (
            "v is T::C(x)",
            format!(
                r#"{{"item":{{"tag":"Is","value":{{"scrutinee":{v},"type_name":{{"tag":"Some","value":"T"}},"ctor":"C","payload":{{"tag":"Some","value":{{"name":"x"}}}}}}}}}}"#
            ),
        ),
        (
            "1 == 1",
            r#"{"item":{"tag":"PCmp","value":{"op":{"tag":"Eq"},"lhs":{"item":{"tag":"PLiteral","value":{"lit":{"tag":"LInt","value":{"digits":"1"}}}}},"rhs":{"item":{"tag":"PLiteral","value":{"lit":{"tag":"LInt","value":{"digits":"1"}}}}}}}}"#.to_owned(),
        ),
    ];
    for (source, expected) in cases {
        let expr = body(&format!("(x : {{v : A | {source}}})"));
        let expected = format!(
            r#""ty":{{"item":{{"tag":"Refined","value":{{"binder":{{"name":"v"}},"base":{{"item":{{"tag":"Con","value":{{"name":"A","args":[]}}}}}},"pred":{expected}}}}}}}}}}}"#
        );
        assert!(expr.ends_with(&expected), "{source}:\n{expr}\n{expected}");
    }
}

#[test]
fn tokens_of_every_kind() {
    let source = r#"a _b C let :: 1_0 1.5 "s\t" ?h"#;
    let mut names = Names::new();
    let lexed = lex(FileId::new(0), source.as_bytes(), &mut names);
    let document = crate::document::tokens(&lexed.tokens, source.as_bytes(), &names);
    let items: Vec<&str> = document
        .split("\"item\":")
        .skip(1)
        .map(|rest| {
            rest.split("},{\"span\"")
                .next()
                .unwrap_or(rest)
                .trim_end_matches("}]}\n")
        })
        .collect();
    assert_eq!(
        items,
        [
            r#"{"tag":"TIdent","value":{"name":"a"}}"#,
            r#"{"tag":"TPrivate","value":{"name":"_b"}}"#,
            r#"{"tag":"TTypeName","value":{"name":"C"}}"#,
            r#"{"tag":"TKeyword","value":{"word":"let"}}"#,
            r#"{"tag":"TOp","value":{"op":"::"}}"#,
            r#"{"tag":"TInt","value":{"digits":"10"}}"#,
            r#"{"tag":"TFloat","value":{"text":"1.5"}}"#,
            r#"{"tag":"TStr","value":{"value":"s\t"}}"#,
            r#"{"tag":"THole","value":{"name":"h"}}"#,
        ]
    );
    assert!(
        document.starts_with(r#"{"tokens":[{"span":{"start":0,"end":1,"line":1,"col":1},"item":"#)
    );
}
