use super::*;
use crate::ExitMeaning;
use crate::declared::StdinForm;
use crate::limits::Bound;
use std::fs;

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(
        Path::new("/src/app/lonis.toml"),
        text.as_bytes(),
        Some(Path::new("/home/ada")),
    )
}

#[test]
fn the_example_of_the_reference() {
    let config = parse(
        r#"
[providers.karpal]
command = "karpal"
bounds = { timeout_millis = 20_000 }
tools."karpal.plan" = { id = "plan:karpal", bounds = { timeout_millis = 60_000 } }

[tools."rg:search"]
description = "Search files for a regular expression."
command = "rg"
args = ["--json", { flag = "--glob", from = "globs", each = true, optional = true }, "--", { from = "pattern" }, { from = "paths", each = true, path = true }]
mapping = "json"
exit_codes = { 1 = "no_match" }
side_effects = "read-only"
"#,
    )
    .unwrap();
    let (name, karpal) = &config.providers[0];
    assert_eq!(
        (name.as_str(), karpal.command.as_str()),
        ("karpal", "karpal")
    );
    assert_eq!(
        karpal.execution.bounds.stated(Bound::TimeoutMillis),
        Some(20_000)
    );
    let (native, plan) = &karpal.tools[0];
    assert_eq!(native, "karpal.plan");
    assert_eq!(plan.id.as_ref().unwrap().to_string(), "plan:karpal");
    assert_eq!(
        plan.execution
            .over(&karpal.execution)
            .bounds
            .value(Bound::TimeoutMillis),
        Some(60_000)
    );

    let (id, search) = &config.tools[0];
    assert_eq!(id.to_string(), "rg:search");
    assert_eq!(search.args.len(), 5);
    assert_eq!(search.stdin, StdinForm::None);
    assert_eq!(search.exit_codes[&1], ExitMeaning::NoMatch);
    let schema = search.input_json_schema.as_ref().unwrap();
    assert_eq!(schema["required"], serde_json::json!(["pattern", "paths"]));
}

#[test]
fn paths_start_at_the_file_or_at_home_and_names_stay_names() {
    let config = parse(
        "[providers.a]\ncommand = ['./bin/a', '-x']\nargs = ['-y']\ncwd = '~/work'\nenv = { K = 'file:key', L = 'env:TOKEN', M = 'text:env:x', N = 'plain' }\n\
         [providers.b]\ncommand = 'b'\n",
    )
    .unwrap();
    let (_, a) = &config.providers[0];
    assert_eq!(a.command, "/src/app/./bin/a");
    assert_eq!(a.args, ["-x", "-y"]);
    assert_eq!(
        a.execution.cwd.as_deref(),
        Some(Path::new("/home/ada/work"))
    );
    let env: Vec<EnvValue> = a
        .execution
        .env
        .clone()
        .unwrap()
        .into_iter()
        .map(|(_, value)| value)
        .collect();
    assert_eq!(
        env,
        [
            EnvValue::File("/src/app/key".into()),
            EnvValue::Host("TOKEN".into()),
            EnvValue::Literal("env:x".into()),
            EnvValue::Literal("plain".into()),
        ]
    );
    assert_eq!(config.providers[1].1.command, "b");
}

#[test]
fn the_order_is_that_of_the_file() {
    let config = parse(
        "[providers.z]\ncommand='z'\n[providers.a]\ncommand='a'\n[providers.m]\ncommand='m'\n",
    )
    .unwrap();
    let names: Vec<&str> = config
        .providers
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["z", "a", "m"]);
}

