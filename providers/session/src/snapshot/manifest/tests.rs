use proptest::prelude::*;

use super::*;
use crate::snapshot::change::{ChangeSet, difference};

fn blob(text: &str) -> (Identity, u64) {
    (
        Identity::of(Domain::Blob, text.as_bytes()),
        text.len() as u64,
    )
}

fn file(text: &str, executable: bool) -> Entry {
    let (blob, bytes) = blob(text);
    Entry::File {
        executable,
        blob,
        bytes,
    }
}

fn link(text: &str) -> Entry {
    let (blob, bytes) = blob(text);
    Entry::Link { blob, bytes }
}

fn manifest(entries: &[(&str, Entry)]) -> Manifest {
    let entries = entries
        .iter()
        .map(|(path, entry)| (WorkspacePath::new(path).unwrap(), *entry));
    Manifest::new(entries.collect())
}

fn script() -> Entry {
    file("#!/bin/sh\nexit 0\n", true)
}

#[test]
fn identities_equal_the_published_vectors() {
    let mut objects = ObjectMap::new();
    let (_, snapshot) = manifest(&[("run", script())]).store(&mut objects).unwrap();
    assert_eq!(
        snapshot.root.to_string(),
        "ebb254f672b689ba209649bca660e6ea2c6d5aa8bdc52def69de05cc55adc4fa"
    );
    let whole = manifest(&[
        ("README.md", file("hello\n", false)),
        ("bin/run", script()),
        ("latest", link("README.md")),
    ]);
    let (identity, snapshot) = whole.store(&mut objects).unwrap();
    assert_eq!(
        snapshot.root.to_string(),
        "e1169fa2ccd13f5dc652018857a6404ab92e0d508592085999938b4590a2f6e4"
    );
    assert_eq!(
        identity.to_string(),
        "89653dafda907d7341a431598a7c6a23b7a370425f285d4acd86f9a87ba4db11"
    );
    assert_eq!((snapshot.files, snapshot.bytes), (3, 32));
    assert_eq!(snapshot, Snapshot::load(&objects, &identity).unwrap());
    assert_eq!(whole, Manifest::load(&objects, &identity).unwrap());
    let (empty, _) = Manifest::default().store(&mut objects).unwrap();
    assert_eq!(
        empty.to_string(),
        "74b8aba26c8371d206fe1a1964899a5e607ff819d9af8df562bd360551a28e2b"
    );
    let changes = ChangeSet::new(vec![Change {
        path: WorkspacePath::new("README.md").unwrap(),
        before: Some(file("hello\n", false)),
        after: Some(file("goodbye\n", false)),
    }]);
    assert_eq!(
        changes.identity().to_string(),
        "5de5babc13a6480c12b32c0472aeedf85723caffd9ecc8744b2f2777b91b06a9"
    );
}

#[test]
fn flat_identities_equal_the_vectors_of_the_contract() {
    let both = manifest(&[("README.md", file("hello\n", false)), ("bin/run", script())]);
    assert_eq!(
        both.flat_identity().unwrap().to_string(),
        "9291c5e6286eb63afb2438b686ffb2b3299a8d972ffa2889ae849880b50f1ff6"
    );
    let entry = |blob: &str, bytes| Entry::File {
        executable: false,
        blob: blob.parse().unwrap(),
        bytes,
    };
    let package = manifest(&[
        (
            "caps.toml",
            entry(
                "df64ea5d2ebd824555227a85f99da35ccbfcb475a39efc909b53ea10741fcfe8",
                12,
            ),
        ),
        (
            "hello.gc",
            entry(
                "e54c1d34c8d60fe573814ab2647cc517f9cded23a3b0d6cd7c7aeae9883732ca",
                906,
            ),
        ),
        (
            "package.toml",
            entry(
                "c4e3007efbb97e3ad8b8774cfa8f5f2c508307f34323fa719af95c520bf79745",
                483,
            ),
        ),
    ]);
    assert_eq!(
        package.flat_identity().unwrap().to_string(),
        "c9b2d7ab63e276e58b009da1a1b14330a078d08e799e227f8088b192de6d084c"
    );
    let linked = manifest(&[("a", link("b")), ("c", script())]);
    assert_eq!(linked.flat_identity().unwrap_err().links.len(), 1);
}

#[test]
fn a_file_is_never_a_directory_too() {
    let mut objects = ObjectMap::new();
    let clash = manifest(&[("a", script()), ("a.b", script()), ("a/c", script())]);
    assert!(matches!(
        clash.store(&mut objects),
        Err(TreeError::Path(PathError {
            rule: PathRule::Clash,
            ..
        }))
    ));
    let reserved = manifest(&[("x/.git/config", script())]);
    assert!(matches!(
        reserved.store(&mut objects),
        Err(TreeError::Path(PathError {
            rule: PathRule::Reserved,
            ..
        }))
    ));
}

