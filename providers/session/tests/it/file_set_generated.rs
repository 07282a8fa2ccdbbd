//! File sets of generated repositories equal what git lists, what is added by the policy included.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use lonis_session::file_set::{self, FileSet, FileSetRules, Globs, Reason};

use crate::generated::{Draw, cases};
use crate::git::{Git, write};

/// Names of directories and files: some are ignored by some rule, some sort oddly beside others.
const NAMES: &[&str] = &[
    "a", "a.b", "a-b", "a0", "build", "deep", "doc", "gen", "keep.log", "log", "x.log", "y.o", "z",
    "Ü", ".hidden",
];

/// Ignore rules.
const RULES: &[&str] = &[
    "*.log",
    "!keep.log",
    "build/",
    "/gen",
    "gen/**",
    "**/deep/*.o",
    "doc/**/z",
    "a*",
    "!a.b",
    "[a-d]0",
    "*.O",
    "# words",
    "z/",
    "!z/",
    "/a/b/..",
    "\\!odd",
    "Ü",
    ".hidden",
];

/// A repository as its seed makes it.
struct Generated {
    git: Git,
    root: PathBuf,
    /// The repositories inside, as paths from the root.
    inside: Vec<String>,
}

impl Generated {
    fn new(seed: u64) -> Self {
        let mut draw = Draw::new(seed);
        let git = Git::new();
        let format = *draw.one(&[
            "--object-format=sha1",
            "--object-format=sha1",
            "--object-format=sha256",
        ]);
        let mut root = git.repository("r", &[format]);
        let version = *draw.one(&["2", "3", "4"]);
        git.run(&root, &["config", "index.version", version]);
        for (setting, value) in [
            ("core.fileMode", "false"),
            ("core.ignoreCase", "true"),
            ("index.skipHash", "true"),
        ] {
            if draw.once_in(3) {
                git.run(&root, &["config", setting, value]);
            }
        }
        plant(&root, &mut draw, 40);
        if draw.once_in(2) {
            write(&root, ".git/info/exclude", &rules(&mut draw));
        }
        if draw.once_in(3) {
            write(&git.path("home"), ".config/git/ignore", &rules(&mut draw));
        }
        track(&git, &root, &mut draw);
        let form = draw.below(8);
        match form {
            0 => split(&git, &root),
            1 => sparse(&git, &root, &mut draw),
            2 => root = worktree(&git, &root, &mut draw),
            3 => {
                git.run(&root, &["commit", "-qm", "x"]);
            }
            _ => {}
        }
        odd_names(&root, &mut draw);
        // A sparse working tree takes no new submodule.
        let inside = nest(&git, &root, &mut draw, format, form != 1);
        Self { git, root, inside }
    }

    fn set(&self, rules: &FileSetRules) -> FileSet {
        let directory = File::open(&self.root).unwrap();
        file_set::read(
            directory.as_fd(),
            &self.root,
            rules,
            &self.git.environment(),
        )
        .unwrap()
    }

