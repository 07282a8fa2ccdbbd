//! File sets equal what git prints.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use lonis_session::file_set::{
    self, BoundaryKind, FileSet, FileSetError, FileSetRules, Globs, LinkRule, NestedRule,
    OddNameRule, Reason, Source,
};

use crate::git::{Git, write};

fn read(git: &Git, root: &Path, rules: &FileSetRules) -> Result<FileSet, FileSetError> {
    let directory = File::open(root).unwrap();
    file_set::read(directory.as_fd(), root, rules, &git.environment())
}

fn set(git: &Git, root: &Path) -> FileSet {
    read(git, root, &FileSetRules::default()).unwrap()
}

fn paths(set: &FileSet) -> Vec<String> {
    set.members
        .iter()
        .map(|member| member.path.to_string())
        .collect()
}

fn reasons(set: &FileSet) -> BTreeMap<String, Reason> {
    set.excluded
        .iter()
        .map(|excluded| (excluded.path.clone(), excluded.reason))
        .collect()
}

/// Asserts that members and unrepresentable names are together what git lists.
fn assert_as_git(git: &Git, root: &Path, what: &str) {
    let set = set(git, root);
    let odd = set
        .excluded
        .iter()
        .filter(|excluded| excluded.reason == Reason::Unrepresentable)
        .map(|excluded| excluded.path.clone());
    let mut found: Vec<String> = paths(&set).into_iter().chain(odd).collect();
    found.sort_unstable();
    assert_eq!(found, git.listed(root), "{what}");
}

/// A tree with most kinds of ignore rules, tracked and untracked files on both sides of each.
fn plant(git: &Git, root: &Path) {
    for (path, text) in [
        (
            ".gitignore",
            "*.log\n!keep.log\n/top\nbuild/\n**/deep/*.x\ndoc/**/tmp\n\\#odd\ntrail \\ \n{a,b}\n*.CASE\r\n[Mm]ixed\n/abs/only/\n",
        ),
        ("sub/.gitignore", "!*.log\n/here\nnested/*\n!nested/kept\n"),
        ("sub/nested/dropped", ""),
        ("sub/nested/kept", ""),
        ("sub/a.log", ""),
        ("sub/here", ""),
        ("sub/below/here", ""),
        ("a.log", ""),
        ("keep.log", ""),
        ("forced.log", ""),
        ("top", ""),
        ("x/top", ""),
        ("build/out", ""),
        ("build/forced", ""),
        ("build/inner/forced", ""),
        ("x/build/out", ""),
        ("q/deep/f.x", ""),
        ("q/deep/f.y", ""),
        ("doc/a/b/tmp", ""),
        ("doc/tmp", ""),
        ("#odd", ""),
        ("trail  ", ""),
        ("{a,b}", ""),
        ("a", ""),
        ("b", ""),
        ("f.CASE", ""),
        ("f.case", ""),
        ("mixed", ""),
        ("abs/only/f", ""),
        ("z/abs/only/f", ""),
        (".hidden/file", ""),
        ("by-exclude", ""),
        ("by-user", ""),
        ("x.y", ""),
        ("x-y/file", ""),
        ("x0", ""),
        ("gone", ""),
        ("became-directory", ""),
        ("dir-became-file/x", ""),
        ("é/ü", ""),
    ] {
        write(root, path, text);
    }
    write(root, ".git/info/exclude", "by-exclude\n");
    write(&git.path("home"), ".config/git/ignore", "by-user\n");
    symlink("keep.log", root.join("link")).unwrap();
    symlink("sub", root.join("linked-directory")).unwrap();
    symlink("nowhere", root.join("broken")).unwrap();
    let add = [
        "add",
        "-f",
        "forced.log",
        "build/forced",
        "build/inner/forced",
        "x",
        "x.y",
        "x-y",
    ];
    git.run(root, &add);
    git.run(
        root,
        &[
            "add",
            "gone",
            "became-directory",
            "dir-became-file",
            "sub/below",
        ],
    );
    fs::remove_file(root.join("gone")).unwrap();
    fs::remove_file(root.join("became-directory")).unwrap();
    write(root, "became-directory/inside", "");
    fs::remove_dir_all(root.join("dir-became-file")).unwrap();
    write(root, "dir-became-file", "");
    for name in [b"not-utf8-\xff".as_slice(), b"control-\x01", b"back\\slash"] {
        fs::write(root.join(OsStr::from_bytes(name)), "").unwrap();
    }
}

