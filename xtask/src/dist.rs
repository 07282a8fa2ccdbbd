//! `cargo xtask dist`: the program `lonis` as it is given away, linked statically.

#[cfg(target_os = "linux")]
mod order;

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{self, Failure, say};

/// Builds the program and says where it is; with `--order` it first finds out anew what stands side by side in it.
pub(crate) fn run(root: &Path, words: &[String]) -> Result<(), Failure> {
    match words {
        [] => {}
        #[cfg(target_os = "linux")]
        [word] if word == "--order" => order::write(root)?,
        _ => {
            let line = words.join(" ");
            return Err(Failure::Found(format!("`dist` takes no `{line}` here")));
        }
    }
    let program = build(root)?;
    say(&format!("{}", program.display()));
    Ok(())
}

/// Builds the program and returns its path.
pub(crate) fn build(root: &Path) -> Result<PathBuf, Failure> {
    #[cfg(target_os = "linux")]
    {
        let script = order::script(root).display().to_string();
        // Before it the linker is told what is said about a script: it only adds to the layout that the linker has.
        let option = format!("link-arg=-Wl,-T,{script}");
        build_with(root, &["-C", &option])
    }
    #[cfg(not(target_os = "linux"))]
    build_with(root, &[])
}

/// Builds the program with further options of its linkage.
fn build_with(root: &Path, options: &[&str]) -> Result<PathBuf, Failure> {
    // As flags of this one program: as flags of the whole build they would break procedural macros. A fixed address
    // spares every start thousands of relocations, and the pages that they would be written to.
    let linkage = [
        "--",
        "-C",
        "target-feature=+crt-static",
        "-C",
        "relocation-model=static",
    ];
    let mut arguments = vec!["rustc", "--locked", "-p", "lonis-cli", "--bin", "lonis"];
    arguments.extend(["--profile", "dist"]);
    if cfg!(target_os = "linux") {
        arguments.extend(linkage);
        arguments.extend(options);
    }
    command::run(root, "cargo", &arguments, &[])?;
    let program = target(root)?.join("dist/lonis");
    settle(&program)?;
    Ok(program)
}

/// Puts a copy in the place of a program that was just linked.
///
/// A linker writes a file in many small pieces, and as such it stays in memory: a program of some megabytes then takes half
/// as long again to start as its copy, which is what an installation makes of it.
fn settle(program: &Path) -> Result<(), Failure> {
    let copy = program.with_extension("copy");
    let settled = fs::copy(program, &copy).and_then(|_| fs::rename(&copy, program));
    settled.map_err(|source| Failure::File {
        path: copy.display().to_string(),
        source,
    })
}

/// Builds a provider of ours as `cargo install` does, and returns its path.
pub(crate) fn release(root: &Path, package: &str) -> Result<PathBuf, Failure> {
    let arguments = ["build", "--locked", "--release", "-p", package];
    command::run(root, "cargo", &arguments, &[])?;
    Ok(target(root)?.join("release").join(package))
}

/// Returns the folder that cargo builds the workspace into.
pub(crate) fn target(root: &Path) -> Result<PathBuf, Failure> {
    let text = command::output(
        root,
        "cargo",
        &["metadata", "--no-deps", "--format-version", "1"],
    )?;
    let place = text
        .split_once(r#""target_directory":""#)
        .and_then(|(_, rest)| rest.split_once('"'));
    match place {
        Some((path, _)) => Ok(PathBuf::from(path)),
        None => Err(Failure::Found(
            "`cargo metadata` names no target folder".to_owned(),
        )),
    }
}
