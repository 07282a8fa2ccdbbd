//! `cargo xtask check`: everything CI runs, a step at a time, with the time each took.
//!
//! It installs nothing but the clients that the MCP server is tried with, below the target folder. A step whose program is absent says `skipped` with the reason and does not fail.

use std::path::Path;
use std::time::Instant;

use crate::command::{self, Failure, present, say};
use crate::{clients, generate, tidy};

/// How a step ended when it did not fail.
enum Done {
    Held,
    Skipped(&'static str),
}

struct Step {
    name: &'static str,
    about: &'static str,
    run: fn(&Path) -> Result<Done, Failure>,
}

/// Cheap steps first, so that a slip shows at once.
const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        about: "every file is formatted",
        run: fmt,
    },
    Step {
        name: "tidy",
        about: "the house rules hold",
        run: house_rules,
    },
    Step {
        name: "clippy",
        about: "no lint speaks up",
        run: clippy,
    },
    Step {
        name: "features",
        about: "each feature builds alone, and none",
        run: features,
    },
    Step {
        name: "test",
        about: "all tests pass",
        run: test,
    },
    Step {
        name: "json",
        about: "the wire contract is the same with each feature of serde_json",
        run: json_builds,
    },
    Step {
        name: "doc",
        about: "the documentation builds without a warning",
        run: doc,
    },
    Step {
        name: "interop",
        about: "the published crates read what is written here",
        run: interop,
    },
    Step {
        name: "clients",
        about: "the official MCP clients work with the server",
        run: mcp_clients,
    },
    Step {
        name: "fuzz",
        about: "the fuzz targets build",
        run: fuzz,
    },
    Step {
        name: "generate",
        about: "the generated pages say what the source says",
        run: generated,
    },
    Step {
        name: "book",
        about: "the book builds",
        run: book,
    },
    Step {
        name: "deny",
        about: "licences and sources are allowed",
        run: deny,
    },
];

pub(crate) fn run(root: &Path, words: &[String]) -> Result<(), Failure> {
    if words.iter().any(|word| word == "--list") {
        for step in STEPS {
            say(&format!("{:<10} {}", step.name, step.about));
        }
        return Ok(());
    }
    if let Some(unknown) = words
        .iter()
        .find(|word| STEPS.iter().all(|step| step.name != **word))
    {
        return Err(Failure::Found(format!(
            "no step is called `{unknown}`; see `cargo xtask check --list`"
        )));
    }
    let chosen: Vec<&Step> = STEPS
        .iter()
        .filter(|step| words.is_empty() || words.iter().any(|word| word == step.name))
        .collect();
    let start = Instant::now();
    let mut skipped = 0;
    for (at, step) in chosen.iter().enumerate() {
        say(&format!(
            "── {} of {}: {} ({})",
            at + 1,
            chosen.len(),
            step.name,
            step.about
        ));
        let began = Instant::now();
        match (step.run)(root)? {
            Done::Held => say(&format!(
                "   {} holds, {:.1} s",
                step.name,
                began.elapsed().as_secs_f64()
            )),
            Done::Skipped(why) => {
                skipped += 1;
                say(&format!("   {} skipped: {why}", step.name));
            }
        }
    }
    say(&format!(
        "check: {} steps held, {skipped} skipped, {:.0} s",
        chosen.len() - skipped,
        start.elapsed().as_secs_f64()
    ));
    Ok(())
}

fn cargo(root: &Path, args: &[&str]) -> Result<Done, Failure> {
    command::run(root, "cargo", args, &[]).map(|()| Done::Held)
}

fn fmt(root: &Path) -> Result<Done, Failure> {
    cargo(root, &["fmt", "--all", "--", "--check"])
}

fn house_rules(root: &Path) -> Result<Done, Failure> {
    tidy::run(root).map(|()| Done::Held)
}

fn clippy(root: &Path) -> Result<Done, Failure> {
    cargo(
        root,
        &[
            "clippy",
            "--locked",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--",
            "-D",
            "warnings",
        ],
    )
}

/// Features only add: each crate that has some builds with none, and with each alone.
fn features(root: &Path) -> Result<Done, Failure> {
    let variants: &[(&str, &[&str])] = &[
        ("lonis-schema", &["", "derive"]),
        ("lonis-core", &["", "futures"]),
        ("lonis", &["", "core", "derive", "futures"]),
    ];
    for (package, names) in variants {
        for name in *names {
            cargo(
                root,
                &[
                    "check",
                    "--locked",
                    "-p",
                    package,
                    "--no-default-features",
                    "--features",
                    name,
                ],
            )?;
        }
    }
    Ok(Done::Held)
}

fn test(root: &Path) -> Result<Done, Failure> {
    cargo(
        root,
        &[
            "test",
            "--locked",
            "--workspace",
            "--all-features",
            "--no-fail-fast",
        ],
    )
}

/// Any crate of a build may switch these on for all: no text, value or hash may change with them.
fn json_builds(root: &Path) -> Result<Done, Failure> {
    for features in [
        "serde_json/preserve_order",
        "serde_json/arbitrary_precision,serde_json/unbounded_depth",
    ] {
        cargo(
            root,
            &[
                "test",
                "--locked",
                "-p",
                "lonis-schema",
                "--lib",
                "--test",
                "it",
                "--features",
                features,
            ],
        )?;
    }
    Ok(Done::Held)
}

fn doc(root: &Path) -> Result<Done, Failure> {
    let args = [
        "doc",
        "--locked",
        "--workspace",
        "--all-features",
        "--no-deps",
        "--document-private-items",
    ];
    command::run(root, "cargo", &args, &[("RUSTDOCFLAGS", "-D warnings")]).map(|()| Done::Held)
}

fn interop(root: &Path) -> Result<Done, Failure> {
    if !root.join("golden/interop/Cargo.toml").is_file() {
        return Ok(Done::Skipped("golden/interop is not in this checkout"));
    }
    cargo(
        root,
        &[
            "test",
            "--locked",
            "--manifest-path",
            "golden/interop/Cargo.toml",
        ],
    )
}

/// The only step that installs something: two clients, once, below the target folder.
fn mcp_clients(root: &Path) -> Result<Done, Failure> {
    match clients::run(root)? {
        0 => Ok(Done::Skipped("no client could be had")),
        _ => Ok(Done::Held),
    }
}

/// Without the fuzzer itself, so that no nightly and no C++ compiler is needed; their laws run with the tests.
fn fuzz(root: &Path) -> Result<Done, Failure> {
    cargo(
        root,
        &[
            "check",
            "--locked",
            "--manifest-path",
            "xtask/fuzz/Cargo.toml",
            "--no-default-features",
        ],
    )
}

fn generated(root: &Path) -> Result<Done, Failure> {
    generate::run(root, &["--check".to_owned()]).map(|()| Done::Held)
}

fn book(root: &Path) -> Result<Done, Failure> {
    if !present(root, "mdbook", &["--version"]) {
        return Ok(Done::Skipped("mdbook is not installed"));
    }
    command::run(root, "mdbook", &["build", "docs"], &[]).map(|()| Done::Held)
}

fn deny(root: &Path) -> Result<Done, Failure> {
    if !present(root, "cargo", &["deny", "--version"]) {
        return Ok(Done::Skipped("cargo-deny is not installed"));
    }
    // Advisories need a database from the network, which the check does without.
    cargo(
        root,
        &["deny", "--offline", "check", "bans", "licenses", "sources"],
    )
}