    /// What git lists here and in each repository inside, which git names as a directory or does not name.
    fn listed(&self) -> Vec<String> {
        let mut all = self.git.listed(&self.root);
        for inside in &self.inside {
            let listed = self.git.listed(&self.root.join(inside));
            all.extend(listed.into_iter().map(|path| format!("{inside}/{path}")));
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}

fn rules(draw: &mut Draw) -> String {
    let count = 1 + draw.below(5);
    let end = if draw.once_in(5) { "\r\n" } else { "\n" };
    let lines: Vec<&str> = (0..count).map(|_| *draw.one(RULES)).collect();
    lines.join(end) + end
}

fn name(draw: &mut Draw, depth: usize) -> String {
    let segments: Vec<&str> = (0..=draw.below(depth)).map(|_| *draw.one(NAMES)).collect();
    segments.join("/")
}

/// Writes files and ignore rules; a name that is taken by something else is left out.
fn plant(root: &Path, draw: &mut Draw, count: usize) {
    for _ in 0..count {
        let path = root.join(name(draw, 4));
        let parent = path.parent().unwrap();
        if path.exists() || fs::create_dir_all(parent).is_err() {
            continue;
        }
        match draw.below(12) {
            0 => std::os::unix::fs::symlink("a", &path).unwrap(),
            1 => {
                let text = rules(draw);
                fs::write(parent.join(".gitignore"), text).unwrap();
            }
            _ => fs::write(&path, path.as_os_str().as_bytes()).unwrap(),
        }
    }
}

/// Tracks what is not ignored, some of what is, and takes some of it away again.
fn track(git: &Git, root: &Path, draw: &mut Draw) {
    if draw.once_in(2) {
        git.run(root, &["add", "-A"]);
    }
    let files = git.run(root, &["ls-files", "-z", "--others"]);
    let files: Vec<&str> = files
        .split(|byte| *byte == 0)
        .filter_map(|path| std::str::from_utf8(path).ok())
        .filter(|path| !path.is_empty())
        .collect();
    let forced: Vec<&str> = files.iter().copied().filter(|_| draw.once_in(4)).collect();
    if !forced.is_empty() {
        git.run(root, &[&["add", "-f", "--"], &*forced].concat());
    }
    for path in forced {
        match draw.below(6) {
            0 => fs::remove_file(root.join(path)).unwrap(),
            1 => {
                fs::remove_file(root.join(path)).unwrap();
                write(root, &format!("{path}/inside"), "");
            }
            _ => {}
        }
    }
}

fn split(git: &Git, root: &Path) {
    git.run(root, &["update-index", "--split-index"]);
    write(root, "after-split", "");
    git.run(root, &["add", "-f", "after-split"]);
    let link = fs::read(root.join(".git/index")).unwrap();
    assert!(
        memchr::memmem::find(&link, b"link").is_some(),
        "the index is not split"
    );
}

fn sparse(git: &Git, root: &Path, draw: &mut Draw) {
    git.run(root, &["commit", "-qm", "x", "--allow-empty"]);
    let format = *draw.one(&["true", "false"]);
    git.run(root, &["config", "index.sparse", format]);
    git.run(root, &["sparse-checkout", "set", "--cone", "a", "doc"]);
}

fn worktree(git: &Git, root: &Path, draw: &mut Draw) -> PathBuf {
    git.run(root, &["commit", "-qm", "x", "--allow-empty"]);
    let tree = git.path("tree");
    git.run(root, &["worktree", "add", "-q", tree.to_str().unwrap()]);
    plant(&tree, draw, 15);
    tree
}

fn odd_names(root: &Path, draw: &mut Draw) {
    for name in [
        b"odd-\xff".as_slice(),
        b"odd-\x01",
        b"odd\\name",
        b"odd name",
        b"!odd",
    ] {
        if draw.once_in(3) {
            fs::write(root.join(OsStr::from_bytes(name)), "").unwrap();
        }
    }
}

/// Makes repositories inside: one on its own, and one as a submodule.
fn nest(
    git: &Git,
    root: &Path,
    draw: &mut Draw,
    format: &str,
    may_have_submodule: bool,
) -> Vec<String> {
    let mut inside = Vec::new();
    if draw.once_in(3) {
        let path = root.join("nested");
        fs::create_dir_all(&path).unwrap();
        git.run(&path, &["init", "-q", format]);
        plant(&path, draw, 10);
        inside.push("nested".to_owned());
    }
    if may_have_submodule && draw.once_in(4) {
        let library = git.repository("library", &[format]);
        plant(&library, draw, 10);
        write(&library, "always", "");
        git.run(&library, &["add", "-f", "always"]);
        git.run(&library, &["commit", "-qam", "x"]);
        let url = library.to_str().unwrap();
        git.run(root, &["submodule", "--quiet", "add", "-f", url, "sub"]);
        plant(&root.join("sub"), draw, 10);
        inside.push("sub".to_owned());
    }
    inside
}

fn shown(set: &FileSet) -> Vec<String> {
    let odd = set.excluded.iter();
    let odd = odd.filter(|excluded| excluded.reason == Reason::Unrepresentable);
    let members = set.members.iter().map(|member| member.path.to_string());
    let mut all: Vec<String> = members
        .chain(odd.map(|excluded| excluded.path.clone()))
        .collect();
    all.sort_unstable();
    all
}

#[test]
fn generated_repositories_are_what_git_lists() {
    for seed in 0..cases(40, 400) {
        let generated = Generated::new(seed);
        let listed = generated.listed();
        let set = generated.set(&FileSetRules::default());
        assert_eq!(shown(&set), listed, "seed {seed}");
        let added = Globs::new(["gen/**", "**/x.log"]).unwrap();
        let is_added =
            |path: &str| path.starts_with("gen/") || path == "x.log" || path.ends_with("/x.log");
        let with = generated.set(&FileSetRules {
            add: added,
            ..FileSetRules::default()
        });
        let mut expected = listed;
        expected.extend(
            all_files(&generated.root)
                .into_iter()
                .filter(|path| is_added(path)),
        );
        expected.sort_unstable();
        expected.dedup();
        assert_eq!(shown(&with), expected, "seed {seed}, with added files");
    }
}

/// Every file and link that stands below a root, but for what belongs to git.
fn all_files(root: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            if entry.file_name() == ".git" {
                continue;
            }
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            } else {
                let path = entry.path();
                let path = path.strip_prefix(root).unwrap().as_os_str();
                files.push(lonis_session::path::escaped(path.as_bytes()));
            }
        }
    }
    files
}
