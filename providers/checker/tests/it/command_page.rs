//! The page of the book that holds the help of every command.

use std::path::Path;

use crate::job_root::checker;
use crate::program::Run;

/// Gives the help of a command.
fn help(words: &[String]) -> String {
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    words.push("--help");
    let output = checker(Path::new("/"), &words).output();
    Run::of(output.expect("it starts")).answer().to_owned()
}

/// Gives the commands that a help text lists.
fn commands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:");
    let listed = lines.skip(1).take_while(|line| !line.is_empty());
    let names = listed.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_command_has_its_help_on_the_page() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/reference/checker-cli.md");
    let page = std::fs::read_to_string(path).expect("it is there");
    let mut open = vec![Vec::new()];
    let mut count = 0;
    while let Some(words) = open.pop() {
        let help = help(&words);
        for command in commands(&help) {
            open.push([words.clone(), vec![command]].concat());
        }
        let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
        let name = [vec!["lonis-checker".to_owned()], words].concat().join(" ");
        let section = format!(
            "## `{name}`\n\n```text\n{}\n```\n",
            lines.join("\n").trim_end()
        );
        assert!(
            page.contains(&section),
            "`{name}` is not on the page as it is; `cargo xtask generate` writes it"
        );
        count += 1;
    }
    // And nothing else is.
    assert_eq!(page.matches("\n## ").count(), count);
}
