//! Whole processes: our program beside linters on a Python project of the same shape.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::checking::{CALLEES, DEFINITIONS};
use super::generated::{write_python, write_soil};
use crate::case::{Case, Clock};
use crate::kit::Kit;

const OURS: &str = "ours: `soil check`, cold, a line";

pub(super) fn cases(kit: &Kit, absent: &mut Vec<String>) -> Vec<Case> {
    let (soil, one, python) = (
        kit.subfolder("soil-thousand"),
        kit.subfolder("soil-one"),
        kit.subfolder("python-thousand"),
    );
    let written = write_soil(&soil, DEFINITIONS, DEFINITIONS)
        .and_then(|()| write_soil(&one, CALLEES + 1, 1))
        .and_then(|()| write_python(&python, DEFINITIONS));
    let Ok(python_lines) = written else {
        absent.push("projects on disk, which cannot be written".to_owned());
        return Vec::new();
    };
    let mut cases = Vec::new();
    if let Some(checker) = &kit.checker {
        let words = ["soil", "check", "program.json"];
        cases.push(
            process(
                "ours: `soil check`, cold, one definition among 200 signatures",
                checker,
                &words,
                &one,
            )
            .micros_at_most(10_000.0),
        );
        cases.push(
            per_line(process(OURS, checker, &words, &soil), lines_of(&soil)).micros_at_most(5.0),
        );
    } else {
        absent.push("lonis-checker".to_owned());
    }
    let ruff = ["check", "--isolated", "--no-cache", "--quiet", "."];
    let pyrefly = ["check", "--summary=none", "m"];
    for (name, program, words) in [
        ("ruff: `check`, cold, a line", &kit.ruff, &ruff[..]),
        ("pyrefly: `check`, cold, a line", &kit.pyrefly, &pyrefly[..]),
    ] {
        match program {
            Some(program) => {
                let case = per_line(process(name, program, words, &python), python_lines);
                cases.push(case.beside(OURS));
            }
            None => absent.push(name.to_owned()),
        }
    }
    cases
}

/// A run of a program that has to be content with a folder.
#[expect(clippy::disallowed_methods, reason = "whole programs are measured")]
fn process(name: &str, program: &Path, words: &[&str], folder: &Path) -> Case {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let (program, folder): (PathBuf, PathBuf) = (program.to_owned(), folder.to_owned());
    Case::new(
        name,
        Clock::Wall,
        move || {
            let mut command = Command::new(&program);
            command.args(&words).current_dir(&folder);
            command.stdin(Stdio::null()).stdout(Stdio::null());
            let status = command.stderr(Stdio::null()).status();
            status.is_ok_and(|status| status.success())
        },
        |is_content| *is_content,
    )
}

fn per_line(case: Case, lines: usize) -> Case {
    case.divided_by(u32::try_from(lines).unwrap_or(u32::MAX))
}

fn lines_of(folder: &Path) -> usize {
    let files = fs::read_dir(folder.join("m"))
        .into_iter()
        .flatten()
        .flatten();
    let texts = files.map(|file| fs::read_to_string(file.path()).unwrap_or_default());
    texts.map(|text| text.lines().count()).sum()
}