#[test]
fn the_set_is_what_git_lists_for_every_kind_of_index() {
    for format in ["sha1", "sha256"] {
        for version in ["2", "3", "4"] {
            let git = Git::new();
            let root = git.repository("r", &[&format!("--object-format={format}")]);
            git.run(&root, &["config", "index.version", version]);
            plant(&git, &root);
            write(&root, "intended", "");
            git.run(&root, &["add", "-N", "intended"]);
            git.run(&root, &["update-index", "--index-version", version]);
            assert_as_git(&git, &root, &format!("{format}, version {version}"));
            git.run(&root, &["commit", "-qm", "x"]);
            assert_as_git(
                &git,
                &root,
                &format!("{format}, version {version}, committed"),
            );
        }
    }
}

#[test]
fn a_directory_below_the_top_has_the_rules_above_it() {
    let git = Git::new();
    let root = git.repository("r", &[]);
    plant(&git, &root);
    for below in ["sub", "x", "q/deep", "build", "build/inner", "doc"] {
        assert_as_git(&git, &root.join(below), below);
    }
}

#[test]
fn worktrees_and_settings_count_as_for_git() {
    let git = Git::new();
    let root = git.repository("r", &[]);
    plant(&git, &root);
    git.run(&root, &["commit", "-qm", "x"]);
    let tree = git.path("tree");
    git.run(&root, &["worktree", "add", "-q", tree.to_str().unwrap()]);
    write(&tree, "by-exclude", "");
    write(&tree, "new", "");
    assert_as_git(&git, &tree, "worktree");
    write(&git.path("home"), "mine", "*.new\n");
    write(
        &git.path("home"),
        ".gitconfig",
        "[core]\n\texcludesFile = ~/mine\n",
    );
    write(&root, "x.new", "");
    assert_as_git(&git, &root, "excludes file of the user");
    git.run(&root, &["config", "core.ignoreCase", "true"]);
    write(&root, "X.LOG", "");
    assert_as_git(&git, &root, "case");
    let merge = git.repository("m", &[]);
    write(&merge, "f", "1");
    git.run(&merge, &["add", "."]);
    git.run(&merge, &["commit", "-qm", "1"]);
    git.run(&merge, &["checkout", "-qb", "other"]);
    write(&merge, "f", "2");
    git.run(&merge, &["commit", "-qam", "2"]);
    git.run(&merge, &["checkout", "-q", "main"]);
    write(&merge, "f", "3");
    git.run(&merge, &["commit", "-qam", "3"]);
    git.run(&merge, &["read-tree", "-m", "HEAD~1", "HEAD", "other"]);
    assert_as_git(&git, &merge, "conflict");
}