/// A text, the line and key of what is wrong with it, and a part of what is said.
const WRONG: &[(&str, u32, Option<&str>, &str)] = &[
    ("x = ", 1, None, ""),
    (
        "[providers.a]\ncommand = 'a'\ntimout = 5\n",
        3,
        Some("providers.a.timout"),
        "not known",
    ),
    (
        "[providers.a]\nargs = []\n",
        1,
        Some("providers.a.command"),
        "missing",
    ),
    (
        "[providers.A]\ncommand = 'a'\n",
        1,
        Some("providers.A"),
        "no provider name",
    ),
    (
        "[providers.a]\ncommand = 5\n",
        2,
        Some("providers.a.command"),
        "is a string, here it is an integer",
    ),
    (
        "[providers.a]\ncommand = ''\n",
        2,
        Some("providers.a.command"),
        "not empty",
    ),
    (
        "[providers.a]\ncommand = []\n",
        2,
        Some("providers.a.command"),
        "at least the program",
    ),
    (
        "[defaults]\nbounds = { timeout_millis = 0 }\n",
        2,
        Some("defaults.bounds.timeout_millis"),
        "1 to 86400000",
    ),
    (
        "[defaults]\nbounds = { timeout_milis = 1 }\n",
        2,
        Some("defaults.bounds.timeout_milis"),
        "not known",
    ),
    (
        "[defaults]\nbounds = { timeout_millis = -1 }\n",
        2,
        Some("defaults.bounds.timeout_millis"),
        "here it is -1",
    ),
    (
        "[defaults]\numask = '0899'\n",
        2,
        Some("defaults.umask"),
        "octal",
    ),
    (
        "[defaults]\ncontainment = 'jail'\n",
        2,
        Some("defaults.containment"),
        "one of `group`, `tree`",
    ),
    (
        "[defaults]\nsandbox = 'jail'\n",
        2,
        Some("defaults.sandbox"),
        "one of `off`, `contract`, `require`",
    ),
    (
        "[defaults]\nwritable = 'out'\n",
        2,
        Some("defaults.writable"),
        "an array",
    ),
    (
        "[defaults]\nenv = { 'A=B' = 'x' }\n",
        2,
        Some("defaults.env.\"A=B\""),
        "no name of a variable",
    ),
    (
        "[defaults]\nenv = { A = 'cmd:date' }\n",
        2,
        Some("defaults.env.A"),
        "kept free",
    ),
    (
        "[tools.\"a:b\"]\ncommand = 'x'\n",
        1,
        Some("tools.\"a:b\".description"),
        "missing",
    ),
    (
        "[tools.\"bad\"]\ncommand = 'x'\ndescription = ''\n",
        1,
        Some("tools.bad"),
        "",
    ),
    (
        "[tools.\"lonis:x\"]\ncommand = 'x'\ndescription = ''\n",
        1,
        Some("tools.\"lonis:x\""),
        "host's own",
    ),
    (
        "[tools.\"a:b\"]\ncommand='x'\ndescription=''\nexit_codes = { 300 = 'success' }\n",
        4,
        Some("tools.\"a:b\".exit_codes.300"),
        "0 to 255",
    ),
    (
        "[tools.\"a:b\"]\ncommand='x'\ndescription=''\nargs = [{ flag = '-x' }]\n",
        4,
        Some("tools.\"a:b\".args[0].from"),
        "missing",
    ),
    (
        "[tools.\"a:b\"]\ncommand='x'\ndescription=''\ninput_json_schema = { type = 5 }\n",
        4,
        Some("tools.\"a:b\".input_json_schema"),
        "does not compile",
    ),
    (
        "[tools.\"a:b\"]\ncommand='x'\ndescription=''\nargs = [{ from = 'q' }]\ninput_json_schema = { type = 'object' }\n",
        1,
        Some("tools.\"a:b\""),
        "does not name it",
    ),
    (
        "[[policy]]\nids = ['a:*']\n",
        1,
        Some("policy[0].decide"),
        "missing",
    ),
    (
        "[[policy]]\ndecide = 'maybe'\n",
        2,
        Some("policy[0].decide"),
        "`allow`, `ask`, `deny`",
    ),
    (
        "[[policy]]\ndecide = 'ask'\nside_effects = ['some']\n",
        3,
        Some("policy[0].side_effects[0]"),
        "`read-only`",
    ),
    (
        "[[policy]]\ndecide = 'ask'\nverification = ['sure']\n",
        3,
        Some("policy[0].verification[0]"),
        "or `none`",
    ),
    (
        "[[policy]]\ndecide = 'ask'\nids = []\n",
        3,
        Some("policy[0].ids"),
        "fits no call",
    ),
    (
        "[[policy]]\ndecide = 'ask'\nid = ['a']\n",
        3,
        Some("policy[0].id"),
        "not known",
    ),
    ("policy = 'ask'\n", 1, Some("policy"), "an array"),
    ("[providerz]\n", 1, Some("providerz"), "not known"),
    ("a = 1\na = 2\n", 2, None, "duplicate key: `a`"),
];

#[test]
fn what_is_wrong_is_named_with_its_place() {
    for (text, line, key, part) in WRONG.iter().copied() {
        let error = parse(text).expect_err(text);
        assert_eq!(error.line, Some(line), "{text}: {error}");
        assert!(error.message.contains(part), "{text}: {error}");
        if key.is_some() {
            assert_eq!(error.key.as_deref(), key, "{text}: {error}");
        }
        let shown = ToolError::from(&error);
        assert_eq!(
            (shown.kind().as_str(), shown.exit_code()),
            ("invalid_config", 2),
            "{text}"
        );
    }
}

#[test]
fn a_hint_names_the_nearest_key() {
    let error = parse("[providers.a]\ncomand = 'a'\ncommand = 'a'\n").unwrap_err();
    assert_eq!(error.hint.as_deref(), Some("did you mean `command`?"));
}

#[test]
fn files_that_cannot_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let large = folder.path().join("large.toml");
    fs::write(
        &large,
        vec![b'#'; usize::try_from(MAX_FILE_BYTES).unwrap() + 1],
    )
    .unwrap();
    assert!(
        Config::bytes(&large)
            .unwrap_err()
            .message
            .contains("limit of 1048576")
    );
    assert!(Config::bytes(folder.path()).is_err());
    assert!(Config::bytes(&folder.path().join("none")).is_err());
    assert!(
        Config::parse(&large, b"\xff", None)
            .unwrap_err()
            .message
            .contains("UTF-8")
    );
}

proptest::proptest! {
    #[test]
    fn no_text_panics(text in "[\\[\\]a-z.\"'={}, \n0-9#:_-]{0,200}") {
        let _ = parse(&text);
    }

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
        let _ = Config::parse(Path::new("/f"), &bytes, None);
    }
}
