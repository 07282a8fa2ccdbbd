//! Every command of the README and of the guide is run, and prints what stands there.
//!
//! In a `console` block a line `$ COMMAND` is run by the shell, the lines behind it are what it prints, and `? CODE` is its
//! exit code where that is not 0. `…` stands for anything. A block behind `<!-- file: NAME -->` is written to that file first;
//! `<!-- needs: PROGRAM -->` skips the page where the program is absent, `<!-- needs: a closed network -->` where none can be
//! had; `<!-- build: ARGUMENTS -->` lets cargo build what it uses.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Step {
    command: String,
    output: String,
    code: i32,
}

enum Part {
    File(String, String),
    Step(Step),
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap()
}

/// A page, read.
#[derive(Default)]
struct Page {
    parts: Vec<Part>,
    /// Programs without which it is skipped.
    needs: Vec<String>,
    /// Arguments of `cargo build` for what it uses besides `lonis`.
    builds: Vec<String>,
}

/// Reads the parts of a page, in order.
fn parse(page: &str) -> Page {
    let Page {
        mut parts,
        mut needs,
        mut builds,
    } = Page::default();
    let mut lines = page.lines();
    let mut file = None;
    while let Some(line) = lines.next() {
        let directive =
            |name: &str| Some(line.strip_prefix(name)?.strip_suffix(" -->")?.to_owned());
        if let Some(name) = directive("<!-- file: ") {
            file = Some(name);
        } else if let Some(program) = directive("<!-- needs: ") {
            needs.push(program);
        } else if let Some(arguments) = directive("<!-- build: ") {
            builds.push(arguments);
        } else if let Some((fence, language)) = fence(line) {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != fence).collect();
            if let Some(name) = file.take() {
                parts.push(Part::File(name, body.join("\n") + "\n"));
            } else if language == "console" {
                parts.extend(steps(&body).into_iter().map(Part::Step));
            }
        }
    }
    Page {
        parts,
        needs,
        builds,
    }
}

/// Gives the marks that open a block, and its language; a block with blocks in it has tildes.
fn fence(line: &str) -> Option<(&'static str, &str)> {
    let mut fences = ["```", "~~~"].into_iter();
    fences.find_map(|fence| Some((fence, line.strip_prefix(fence)?)))
}

fn steps(lines: &[&str]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in lines {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step {
                command: command.to_owned(),
                output: String::new(),
                code: 0,
            });
        } else if let Some(step) = steps.last_mut() {
            match line.strip_prefix("? ") {
                Some(code) => step.code = code.parse().unwrap(),
                None => step.output.extend([*line, "\n"]),
            }
        }
    }
    steps
}

/// Runs a page's parts in one shell, since a variable that is set holds for what follows.
fn run(name: &str, page: &str, folder: &Path, skipped: &[&str]) {
    let Page {
        parts,
        needs,
        builds,
    } = parse(page);
    if let Some(absent) = needs.iter().find(|program| !is_there(program)) {
        println!("skipped: {name} needs `{absent}`, which this machine has not");
        return;
    }
    let programs = tempfile::tempdir().unwrap();
    place(programs.path(), Path::new(env!("CARGO_BIN_EXE_lonis")));
    for arguments in builds {
        let status = Command::new("cargo")
            .args(["build", "--quiet", "--locked"])
            .args(arguments.split_whitespace())
            .current_dir(repository())
            .status()
            .unwrap();
        assert!(status.success(), "{name}: cargo build {arguments}");
        if let Some(package) = program_of(&arguments) {
            place(
                programs.path(),
                &repository().join("target/debug").join(package),
            );
        }
    }
    let mut script = String::from("exec 2>&1\n");
    let mut wanted = Vec::new();
    for part in parts {
        match part {
            Part::File(file, text) => {
                let path = folder.join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            Part::Step(step) if skipped.contains(&step.command.as_str()) => {}
            Part::Step(step) => {
                script.extend([step.command.as_str(), "\nprintf '\\036%s\\036' \"$?\"\n"]);
                wanted.push(step);
            }
        }
    }
    let home = tempfile::tempdir().unwrap();
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder)
        .env("HOME", home.path())
        .env("LONIS_REPOSITORY", repository())
        .env("PATH", path_with(programs.path()))
        .env_remove("LONIS_PROVIDER_PATH")
        .env_remove("LONIS_CONFIG")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let mut said = said.split('\u{1e}');
    assert!(!wanted.is_empty(), "{name} has no command");
    for step in wanted {
        let (seen, code) = (said.next().unwrap(), said.next().unwrap());
        assert!(
            matches(&step.output, seen),
            "{name}: {}\nwanted:\n{}\nseen:\n{seen}",
            step.command,
            step.output
        );
        assert_eq!(
            code,
            step.code.to_string(),
            "{name}: {}\n{seen}",
            step.command
        );
    }
}

