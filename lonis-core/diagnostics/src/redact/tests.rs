use super::*;
use serde_json::json;

fn redactor() -> Redactor {
    Redactor::new()
        .knowing("root", "/srv/my app")
        .knowing("home", "/home/ada/")
        .knowing("store", "/srv/my app/.lonis/session")
}

#[test]
fn known_directories_have_names_and_other_paths_their_last_part() {
    for (text, expected) in [
        ("", ""),
        ("no path", "no path"),
        ("/srv/my app", "<root>"),
        ("/srv/my app/src/a.rs", "<root>/src/a.rs"),
        (
            "open '/srv/my app/src/a b.rs': denied",
            "open '<root>/src/a b.rs': denied",
        ),
        ("/srv/my app/.lonis/session/lock", "<store>/lock"),
        ("/srv/my apple/x", "my apple/x"),
        ("/home/ada/.cargo and /home/ada", "<home>/.cargo and <home>"),
        ("/home/ada.", "<home>."),
        ("/home/adabc/x", "x"),
        ("x=/a/b", "x=b"),
        ("(/a/b)", "(b)"),
        ("\"/a/b\"", "\"b\""),
        ("'/a/b'", "'b'"),
        ("`/a/b/`", "`b`"),
        ("at:/a/b", "at:b"),
        ("a\n/etc/passwd\n", "a\npasswd\n"),
        ("  /etc/passwd  x", "  passwd  x"),
        ("https://example.org/a/b", "https://example.org/a/b"),
        ("file://host/a/b", "file://host/a/b"),
        ("a/b/c", "a/b/c"),
        ("./a/b", "./a/b"),
        ("1 / 2", "1 / 2"),
        ("// comment", "// comment"),
        ("/usr/lib/x.so:12", "x.so:12"),
        ("/a/b,/c/d", "b,d"),
        ("äöü /ä/ö", "äöü ö"),
    ] {
        assert_eq!(redactor().text(text), expected, "{text:?}");
    }
}

#[test]
fn texts_are_scrubbed_wherever_they_stand_and_pointers_are_kept() {
    let mut value = json!({
        "reason": "cannot open /etc/x/key",
        "deep": [{"path": "/srv/my app/a"}],
        "pointer": "/ops/0/find",
        "count": 3,
    });
    redactor().value(&mut value);
    assert_eq!(
        value,
        json!({"reason": "cannot open key", "deep": [{"path": "<root>/a"}], "pointer": "/ops/0/find", "count": 3})
    );
}

#[test]
fn scrubbing_twice_changes_nothing_more() {
    for prefix in [
        "", " ", "x=", "(", "\"", "'", "`", ":", "a ", "\t", "\n", "[",
    ] {
        for path in [
            "/a/b",
            "/srv/my app/z",
            "/home/ada/z",
            "/x/y/z.rs",
            "/tmp/é/ü",
            "/a",
        ] {
            let text = format!("{prefix}{path}");
            let once = redactor().text(&text);
            assert_eq!(redactor().text(&once), once, "{text:?}");
            assert!(
                !once.contains("/srv") && !once.contains("/home") && !once.contains("/a/"),
                "{text:?}: {once:?}"
            );
        }
    }
}
