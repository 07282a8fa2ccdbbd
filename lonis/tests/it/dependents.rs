//! Derived code compiles for a crate that depends on the facade alone, on the schema crate alone, or on either by another
//! name; it warns about nothing there.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const VERTICAL: &str = include_str!("../dependents/vertical.rs");

/// A crate with one dependency.
struct Dependent {
    name: &'static str,
    /// The crate it depends on, and the folder of that.
    package: &'static str,
    /// The name by which it calls that crate.
    called: &'static str,
}

const DEPENDENTS: [Dependent; 3] = [
    Dependent {
        name: "facade-alone",
        package: "lonis",
        called: "lonis",
    },
    Dependent {
        name: "schema-alone",
        package: "lonis-schema",
        called: "lonis_schema",
    },
    Dependent {
        name: "facade-renamed",
        package: "lonis",
        called: "harness",
    },
];

#[test]
fn one_dependency_is_enough() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dependents");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let root = root.expect("the crate stands in the workspace");
    write(&folder.join("Cargo.toml"), &workspace());
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    for dependent in &DEPENDENTS {
        let crate_folder = folder.join(dependent.name);
        write(&crate_folder.join("Cargo.toml"), &dependent.manifest(root));
        write(&crate_folder.join("src/lib.rs"), &dependent.source());
    }
    let output = check(&folder).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
}

fn workspace() -> String {
    let members: Vec<&str> = DEPENDENTS.iter().map(|dependent| dependent.name).collect();
    format!("[workspace]\nresolver = \"3\"\nmembers = {members:?}\n")
}

impl Dependent {
    fn manifest(&self, root: &Path) -> String {
        let Self {
            name,
            package,
            called,
        } = self;
        let path = root.join(package).display().to_string();
        format!(
            "[package]\nname = {name:?}\nedition = \"2024\"\n\n[dependencies]\n\
             {called} = {{ package = {package:?}, path = {path:?}, default-features = false, \
             features = [\"derive\"] }}\n"
        )
    }

    /// The vertical, with its dependency called as this crate calls it. What the macros write by themselves is wrong for
    /// a crate that was renamed, so that one says its name.
    fn source(&self) -> String {
        let source = VERTICAL.replace("::lonis::", &format!("::{}::", self.called));
        if self.called.starts_with("lonis") {
            return source;
        }
        let choice = format!("crate = \"::{}\", ", self.called);
        source
            .replace("#[lonis(", &format!("#[lonis({choice}"))
            .replace("#[lonis_payload(", &format!("#[lonis_payload({choice}"))
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test asks cargo whether a crate compiles"
)]
fn check(folder: &PathBuf) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args(["check", "--quiet", "--workspace", "--offline"])
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .current_dir(folder);
    command
}

fn write(path: &Path, text: &str) {
    let folder = path.parent().expect("a file stands in a folder");
    fs::create_dir_all(folder).expect("the target folder can be written");
    fs::write(path, text).expect("the target folder can be written");
}
