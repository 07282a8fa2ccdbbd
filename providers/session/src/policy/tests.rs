mod reference;

use super::*;

const WHOLE: &str = r#"
version = 1
[files]
max_files = 20_000
protect = [".github/**"]
[session]
rebase = "disjoint"
[languages]
soil = "checker:definitions"
[[obligation]]
name = "unit"
argv = ["cargo", "test", "--offline"]
pass_env = ["PATH", "HOME"]
scratch = ["target"]
[[obligation]]
name = "soil"
tool = "checker:check"
input = { package = "rules" }
expect = { pointer = "/ok", equals = true }
"#;

#[test]
fn a_policy_has_every_key_and_reads_back_to_itself() {
    let policy = Policy::parse(WHOLE).expect("it is a policy");
    assert_eq!(policy.files.max_files.get(), 20_000);
    assert_eq!(policy.session.rebase, RebaseWord::Disjoint);
    assert_eq!(policy.obligations[0].timeout_millis.get(), 300_000);
    assert_eq!(policy.obligations[1].pass_env, ["PATH"]);
    let again = Policy::from_stored(&policy.canonical()).expect("it was written by us");
    assert_eq!(again, policy);
    let stored: serde_json::Value =
        serde_json::from_slice(&policy.canonical()).expect("it is JSON");
    assert_eq!(stored["obligations"][0]["tool"], serde_json::Value::Null);
    assert_eq!(stored["session"]["keep_days"], 14);
}

#[test]
fn the_defaults_are_those_of_an_empty_file_and_the_empty_set_has_its_published_identity() {
    let policy = Policy::parse("version = 1\n").expect("it is a policy");
    assert_eq!(policy, Policy::default());
    assert_eq!(
        Identity::of(Domain::ObligationSet, &policy.obligation_set()).to_string(),
        "aafd2ae7145817c976f983221870c214b8120871bcd9829d362d2b3fcbee01c0"
    );
}

#[test]
fn languages_and_the_two_forms_of_an_obligation_are_checked_as_they_are_read() {
    for (text, key, line) in [
        (
            "version = 1\n[languages]\nrust = 'a:b'\n",
            "languages.rust",
            3,
        ),
        (
            "version = 1\n[languages]\nsoil = 'no id'\n",
            "languages.soil",
            3,
        ),
        (
            "version = 1\n[[obligation]]\nname = 'a'\ntool = 'no id'\n",
            "obligation.0.tool",
            4,
        ),
        (
            "version = 1\n[[obligation]]\nname = 'a'\ntool = 'a:b'\ninput = 3\n",
            "obligation.0.input",
            5,
        ),
        (
            "version = 1\n[[obligation]]\nname = 'a'\ntool = 'a:b'\nexpected_exit = [1]\n",
            "obligation.0.expected_exit",
            5,
        ),
        (
            "version = 1\n[[obligation]]\nname = 'a'\ntool = 'a:b'\nexpect = { pointer = 'ok', equals = 1 }\n",
            "obligation.0.expect.pointer",
            5,
        ),
        (
            "version = 1\n[[obligation]]\nname = 'a'\nargv = ['x']\ninput = { a = 1 }\n",
            "obligation.0.input",
            5,
        ),
        (
            "version = 1\n[[obligation]]\nname = 'a'\nargv = ['x']\nexpected_exit = []\n",
            "obligation.0.expected_exit",
            5,
        ),
        (
            "version = 1\n[[obligation]]\nname = 'a'\nargv = ['x']\npass_env = ['A=B']\n",
            "obligation.0.pass_env",
            5,
        ),
    ] {
        let error = Policy::parse(text).expect_err(text);
        assert_eq!(error.key, key, "{text}: {error}");
        assert_eq!(
            error.span.as_ref().map_or(1, |span| span.start_line),
            line,
            "{text}: {error:?}"
        );
    }
    let broken = Policy::parse("version = \n").expect_err("no value");
    assert_eq!(broken.span.map(|span| span.start_line), Some(1));
}

