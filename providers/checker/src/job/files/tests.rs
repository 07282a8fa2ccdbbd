use std::fs::{self, File};
use std::time::Duration;

use super::*;

/// A project whose files are old enough to be told from ones that change now.
fn project() -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a folder");
    fs::create_dir(root.path().join("m")).expect("it is made");
    for (path, text) in [
        ("soil.toml", ""),
        ("m/one.tr", "---\nname: one\n---\n\nOne.\n"),
        ("m/one.soil", "one : I64\none = 1\n"),
        ("m/two.soil", "two : I64\ntwo = 2\n"),
        ("m/_private.soil", "three : I64\nthree = 3\n"),
    ] {
        fs::write(root.path().join(path), text).expect("it is written");
    }
    root
}

/// Gives what is seen at a look long after all changes.
fn seen(root: &Path) -> Files {
    let project = Project::load(root).expect("it reads");
    let named = project.function("one").expect("it is there");
    Files::of(root, &project, named, later()).expect("it is made")
}

/// A time at which no change of now can hide.
fn later() -> u128 {
    now_nanos() + Duration::from_hours(1).as_nanos()
}

fn same(paths: &[&str]) -> Look {
    Look::Same(paths.iter().map(|path| (*path).to_owned()).collect())
}

#[test]
fn only_what_was_touched_is_read_again() {
    let root = project();
    let touch = |path: &str| {
        let file = File::options().append(true).open(root.path().join(path));
        let past = SystemTime::now() - Duration::from_hours(2);
        file.and_then(|file| file.set_modified(past))
            .expect("it is touched");
    };
    let before = seen(root.path());
    for touched in [
        &[][..],
        &["m/two.soil"],
        &["m/one.soil", "soil.toml"],
        &["m/_private.soil", "m/one.tr", "m/two.soil"],
    ] {
        let mut files = before.clone();
        for path in touched {
            touch(path);
        }
        let mut all: Vec<&str> = touched.to_vec();
        // What was touched for an earlier row is not as it was before the first one either.
        let stamps = seen(root.path()).seen;
        for (now, then) in stamps.iter().zip(&before.seen) {
            if now.stamp != then.stamp && !all.contains(&&*now.path) {
                all.push(&now.path);
            }
        }
        all.sort_unstable();
        let expected = if all.is_empty() {
            Look::Untouched
        } else {
            same(&all)
        };
        assert_eq!(files.look_again(root.path()), expected);
        // The next look knows of it.
        files.looked = later();
        assert_eq!(files.look_again(root.path()), Look::Untouched);
    }
}

#[test]
fn what_says_something_else_or_comes_or_goes_is_a_change() {
    let changes: [fn(&Path); 6] = [
        |root| fs::write(root.join("m/two.soil"), "two : I64\ntwo = 3\n").expect("written"),
        |root| fs::remove_file(root.join("m/two.soil")).expect("removed"),
        |root| fs::write(root.join("m/one.lock"), "{}").expect("written"),
        |root| fs::write(root.join("_project.tr"), "---\nname: project\n---\n").expect("written"),
        |root| {
            fs::rename(root.join("m/two.soil"), root.join("m/kept")).expect("moved");
            std::os::unix::fs::symlink("kept", root.join("m/two.soil")).expect("linked");
        },
        |root| {
            fs::remove_file(root.join("m/two.soil")).expect("removed");
            fs::create_dir(root.join("m/two.soil")).expect("made");
        },
    ];
    for (row, change) in changes.into_iter().enumerate() {
        let root = project();
        let mut files = seen(root.path());
        change(root.path());
        assert_eq!(files.look_again(root.path()), Look::Changed, "{row}");
    }
}

#[test]
fn a_file_that_is_as_young_as_the_look_is_read() {
    let root = project();
    let mut files = seen(root.path());
    files.looked = 0;
    let all = [
        "m/_private.soil",
        "m/one.soil",
        "m/one.tr",
        "m/two.soil",
        "soil.toml",
    ];
    assert_eq!(files.look_again(root.path()), same(&all));
}

#[test]
fn bodies_are_known_up_to_their_equations_as_far_as_there_is_room() {
    let root = project();
    let odd = root.path().join("m/odd.soil");
    fs::write(odd, "even : I64\neven = 2\n").expect("it is written");
    let project = Project::load(root.path()).expect("it reads");
    let (one, two) = (("m/one.soil", "one : I64\n"), ("m/two.soil", "two : I64\n"));
    for (max_bytes, expected) in [
        (0, &[][..]),
        (9, &[]),
        (10, &[one]),
        (19, &[one]),
        (20, &[one, two]),
        (MAX_HEAD_BYTES, &[one, two]),
    ] {
        let heads = project.heads(max_bytes).expect("they are there");
        assert!(
            heads.into_iter().eq(expected.iter().copied()),
            "{max_bytes}"
        );
    }
    // A body that no name finds is read for every draft, and so is one that there was no room for.
    let files = seen(root.path());
    let known = files.known();
    let for_all = known.iter().filter(|known| known.is_for_all);
    let paths: Vec<&str> = for_all.map(|known| known.path).collect();
    assert_eq!(paths, ["m/odd.soil"]);
}