#[test]
fn repositories_inside_are_joined_and_their_own_files_never_read() {
    let git = Git::new();
    let library = git.repository("library", &[]);
    write(&library, "lib.c", "x");
    git.run(&library, &["add", "."]);
    git.run(&library, &["commit", "-qm", "x"]);
    let root = git.repository("r", &[]);
    write(&root, ".gitignore", "*.o\nignored/\n");
    write(&root, "main.c", "");
    let url = library.to_str().unwrap();
    git.run(&root, &["submodule", "--quiet", "add", url, "sub"]);
    git.run(&root, &["submodule", "--quiet", "add", url, "empty"]);
    git.run(&root, &["commit", "-qm", "x"]);
    git.run(&root, &["submodule", "--quiet", "deinit", "empty"]);
    for nested in ["a/one", "a/one/two", "a/one/two/three", "ignored/four"] {
        let path = root.join(nested);
        fs::create_dir_all(&path).unwrap();
        git.run(&path, &["init", "-q"]);
        write(&path, ".gitignore", "*.local\n");
        write(&path, "kept.o", "");
        write(&path, "dropped.local", "");
    }
    fs::create_dir_all(root.join("fake/.git")).unwrap();
    write(&root, "fake/file", "");
    let mut expected = git.listed(&root);
    for inside in ["sub", "a/one", "a/one/two", "a/one/two/three"] {
        let listed = git.listed(&root.join(inside));
        expected.extend(listed.into_iter().map(|path| format!("{inside}/{path}")));
    }
    expected.sort_unstable();
    expected.dedup();
    let found = set(&git, &root);
    assert_eq!(paths(&found), expected);
    assert!(
        found
            .members
            .iter()
            .all(|member| !member.path.is_reserved())
    );
    let head = String::from_utf8(git.run(&library, &["rev-parse", "HEAD"])).unwrap();
    let boundaries: Vec<_> = found
        .boundaries
        .iter()
        .map(|boundary| {
            (
                boundary.path.as_str(),
                boundary.kind,
                boundary.commit.as_deref(),
            )
        })
        .collect();
    let nested = |path| (path, BoundaryKind::NestedRepository, None);
    let submodule = |path| (path, BoundaryKind::Submodule, Some(head.trim()));
    assert_eq!(
        boundaries,
        [
            nested("a/one"),
            nested("a/one/two"),
            nested("a/one/two/three"),
            submodule("empty"),
            submodule("sub"),
        ]
    );
    assert_eq!(reasons(&found)["empty"], Reason::Submodule);
    let skipped = FileSetRules {
        nested: NestedRule::Skip,
        ..FileSetRules::default()
    };
    let found = read(&git, &root, &skipped).unwrap();
    assert_eq!(paths(&found), git.listed(&root));
    assert_eq!(reasons(&found)["sub"], Reason::Submodule);
    assert_eq!(reasons(&found)["a/one"], Reason::NestedRepository);
}

#[test]
fn what_the_working_tree_leaves_out_is_reported() {
    for sparse_index in ["false", "true"] {
        let git = Git::new();
        let root = git.repository("r", &[]);
        for path in ["a/f", "b/c/f", "b/d/f", "top"] {
            write(&root, path, "");
        }
        git.run(&root, &["add", "."]);
        git.run(&root, &["commit", "-qm", "x"]);
        git.run(&root, &["config", "index.sparse", sparse_index]);
        git.run(&root, &["sparse-checkout", "set", "--cone", "a"]);
        write(&root, "b/c/untracked", "");
        let found = set(&git, &root);
        assert_eq!(paths(&found), ["a/f", "b/c/untracked", "top"]);
        let sparse = found
            .excluded
            .iter()
            .filter(|excluded| excluded.reason == Reason::Sparse);
        assert!(sparse.count() > 0, "index.sparse {sparse_index}");
    }
}

