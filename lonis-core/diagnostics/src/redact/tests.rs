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

/// What stands around a path: in front, behind.
const AROUND: [(&str, &str); 10] = [
    ("", ""),
    ("x=", ""),
    ("open \"", "\": denied"),
    ("open '", "': denied"),
    ("see `", "`"),
    ("(", ")"),
    ("at:", ":12"),
    ("first\n", "\nlast"),
    ("a\tb ", "  c"),
    ("[", ", 1]"),
];

/// Paths, and what is told of each.
const PLACES: [(&str, &str); 10] = [
    ("/a/b", "b"),
    ("/usr/lib/x.so", "x.so"),
    ("/tmp/.hidden", ".hidden"),
    ("/ä/ö", "ö"),
    ("/srv/my app", "<root>"),
    ("/srv/my app/src/a.rs", "<root>/src/a.rs"),
    ("/srv/my app/.lonis/session/tmp/s.0", "<store>/tmp/s.0"),
    ("/home/ada", "<home>"),
    ("/home/ada/.cargo/bin", "<home>/.cargo/bin"),
    ("/home/adam/x", "x"),
];

/// Texts in which there is nothing to be left out.
const KEPT: [&str; 20] = [
    "https://example.org/a/b",
    "see http://localhost:80/x/y?z=/q",
    "file://host/share/a",
    "ssh://git@example.org/a/b.git",
    "a/b/c",
    "./a/b",
    "../a/b",
    "src/lib.rs:12:3",
    "1 / 2",
    "and/or",
    "// a comment",
    "a // b",
    "<root>/src/a.rs",
    "<home>/.cargo",
    "text/plain",
    "session/stale-base",
    "2026-03-01T12:00:00Z",
    "two\n\nlines  and   blanks",
    "\"quoted\" and `code`",
    "C:\\Users\\ada",
];

#[test]
fn redaction_corpus() {
    let mut seen = 0;
    for (front, behind) in AROUND {
        for (path, told) in PLACES {
            let text = format!("{front}{path}{behind}");
            let expected = format!("{front}{told}{behind}");
            assert_eq!(redactor().text(&text), expected, "{text:?}");
            // Data of a success is held to the same.
            let mut data = json!({"results": [{"detail": text}]});
            redactor().value(&mut data);
            assert_eq!(data["results"][0]["detail"], expected, "{text:?}");
            seen += 1;
        }
    }
    for text in KEPT {
        assert_eq!(redactor().text(text), text);
        seen += 1;
    }
    assert_eq!(seen, 120);
}