/// Says whether a program is on PATH, or whether one can be started where there is no network.
fn is_there(needed: &str) -> bool {
    if needed != "a closed network" {
        return lonis::process::Program::new(needed).resolve().is_ok();
    }
    let program = lonis::process::Program::new("true").without_network();
    lonis::process::run(&program, []).failure.is_none()
}

/// The program that arguments of `cargo build` make, if it is one to be called by its name.
fn program_of(arguments: &str) -> Option<&str> {
    let package = arguments.strip_prefix("-p ")?;
    (!package.contains(' ')).then_some(package)
}

/// Puts a program into a folder of its own: `lonis` looks beside itself, where programs stand that a page must not meet.
fn place(folder: &Path, program: &Path) {
    let target = folder.join(program.file_name().unwrap());
    if std::fs::hard_link(program, &target).is_err() {
        std::fs::copy(program, &target).unwrap();
    }
}

fn path_with(folder: &Path) -> std::ffi::OsString {
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_path_buf()).chain(std::env::split_paths(&rest));
    std::env::join_paths(folders).unwrap()
}

/// Whether a text is what is wanted, `…` standing for anything, line breaks included.
fn matches(wanted: &str, seen: &str) -> bool {
    let parts: Vec<&str> = wanted.split('…').collect();
    let (first, rest) = parts.split_first().unwrap();
    let Some(mut left) = seen.strip_prefix(first) else {
        return false;
    };
    if rest.is_empty() {
        return left.is_empty();
    }
    for (at, part) in rest.iter().enumerate() {
        if at + 1 == rest.len() {
            return left.ends_with(part);
        }
        let Some(found) = left.find(part) else {
            return false;
        };
        left = &left[found + part.len()..];
    }
    true
}

#[test]
fn the_guide() {
    let guide = repository().join("docs/src/guide");
    let mut pages: Vec<PathBuf> = std::fs::read_dir(&guide)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    pages.sort();
    assert!(pages.len() >= 5);
    for page in pages {
        let folder = tempfile::tempdir().unwrap();
        let text = std::fs::read_to_string(&page).unwrap();
        run(
            &page.file_name().unwrap().to_string_lossy(),
            &text,
            folder.path(),
            &[],
        );
    }
}

#[test]
fn the_readme() {
    let text = std::fs::read_to_string(repository().join("README.md")).unwrap();
    // The other command is the one that runs this test.
    run("README.md", &text, &repository(), &["cargo xtask check"]);
}

#[test]
fn anything_stands_for_anything() {
    for (wanted, seen, holds) in [
        ("a\n", "a\n", true),
        ("a\n", "b\n", false),
        ("a…c\n", "a b c\n", true),
        ("a…\n", "a b\nc\n", true),
        ("…\nb\n", "a\nb\n", true),
        ("a…b…c", "a x b y c", true),
        ("a…b…c", "a x c", false),
    ] {
        assert_eq!(matches(wanted, seen), holds, "{wanted:?} {seen:?}");
    }
}

#[test]
fn every_decision_is_in_the_book() {
    let page = std::fs::read_to_string(repository().join("docs/src/decisions.md")).unwrap();
    for entry in std::fs::read_dir(repository().join("docs/adr")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            page.contains(&format!("`{name}`")),
            "docs/src/decisions.md lacks `{name}`"
        );
    }
}
