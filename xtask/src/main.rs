//! `cargo xtask`: what CI runs, the benchmark, the house rules and the generated files, as one program.

mod bench;
mod check;
mod clients;
mod command;
mod dist;
mod generate;
mod proof;
mod tidy;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  check [STEP…]   everything CI runs, in order; with names, only those steps
  check --list    the steps, a line each
  bench [--quick] [--group NAME] [--case TEXT] [--json] [--strict]
                  Lonis beside its peers, as ratios of one run; with `--strict` a target that is missed fails
  bench faults    how many planted faults are reported once and at their place, by kind
  bench repair    how many of them edits and parameters repair within two drafts, by kind
  bench repair-utility
                  how often a scripted agent repairs a failure by its text, by its entry and by the whole of it, and at what cost
  bench relevance how many cut calls are fitted from callees by relevance, and by path
  bench outside [FOLDER]
                  whether a project that others wrote has the verdict that is known
  dist            the program `lonis`, linked statically
  dist --order    the same, after finding out anew which functions its commonest commands run
  generate        the pages of the reference that are written from the source
  generate --check
                  fails where one of them is out of date
  proof [WORD…]   what the tests of a change run a sample of, in full; with words, only the proofs whose tests they name
  tidy            the house rules that no lint can say
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = words.split_first() else {
        return usage();
    };
    let root = workspace::root();
    let result = match name.as_str() {
        "bench" => bench::run(&root, rest),
        "check" => check::run(&root, rest),
        "dist" => dist::run(&root, rest),
        "generate" => generate::run(&root, rest),
        "proof" => proof::run(&root, rest),
        "tidy" => tidy::run(&root),
        _ => return usage(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            command::say(&format!("xtask {name}: {failure}"));
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    command::say(USAGE);
    ExitCode::from(2)
}