#[test]
fn without_git_the_ignore_rules_hold_and_every_other_rule_too() {
    let git = Git::new();
    let root = git.path("plain");
    for path in [
        "a",
        "x.log",
        "d/e",
        "vendor/v",
        "gen/out",
        "gen/more/out",
        "logs/x",
        "lonis-session.toml",
    ] {
        write(&root, path, path);
    }
    write(
        &root,
        ".gitignore",
        "*.log\ngen/\nlogs/\nlonis-session.toml\n",
    );
    write(&root, ".lonis/session/x", "");
    fs::create_dir(root.join("void")).unwrap();
    symlink("a", root.join("l")).unwrap();
    assert_eq!(
        paths(&set(&git, &root)),
        [
            ".gitignore",
            "a",
            "d/e",
            "l",
            "lonis-session.toml",
            "vendor/v"
        ]
    );
    let rules = FileSetRules {
        exclude: Globs::new(["vendor/", "d/*", "lonis-session.toml"]).unwrap(),
        add: Globs::new(["gen/**"]).unwrap(),
        links: LinkRule::Skip,
        max_file_bytes: 40,
        ..FileSetRules::default()
    };
    write(&root, "large", &"x".repeat(41));
    let found = read(&git, &root, &rules).unwrap();
    assert_eq!(
        paths(&found),
        [
            ".gitignore",
            "a",
            "gen/more/out",
            "gen/out",
            "lonis-session.toml"
        ]
    );
    let expected = [
        ("d/e", Reason::Excluded),
        ("l", Reason::LinkSkipped),
        ("large", Reason::TooLarge),
        ("vendor", Reason::Excluded),
        ("void", Reason::EmptyDirectory),
    ];
    let expected = expected.map(|(path, reason)| (path.to_owned(), reason));
    assert_eq!(reasons(&found), BTreeMap::from(expected));
    let narrowed = FileSetRules {
        include: Globs::new(["d/**"]).unwrap(),
        ..FileSetRules::default()
    };
    let found = read(&git, &root, &narrowed).unwrap();
    assert_eq!(paths(&found), ["d/e", "lonis-session.toml"]);
    for (rules, expected) in [
        (
            FileSetRules {
                source: Source::Git,
                ..FileSetRules::default()
            },
            "no repository",
        ),
        (
            FileSetRules {
                links: LinkRule::Refuse,
                ..FileSetRules::default()
            },
            "`l` is a link",
        ),
        (
            FileSetRules {
                max_files: 5,
                ..FileSetRules::default()
            },
            "at least 6 files",
        ),
        (
            FileSetRules {
                max_bytes: 50,
                ..FileSetRules::default()
            },
            "`files.max_bytes` is 50",
        ),
    ] {
        let error = read(&git, &root, &rules).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn odd_names_and_special_files_stop_nothing() {
    let git = Git::new();
    let root = git.path("plain");
    write(&root, "aux.c", "");
    write(&root, "a:b", "");
    write(&root, "dot.", "");
    let odd = [
        b"\xff".as_slice(),
        b"\xc3",
        b"a\\b",
        b"\x01",
        b"\x7f",
        b"x\n",
        b".GIT",
        b"\xc2\x85",
    ];
    for name in odd {
        fs::write(root.join(OsStr::from_bytes(name)), "").unwrap();
    }
    fs::create_dir(root.join(OsStr::from_bytes(b"d\xff"))).unwrap();
    fs::write(root.join(OsStr::from_bytes(b"d\xff/x")), "").unwrap();
    let socket = std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap();
    let found = set(&git, &root);
    drop(socket);
    assert_eq!(paths(&found), ["a:b", "aux.c", "dot."]);
    let unrepresentable: Vec<_> = found
        .excluded
        .iter()
        .filter(|excluded| excluded.reason == Reason::Unrepresentable)
        .collect();
    assert_eq!(unrepresentable.len(), odd.len() + 1);
    assert!(unrepresentable.iter().all(|excluded| excluded.id.is_some()));
    assert_eq!(reasons(&found)["socket"], Reason::Special);
    let refused = FileSetRules {
        odd_names: OddNameRule::Refuse,
        ..FileSetRules::default()
    };
    assert!(matches!(
        read(&git, &root, &refused),
        Err(FileSetError::Path(_))
    ));
}

#[test]
fn the_bit_of_the_index_counts_where_the_file_system_has_none() {
    let git = Git::new();
    let root = git.repository("r", &[]);
    write(&root, "run", "");
    write(&root, "plain", "");
    git.run(&root, &["add", "."]);
    git.run(&root, &["update-index", "--chmod=+x", "run"]);
    fs::set_permissions(root.join("plain"), fs::Permissions::from_mode(0o755)).unwrap();
    let bits = |set: FileSet| {
        set.members
            .iter()
            .map(|member| member.executable)
            .collect::<Vec<_>>()
    };
    assert_eq!(bits(set(&git, &root)), [true, false]);
    git.run(&root, &["config", "core.fileMode", "false"]);
    assert_eq!(bits(set(&git, &root)), [false, true]);
}

#[test]
fn a_home_directory_and_the_file_system_are_no_roots() {
    let git = Git::new();
    for (path, expected) in [
        (git.path("home"), "home directory"),
        ("/".into(), "root of the file system"),
        (git.path("none"), "not found"),
    ] {
        let error = file_set::check_root(&path, &git.environment()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
    assert!(file_set::check_root(&git.repository("r", &[]), &git.environment()).is_ok());
}
