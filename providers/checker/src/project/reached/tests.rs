use std::fs;

use super::*;

/// Where each file stands, what it holds, whether it counts for all, and its known part.
type File<'f> = (&'f str, &'f str, bool, Option<&'f str>);

const FILES: [File<'_>; 11] = [
    ("_project.tr", "---\nname: shop\n---\n\nAll.\n", true, None),
    (
        "m/_module.tr",
        "---\nname: m\n---\n\nM.\n\n```exports\n```\n",
        false,
        None,
    ),
    (
        "m/_private.soil",
        "_tenth : I64\n_tenth = lone\n",
        false,
        None,
    ),
    (
        "m/calls.soil",
        "calls : I64\ncalls = far\n",
        false,
        Some("calls : I64\n"),
    ),
    (
        "m/lone.soil",
        "lone : I64\nlone = 1\n",
        false,
        Some("lone : I64\n"),
    ),
    (
        "n/_module.tr",
        "---\nname: n\n---\n\nN.\n\n```exports\n```\n",
        false,
        None,
    ),
    (
        "n/_private.soil",
        "_third : I64\n_third = deep\n",
        false,
        None,
    ),
    (
        "n/deep.soil",
        "deep : I64\ndeep = 3\n",
        false,
        Some("deep : I64\n"),
    ),
    (
        "n/far.soil",
        "far : I64\nfar = 2\n",
        false,
        Some("far : I64\n"),
    ),
    (
        "n/far.tr",
        "---\nname: far\n---\n\nMentions other.\n\n```soil-sig\nfar : I64\n```\n\n```ensures\nclose: result == claimed\n```\n\n```test t\n() => 2\n```\n",
        false,
        None,
    ),
    ("n/odd.soil", "even : I64\neven = 4\n", true, None),
];

/// Writes a project with so many functions that nothing names, and lists what a draft reaches of it.
fn reached(draft: &str, others: Others, unnamed: usize) -> Vec<String> {
    let root = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it is made");
        fs::write(path, text).expect("it is written");
    };
    write("soil.toml", "");
    let many: Vec<(String, String)> = (0..unnamed)
        .map(|number| {
            let head = format!("unnamed_{number} : I64\n");
            (format!("n/unnamed_{number}.soil"), head)
        })
        .collect();
    let mut known = Vec::new();
    for (path, head) in &many {
        known.push(Known {
            path,
            is_for_all: false,
            head: Some(head),
        });
    }
    for (path, text, is_for_all, head) in FILES {
        write(path, text);
        known.push(Known {
            path,
            is_for_all,
            head,
        });
    }
    let reacher = Reacher {
        module: "m",
        name: "target",
        draft,
    };
    let project = Project::load_reached(root.path(), &known, reacher, others);
    let project = project.expect("it is read");
    let mut found = Vec::new();
    for module in &project.modules {
        found.extend(module.spec.iter().map(|spec| spec.text.path.to_string()));
        found.extend(module.private.iter().map(|text| text.path.to_string()));
        for named in module.functions() {
            let body = named.function.body.as_ref().expect("it has a body");
            let text = std::str::from_utf8(&body.bytes).expect("a text");
            let is_made = text.contains("?not_read");
            found.push(format!(
                "{}{}",
                named.full_name(),
                if is_made { "?" } else { "" }
            ));
        }
    }
    found
}

#[test]
fn what_no_word_names_is_not_read() {
    let own = ["m/_module.tr", "m/_private.soil", "m/lone"];
    let cases: [(&str, &[&str]); 4] = [
        // The private definitions of the folder are part of every program, and so is what they call.
        ("target = 1", &["n/_private.soil", "n/deep", "n/odd"]),
        (
            "target = calls",
            &["m/calls", "n/_private.soil", "n/deep", "n/far", "n/odd"],
        ),
        (
            "target = n::far",
            &["n/_private.soil", "n/deep", "n/far", "n/odd"],
        ),
        ("target = lone", &["n/_private.soil", "n/deep", "n/odd"]),
    ];
    for (draft, expected) in cases {
        for unnamed in [0, 300] {
            let mut expected: Vec<&str> = own.iter().chain(expected).copied().collect();
            let mut found = reached(draft, Others::Absent, unnamed);
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "{draft}");
        }
    }
}

#[test]
fn others_have_their_signatures_where_these_are_asked_for() {
    let found = reached("target = 1", Others::Signatures, 40);
    let made: Vec<&String> = found.iter().filter(|name| name.ends_with('?')).collect();
    assert_eq!(made.len(), 42, "{made:?}");
    assert!(found.contains(&"n/far?".to_owned()) && found.contains(&"m/calls?".to_owned()));
}
