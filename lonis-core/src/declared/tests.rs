use super::*;

fn from(member: &str) -> ValueArgument {
    ValueArgument {
        from: member.to_owned(),
        ..ValueArgument::default()
    }
}

fn fixed(text: &str) -> Argument {
    Argument::Fixed(text.to_owned())
}

fn build(args: &[Argument], input: &str) -> Result<Vec<String>, String> {
    let input = Json::parse(input).unwrap();
    arguments(args, &input, Path::new("/home/ada"))
        .map(|words| {
            words
                .into_iter()
                .map(|word| word.into_string().unwrap())
                .collect()
        })
        .map_err(|error| error.message().to_owned())
}

fn words(args: &[Argument], input: &str) -> Vec<String> {
    build(args, input).unwrap()
}

#[test]
fn a_member_is_one_argument_whatever_it_holds() {
    let args = [fixed("-e"), Argument::Value(from("pattern"))];
    for (input, wanted) in [
        (r#"{"pattern":"a b; rm -rf $HOME"}"#, "a b; rm -rf $HOME"),
        (r#"{"pattern":"line\nline"}"#, "line\nline"),
        (
            r#"{"pattern":12345678901234567890123}"#,
            "12345678901234567890123",
        ),
        (r#"{"pattern":1.50}"#, "1.50"),
        (r#"{"pattern":true}"#, "true"),
        (r#"{"pattern":""}"#, ""),
    ] {
        assert_eq!(words(&args, input), ["-e", wanted], "{input}");
    }
}

#[test]
fn what_no_argument_can_be_is_refused_with_its_place() {
    let args = [Argument::Value(from("m"))];
    for (input, part) in [
        (r#"{"m":null}"#, "must be a string, a number or a boolean"),
        (r#"{"m":{}}"#, "must be a string, a number or a boolean"),
        (r#"{"m":[]}"#, "must be a string, a number or a boolean"),
        (r#"{"m":"a\u0000b"}"#, "NUL"),
        (r#"{"m":"-x"}"#, "must not begin with `-`"),
        (r#"{"m":-5}"#, "must not begin with `-`"),
        (r"{}", "is missing"),
        ("7", "is not an object"),
    ] {
        let message = build(&args, input).unwrap_err();
        assert!(message.contains(part), "{input}: {message}");
    }
    let nested = Json::parse(r#"{"m":["a",["b"]]}"#).unwrap();
    let each = [Argument::Value(ValueArgument {
        each: true,
        ..from("m")
    })];
    let error = arguments(&each, &nested, Path::new("/")).unwrap_err();
    assert_eq!(error.details().unwrap().to_value()["pointer"], "/m/1");
}

#[test]
fn a_dash_passes_behind_the_guard_or_where_it_is_allowed() {
    assert_eq!(
        words(&[fixed("--"), Argument::Value(from("m"))], r#"{"m":"-x"}"#),
        ["--", "-x"]
    );
    let allowed = [Argument::Value(ValueArgument {
        dash: true,
        ..from("m")
    })];
    assert_eq!(words(&allowed, r#"{"m":"-x"}"#), ["-x"]);
    let from_input = [Argument::Value(from("m")), Argument::Value(from("n"))];
    assert!(
        build(&from_input, r#"{"m":"--","n":"-x"}"#).is_err(),
        "a guard is written in the definition only"
    );
}

#[test]
fn flags_switches_and_lists() {
    let args = [
        Argument::Value(ValueArgument {
            flag: Some("--glob".into()),
            each: true,
            optional: true,
            ..from("globs")
        }),
        Argument::Switch {
            flag: "--hidden".into(),
            when: "hidden".into(),
        },
        Argument::Value(ValueArgument {
            path: true,
            ..from("at")
        }),
    ];
    let all = r#"{"globs":["*.rs","*.md"],"hidden":true,"at":"src"}"#;
    assert_eq!(
        words(&args, all),
        [
            "--glob",
            "*.rs",
            "--glob",
            "*.md",
            "--hidden",
            "/home/ada/src"
        ]
    );
    assert_eq!(words(&args, r#"{"hidden":false,"at":"/etc"}"#), ["/etc"]);
    assert!(
        build(&args, r#"{"hidden":"true","at":"/etc"}"#)
            .unwrap_err()
            .contains("boolean")
    );
}

#[test]
fn the_schema_that_references_imply() {
    let args = [
        Argument::Value(from("pattern")),
        Argument::Value(ValueArgument {
            each: true,
            optional: true,
            ..from("paths")
        }),
        Argument::Switch {
            flag: "-i".into(),
            when: "fold".into(),
        },
    ];
    assert_eq!(
        Argument::schema_of(&args).unwrap(),
        json!({
            "type": "object",
            "properties": {
                "pattern": { "type": "string" },
                "paths": { "type": "array", "items": { "type": "string" } },
                "fold": { "type": "boolean" },
            },
            "required": ["pattern"],
            "additionalProperties": false,
        })
    );
    assert_eq!(Argument::schema_of(&[fixed("x")]), None);
}

#[test]
fn stdin_forms() {
    let input = Json::parse(r#"{"text":"é\n","data":{"b":1,"a":2}}"#).unwrap();
    let member = |name: &str| StdinForm::Member(name.to_owned()).bytes(&input);
    assert_eq!(
        StdinForm::Json.bytes(&input).unwrap(),
        input.text().as_bytes()
    );
    assert_eq!(StdinForm::None.bytes(&input).unwrap(), b"");
    assert_eq!(member("text").unwrap(), "é\n".as_bytes());
    assert_eq!(member("data").unwrap(), br#"{"b":1,"a":2}"#);
    assert!(member("nothing").is_err());
}