#[test]
fn an_error_names_the_key_and_where_it_stands() {
    for (text, key, line) in [
        ("", "version", 1),
        ("version = 2\n", "version", 1),
        ("version = 1\n[files]\nmax_fils = 3\n", "files.max_fils", 3),
        (
            "version = 1\n[files]\nmax_files = 0\n",
            "files.max_files",
            3,
        ),
        (
            "version = 1\n[files]\nmax_files = 2_000_001\n",
            "files.max_files",
            3,
        ),
        (
            "version = 1\n[files]\nmax_file_bytes = 'contract'\n",
            "files.max_file_bytes",
            3,
        ),
        (
            "version = 1\n[files]\nexclude = ['a', '[']\n",
            "files.exclude",
            3,
        ),
        (
            "version = 1\n[files]\nsymlinks = 'follow'\n",
            "files.symlinks",
            3,
        ),
        (
            "version = 1\n[session]\nrebase = 'merge'\n",
            "session.rebase",
            3,
        ),
        (
            "version = 1\n[redact]\npatterns = ['(']\n",
            "redact.patterns",
            3,
        ),
        ("version = 1\nextra = 1\n", "extra", 2),
        (
            "version = 1\n[[obligation]]\nname = 'A'\nargv = ['x']\n",
            "obligation.0.name",
            3,
        ),
        (
            "version = 1\n[[obligation]]\nname = 'a'\n",
            "obligation.0.argv",
            2,
        ),
        (
            "version = 1\n[[obligation]]\nname = 'a'\nargv = []\n",
            "obligation.0.argv",
            4,
        ),
        (
            "version = 1\n[[obligation]]\nname = 'a'\nargv = ['x']\ntool = 'a:b'\n",
            "obligation.0.tool",
            5,
        ),
        (
            "version = 1\n[[obligation]]\nname = 'a'\nargv = ['x']\ncwd = '../x'\n",
            "obligation.0.cwd",
            5,
        ),
        (
            "version = 1\n[[obligation]]\nname = 'a'\nargv = ['x']\ntimeout_millis = 0\n",
            "obligation.0.timeout_millis",
            5,
        ),
        (
            "version = 1\n[[obligation]]\nname = 'a'\nargv = ['x']\n[[obligation]]\nname = 'a'\nargv = ['y']\n",
            "obligation.1.name",
            6,
        ),
    ] {
        let error = Policy::parse(text).expect_err(text);
        assert_eq!(error.key, key, "{text}: {error}");
        assert_eq!(
            error.span.as_ref().map_or(1, |span| span.start_line),
            line,
            "{text}: {error:?}"
        );
    }
    let broken = Policy::parse("version = \n").expect_err("no value");
    assert_eq!(broken.span.map(|span| span.start_line), Some(1));
}

#[test]
fn what_is_expected_is_said_without_what_was_seen() {
    for (text, said) in [
        (
            "version = 1\n[session]\nlock_wait_millis = 0\n",
            "`session.lock_wait_millis` of `lonis-session.toml`: expected a whole number from 1 to 3600000, received `0`",
        ),
        (
            "version = 1\n[files]\nmax_files = true\n",
            "`files.max_files` of `lonis-session.toml`: expected a whole number from 1 to 2000000, or `contract`, received `true`",
        ),
        (
            "",
            "`version` of `lonis-session.toml`: expected the key `version`, received nothing",
        ),
    ] {
        assert_eq!(Policy::parse(text).expect_err(text).to_string(), said);
    }
}

#[test]
fn the_contract_word_stands_for_the_contract_bounds() {
    let policy =
        Policy::parse("version = 1\n[files]\nmax_files = 'contract'\nmax_bytes = 'contract'\n");
    let files = policy.expect("it is a policy").files;
    assert_eq!(
        (files.max_files.get(), files.max_bytes.get()),
        (4_096, 268_435_456)
    );
}

#[test]
fn a_name_that_is_nearly_known_is_told_what_it_may_be() {
    for (text, advice) in [
        ("version = 1\n[files]\nmax_fils = 3\n", Some("max_files")),
        ("version = 1\n[files]\nprotects = ['a']\n", Some("protect")),
        ("version = 1\n[sesion]\n", Some("session")),
        ("version = 1\n[session]\nkepp_days = 3\n", Some("keep_days")),
        (
            "version = 1\n[[obligation]]\nname = 'a'\nargvs = ['b']\n",
            Some("argv"),
        ),
        (
            "version = 1\n[[obligations]]\nname = 'a'\n",
            Some("obligation"),
        ),
        ("version = 1\n[files]\nsource = 'gti'\n", Some("git")),
        ("version = 1\n[files]\nzzz = 3\n", None),
        ("version = 1\n[files]\nmax_files = 'many'\n", None),
    ] {
        let error = Policy::parse(text).expect_err(text);
        let perhaps = error.expected.strip_prefix("perhaps `");
        let told = perhaps.and_then(|rest| rest.split('`').next());
        assert_eq!(told, advice, "{text}: {error}");
    }
}