#[test]
fn a_path_is_found_through_its_trees() {
    let mut objects = ObjectMap::new();
    let whole = manifest(&[("a/b/c", script()), ("a.x", link("y"))]);
    let (identity, _) = whole.store(&mut objects).unwrap();
    let find =
        |path: &str| lookup(&objects, &identity, &WorkspacePath::new(path).unwrap()).unwrap();
    assert_eq!(find("a/b/c"), Some(Node::Leaf(script())));
    assert!(matches!(find("a/b"), Some(Node::Tree { files: 1, .. })));
    for absent in ["a/b/c/d", "a/c", "b", "a.x/y"] {
        assert_eq!(find(absent), None, "{absent}");
    }
}

#[test]
fn a_tree_is_written_in_canonical_form() {
    let (tree, files, bytes) = (blob("x").0, 3, 4);
    let nodes = vec![
        ("a \" b".into(), Node::Leaf(file("x", true))),
        ("é".into(), Node::Leaf(link("y"))),
        ("t".into(), Node::Tree { tree, files, bytes }),
    ];
    let written = Tree::new(nodes).unwrap().canonical();
    let value: serde_json::Value = serde_json::from_slice(&written).unwrap();
    assert_eq!(lonis::canonical::text(&value).unwrap().as_bytes(), written);
    let mut objects = ObjectMap::new();
    let identity = objects.add(Domain::Tree, written.clone());
    assert_eq!(
        Tree::load(&objects, &identity).unwrap().canonical(),
        written
    );
}

/// Few names, so that files and directories meet.
fn paths() -> impl Strategy<Value = BTreeMap<WorkspacePath, Entry>> {
    let path = proptest::collection::vec(prop::sample::select(vec!["a", "a.b", "b", "é"]), 1..4);
    let entry = (0..3_u8, any::<bool>(), any::<bool>()).prop_map(|(text, executable, linked)| {
        let text = text.to_string();
        if linked {
            link(&text)
        } else {
            file(&text, executable)
        }
    });
    proptest::collection::btree_map(
        path.prop_map(|names| WorkspacePath::new(&names.join("/")).unwrap()),
        entry,
        0..12,
    )
    .prop_map(|mut all: BTreeMap<WorkspacePath, Entry>| {
        let paths: Vec<_> = all.keys().cloned().collect();
        all.retain(|path, _| !path.ancestors().any(|above| paths.contains(&above)));
        all
    })
}

proptest! {
    #[test]
    fn hash_store_load_and_hash_give_one_value(entries in paths()) {
        let mut objects = ObjectMap::new();
        let manifest = Manifest::new(entries);
        let (identity, snapshot) = manifest.store(&mut objects).unwrap();
        let loaded = Manifest::load(&objects, &identity).unwrap();
        prop_assert_eq!(&loaded, &manifest);
        prop_assert_eq!(loaded.store(&mut ObjectMap::new()).unwrap().0, identity);
        prop_assert_eq!(snapshot.files, manifest.len() as u64);
    }

    #[test]
    fn a_difference_leads_from_one_snapshot_to_the_other(before in paths(), after in paths()) {
        let mut objects = ObjectMap::new();
        let (old, _) = Manifest::new(before.clone()).store(&mut objects).unwrap();
        let (new, _) = Manifest::new(after.clone()).store(&mut objects).unwrap();
        let changes = difference(&objects, &old, &new).unwrap();
        prop_assert!(changes.is_sorted_by(|left, right| left.path < right.path));
        for change in &changes {
            prop_assert_eq!(before.get(&change.path), change.before.as_ref());
            prop_assert_eq!(after.get(&change.path), change.after.as_ref());
        }
        let unchanged = before.iter().filter(|(path, entry)| after.get(*path) == Some(*entry)).count();
        let touched: std::collections::BTreeSet<_> = before.keys().chain(after.keys()).collect();
        prop_assert_eq!(changes.len(), touched.len() - unchanged);
        let mut made = ObjectMap::new();
        prop_assert_eq!(update(&objects, &mut made, &old, &changes).unwrap().0, new);
    }
}

#[test]
fn paths_are_ordered_as_their_lists_of_segments() {
    let paths = [
        "a", "a/b", "a/b/c", "a/b-c", "a/bc", "a!", "a-b", "a.b", "a0", "ab", "ab/c", "\u{e9}/a",
        "\u{e9}a",
    ];
    for left in paths {
        for right in paths {
            let expected = left.split('/').cmp(right.split('/'));
            assert_eq!(by_segments(left, right), expected, "{left} {right}");
        }
    }
}
