//! The page of the book that tells of each code: what it says, what to do, its facts, and its two examples.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::Value;
use soil::diagnostic::{Code, RepairClass};

use crate::code_examples::{Edit, Example, Side, Step, base, example, params_schemas};

const INTRODUCTION: &str = "\
# Codes of the checker

What a diagnostic of Soil, of a project or of a job says is its code. Each code has one class, which is what to do about
it, a section of the rules (`lonis-checker spec REF` shows it), and two examples: one that is refused with it, at the
place between `«` and `»`, and one that is as it should be. This page is made from the registry in
`providers/checker/registry`, and every example of it is run by a test.

Most examples change one project, whose definition `shop/clamp` keeps a number between two others:
";

/// How one project differs from that of the page's beginning.
fn side(text: &mut String, example: &Example, side: &Side) {
    let mut shown = String::new();
    for Edit { file, from, to } in &side.edits {
        writeln!(shown, "{file}:").expect("a text takes all");
        lines(&mut shown, "- ", from);
        lines(&mut shown, "+ ", to);
    }
    for (file, content) in &side.files {
        writeln!(shown, "{file}:").expect("a text takes all");
        lines(&mut shown, "  ", content);
    }
    for step in &side.steps {
        shown.push_str(&self::step(step));
    }
    if shown.is_empty() {
        shown.push_str(match &example.base {
            Some(_) => "the project as it is\n",
            None => "an empty project\n",
        });
    }
    write!(text, "~~~text\n{shown}~~~\n\n").expect("a text takes all");
}

fn lines(shown: &mut String, mark: &str, text: &str) {
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        shown.push_str(format!("{mark}{line}").trim_end());
        shown.push('\n');
    }
}

fn step(step: &Step) -> String {
    match step {
        Step::Run { run } => format!("$ lonis-checker {}\n", run.join(" ")),
        Step::Call { call, input, .. } => {
            let input = serde_json::to_value(input).expect("a table is JSON");
            format!("$ trellis:{call} {input}\n")
        }
        Step::Edit { edit } => format!("{}: `{}` becomes `{}`\n", edit.file, edit.from, edit.to),
        Step::Write { write, text } => format!("{write}: {text:?}\n"),
        Step::Folder { folder } => format!("{folder}/\n"),
    }
}

fn entry(text: &mut String, code: Code, schema: Option<&Value>) {
    let kind = if code.is_warning() { ", a warning" } else { "" };
    let source = code.source().text();
    writeln!(text, "### `{code}`\n").expect("a text takes all");
    let Some(example) = example(code) else {
        let reference = code.spec_ref();
        writeln!(text, "`{reference}`, `{source}`{kind}.\n").expect("a text takes all");
        return;
    };
    let reference = code.spec_ref();
    writeln!(text, "{} `{reference}`, `{source}`{kind}.\n", example.means)
        .expect("a text takes all");
    if let Some(why) = code.why_no_edit() {
        writeln!(text, "It has no edit: {why}.\n").expect("a text takes all");
    }
    if let Some(schema) = schema {
        writeln!(text, "Its `params`:\n\n~~~json\n{schema}\n~~~\n").expect("a text takes all");
    }
    side(text, &example, &example.bad);
    text.push_str("As it should be:\n\n");
    side(text, &example, &example.good);
}

fn page() -> String {
    let mut text = INTRODUCTION.to_owned();
    for (file, content) in base("clamp")
        .into_iter()
        .filter(|(_, content)| !content.is_empty())
    {
        writeln!(text, "\n`{file}`:\n\n~~~text\n{content}~~~").expect("a text takes all");
    }
    text.push_str(
        "\nWhere a job is opened its calls are those of the tools, with the job filled in; the draft is one that passes.\n\n",
    );
    let schemas = params_schemas();
    for class in RepairClass::ALL {
        writeln!(
            text,
            "## `{}`\n\nWhat to do: {}.\n",
            class.text(),
            class.summary()
        )
        .expect("a text takes all");
        for code in Code::ALL
            .iter()
            .filter(|code| code.repair_class() == *class)
        {
            entry(&mut text, *code, schemas.get(code.text()));
        }
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

#[test]
fn the_page_says_what_the_registry_says() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/reference/checker-codes.md");
    let page = page();
    if std::env::var_os("LONIS_BLESS").is_some() {
        fs::write(&path, &page).expect("the page is written");
    }
    let file = fs::read_to_string(&path).expect("the page is there");
    assert_eq!(file, page, "`LONIS_BLESS=1 cargo test` writes the page");
}
