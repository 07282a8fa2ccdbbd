use std::fs;

use super::*;

/// A boundary with directories, a file, and links inside it and out of it.
fn boundary() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let boundary = folder
        .path()
        .canonicalize()
        .expect("it is there")
        .join("in");
    for name in ["a", "b c", "ü", "a/deep"] {
        fs::create_dir_all(boundary.join(name)).expect("a folder can be made");
    }
    fs::create_dir(folder.path().join("out")).expect("a folder can be made");
    fs::write(boundary.join("file"), "").expect("a file can be written");
    for (target, name) in [("a", "to-a"), ("../out", "to-out")] {
        std::os::unix::fs::symlink(target, boundary.join(name)).expect("a link can be made");
    }
    (folder, boundary)
}

#[test]
fn a_root_is_an_existing_directory_inside_the_boundary() {
    let (_folder, boundary) = boundary();
    let at = boundary.display();
    let long = format!("file://{at}/{}", "x".repeat(MAX_ROOT_URI_BYTES));
    for (uri, expected) in [
        (format!("file://{at}"), Ok("")),
        (format!("file://{at}/a"), Ok("a")),
        (format!("file://{at}/a/"), Ok("a")),
        (format!("FILE://localhost{at}/a"), Ok("a")),
        (format!("file:{at}/a"), Ok("a")),
        (format!("file://{at}/b%20c"), Ok("b c")),
        (format!("file://{at}/%C3%BC"), Ok("ü")),
        (format!("file://{at}/a/../a/deep"), Ok("a/deep")),
        (format!("file://{at}/to-a"), Ok("a")),
        (format!("file://{at}/to-out"), Err("outside")),
        (format!("file://{at}/.."), Err("outside")),
        (format!("file://{at}/a/../../out"), Err("outside")),
        (format!("file://{at}/none"), Err("missing")),
        (format!("file://{at}/file"), Err("not-a-directory")),
        (format!("file://example.org{at}/a"), Err("host")),
        (format!("http://{at}/a"), Err("scheme")),
        (format!("{at}/a"), Err("scheme")),
        (String::new(), Err("scheme")),
        ("file:a".to_owned(), Err("shape")),
        ("file://localhost".to_owned(), Err("shape")),
        (format!("file://{at}/a?x"), Err("query")),
        (format!("file://{at}/a#x"), Err("query")),
        (format!("file://{at}/%zz"), Err("encoding")),
        (format!("file://{at}/%4"), Err("encoding")),
        (format!("file://{at}/a%00"), Err("encoding")),
        (format!("file://{at}/%ff"), Err("not-utf8")),
        (long, Err("too-long")),
    ] {
        let expected = expected.map(|name| {
            if name.is_empty() {
                boundary.clone()
            } else {
                boundary.join(name)
            }
        });
        assert_eq!(beneath_uri(&uri, &boundary), expected, "{uri}");
    }
}

#[test]
fn one_bad_entry_voids_the_whole_answer() {
    let (_folder, boundary) = boundary();
    let uri = |name: &str| json!({"uri": format!("file://{}/{name}", boundary.display())});
    let answer =
        |roots: Value| Roots::answered(&Ok(json!({"roots": roots}).into()), 1, &boundary, 3);
    let known = answer(json!([uri("a"), uri("b%20c")]));
    assert!(
        matches!(&known, Roots::Known(roots) if roots.len() == 2),
        "{known:?}"
    );
    for (roots, rejected) in [
        (
            json!([uri("a"), uri("none"), {}]),
            json!([{"index": 1, "reason": "missing"}, {"index": 2, "reason": "shape"}]),
        ),
        (
            json!([uri("a"), uri("to-a")]),
            json!([{"index": 1, "reason": "repeated"}]),
        ),
        (
            json!([{}, {}, {}, {}]),
            json!([{"index": 3, "reason": "too-many"}]),
        ),
        (json!("a"), json!([{"index": null, "reason": "shape"}])),
    ] {
        let Roots::Failed { refusal, .. } = answer(roots.clone()) else {
            panic!("{roots} is of use");
        };
        assert_eq!(
            (refusal.code(), &refusal.data()["rejected"]),
            (McpCode::RootsInvalid, &rejected)
        );
    }
}

#[test]
fn a_call_names_its_root_where_there_are_several() {
    let (_folder, boundary) = boundary();
    let uri = |name: &str| format!("file://{}/{name}", boundary.display());
    let known = |names: &[&str]| {
        let roots: Vec<Value> = names.iter().map(|name| json!({"uri": uri(name)})).collect();
        Roots::answered(&Ok(json!({"roots": roots}).into()), 1, &boundary, 8)
    };
    let find = |roots: &Roots, wish: Option<&str>| {
        let found = roots
            .find(wish, &boundary)
            .expect("the client has answered");
        found.map_err(|refusal| refusal.code())
    };
    let (one, two, none) = (known(&["a"]), known(&["a", "a/deep"]), known(&[]));
    assert_eq!(find(&one, None), Ok(boundary.join("a")));
    assert_eq!(find(&one, Some(&uri("a"))), Ok(boundary.join("a")));
    assert_eq!(find(&one, Some(&uri("a/"))), Err(McpCode::RootUnknown));
    assert_eq!(
        find(&two, Some(&uri("a/deep"))),
        Ok(boundary.join("a/deep"))
    );
    assert_eq!(find(&two, None), Err(McpCode::RootRequired));
    assert_eq!(find(&none, None), Err(McpCode::RootRequired));
    let implicit = Roots::Implicit;
    assert_eq!(find(&implicit, None), Ok(boundary.clone()));
    assert_eq!(find(&implicit, Some("a/deep")), Ok(boundary.join("a/deep")));
    for outside in ["..", "/", "a/../..", "to-out", "none", "file:///"] {
        assert_eq!(
            find(&implicit, Some(outside)),
            Err(McpCode::RootUnknown),
            "{outside}"
        );
    }
}
