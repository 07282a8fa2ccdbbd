//! The official clients of the Model Context Protocol against the server: installed once, below `target`.

use std::path::Path;
use std::time::Duration;

use crate::command::{self, Failure, present, say};
use crate::dist;

/// The Python client; another version is another folder.
const PYTHON: &str = "mcp==2.3.0";
/// The TypeScript client.
const TYPESCRIPT: &str = "@modelcontextprotocol/sdk@1.32.2";
/// How long an installation may take before its registry counts as out of reach.
const PATIENCE: Duration = Duration::from_mins(2);
/// The ways in which the Python client may begin: with a handshake, by asking, and without.
const MODES: [&str; 3] = ["legacy", "auto", "2026-07-28"];

/// Runs every client that can be had, and returns how many.
pub(crate) fn run(root: &Path) -> Result<usize, Failure> {
    // As the tests build it, so that after them there is nothing to build.
    let args = [
        "build",
        "--locked",
        "--workspace",
        "--all-features",
        "--bins",
    ];
    command::run(root, "cargo", &args, &[])?;
    let target = dist::target(root)?;
    let program = target.join("debug/lonis-mcp").display().to_string();
    let folder = target.join("mcp-clients");
    let mut ran = 0;
    if let Some(python) = python(root, &folder.join("python")) {
        for mode in MODES {
            let args = ["providers/mcp/tests/peers/client.py", &program, mode];
            command::run(root, &python, &args, &[])?;
        }
        ran += 1;
    }
    if let Some(packages) = typescript(root, &folder.join("typescript")) {
        let args = ["providers/mcp/tests/peers/client.mjs", &program, &packages];
        command::run(root, "node", &args, &[])?;
        ran += 1;
    }
    Ok(ran)
}

/// Returns the interpreter that has the Python client.
fn python(root: &Path, folder: &Path) -> Option<String> {
    let place = folder.display().to_string();
    let python = folder.join("bin/python").display().to_string();
    if is_installed(folder, PYTHON) {
        return Some(python);
    }
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        // A registry that cannot be reached is told soon.
        "--retries=1",
        "--timeout=20",
        PYTHON,
    ];
    let made = command::run(root, "python3", &["-m", "venv", "--clear", &place], &[])
        .and_then(|()| command::run_within(root, &python, &install, PATIENCE));
    installed(made, folder, PYTHON).then_some(python)
}

/// Returns the folder whose `node_modules` holds the TypeScript client.
fn typescript(root: &Path, folder: &Path) -> Option<String> {
    let place = folder.display().to_string();
    if !present(root, "node", &["--version"]) || !present(root, "npm", &["--version"]) {
        say("   the TypeScript client is absent: Node.js with npm is not installed");
        return None;
    }
    if is_installed(folder, TYPESCRIPT) {
        return Some(place);
    }
    let args = [
        "install",
        "--silent",
        "--no-audit",
        "--no-fund",
        "--fetch-retries=1",
        "--fetch-timeout=20000",
        "--prefix",
        &place,
        TYPESCRIPT,
    ];
    installed(
        command::run_within(root, "npm", &args, PATIENCE),
        folder,
        TYPESCRIPT,
    )
    .then_some(place)
}

/// Whether a folder was made for this version, to its end.
fn is_installed(folder: &Path, version: &str) -> bool {
    std::fs::read_to_string(folder.join("installed")).is_ok_and(|seen| seen == version)
}

/// Marks a folder as made; what cannot be had is absent, and the check says so.
fn installed(made: Result<(), Failure>, folder: &Path, version: &str) -> bool {
    let marked = made.and_then(|()| {
        let path = folder.join("installed");
        std::fs::write(&path, version).map_err(|source| Failure::File {
            path: path.display().to_string(),
            source,
        })
    });
    match marked {
        Ok(()) => true,
        Err(failure) => {
            say(&format!(
                "   `{version}` is absent, since its registry cannot be reached or it cannot be installed: {failure}"
            ));
            false
        }
    }
}
