use super::*;

/// The headings that each document has; numbers are a contract.
const NUMBERS: [(&str, &str); 7] = [
    (
        "soil-syntax-spec",
        "1 2 3 3.1 3.2 3.3 3.4 4 5 5.1 5.2 5.3 5.4 5.5 5.6 5.7 5.8 5.9 5.10 5.11 6 9 9.1",
    ),
    (
        "soil0-cli",
        "1 2 3 4 5 6 7 8 8.1 8.2 8.3 8.4 8.5 8.6 8.7 8.8 8.9 9 10 11",
    ),
    (
        "tr-grammar",
        "1 2 2.1 2.2 2.3 3 3.1 3.2 3.3 3.4 3.5 3.6 3.7 4 4.1 4.2 5 5.1 5.2 6 7 8",
    ),
    ("lock-schema", "1 2 3 4 5 7 8"),
    (
        "trellis-daemon",
        "1 2 3 3.1 3.2 3.3 3.4 3.5 3.6 3.7 4 4.1 4.2 4.3 4.4 4.5 4.6 4.7 4.8 5 6 6.1 6.2 7 8 9",
    ),
    ("soil-toml", "1 2 2.1 2.2 3"),
    ("design", "3 3.8 4 4.5 4.6 6"),
];

#[test]
fn numbers_are_those_of_the_contract() {
    for (document, (slug, numbers)) in DOCUMENTS.iter().zip(NUMBERS) {
        assert_eq!(document.slug, slug);
        let found: Vec<&str> = headings(document.text)
            .iter()
            .map(|one| one.number)
            .collect();
        assert_eq!(found.join(" "), numbers, "{slug}");
    }
    assert_eq!(DOCUMENTS.len(), NUMBERS.len());
}

#[test]
fn every_section_is_served_whole_or_with_its_parts() {
    for (slug, numbers) in NUMBERS {
        for number in numbers.split(' ') {
            let reference = format!("{slug}#{number}");
            let found = section(&reference).expect(&reference);
            assert!(
                !found.title.is_empty() && !found.text.is_empty(),
                "{reference}"
            );
            assert!(found.text.len() <= MAX_SERVED_BYTES, "{reference}");
        }
    }
    let whole = section("soil-syntax-spec#5").expect("it is there");
    assert!(
        whole.text.contains("### 5.11 Holes"),
        "a section holds its subsections"
    );
    let next = section("soil-syntax-spec#5.1").expect("it is there");
    assert!(!next.text.contains("5.10"), "and no others");
}

#[test]
fn every_code_has_a_section_that_names_it_or_its_rule() {
    for code in Code::ALL {
        let found = section(code.spec_ref());
        assert!(found.is_ok(), "{code}: {}", code.spec_ref());
    }
}

#[test]
fn what_is_not_there_names_the_nearest() {
    for reference in [
        "soil-syntax-spec#5.99",
        "tr-grammer#3.1",
        "x",
        "#",
        "design#3.8.1",
    ] {
        let failure = section(reference).expect_err(reference);
        assert!(failure.has(Code::UnknownSpecRef));
        let notes = failure
            .diagnostics
            .iter()
            .map(|one| one.notes.len())
            .sum::<usize>();
        assert_eq!(notes, NEAREST, "{reference}");
    }
    let near: Vec<String> = nearest("tr-grammer#3.1")
        .into_iter()
        .map(|(near, _)| near)
        .collect();
    assert_eq!(near[0], "tr-grammar#3.1");
}

#[test]
fn the_skill_has_what_an_agent_needs() {
    let text = skill();
    for class in soil::diagnostic::RepairClass::ALL {
        let row = format!("| `{}` | {} |", class.text(), class.summary());
        assert!(text.contains(&row), "{class:?}");
    }
    for code in Code::ALL {
        assert!(text.contains(&format!("`{code}`")), "{code}");
    }
    for id in soil::builtins::BuiltinId::all() {
        assert!(
            text.contains(&format!("\n{}\n", id.signature())),
            "{}",
            id.name()
        );
    }
    for file in soil::program::prelude_files() {
        assert!(
            text.contains(file.body) && text.contains(file.spec),
            "{}",
            file.name
        );
    }
    assert!((7_000..9_000).contains(&(text.len() / 4)), "{}", text.len());
}

/// Gives the table of classes with what to do, their codes, and behind each run of codes the section that they break.
fn classes() -> String {
    let mut text = String::from("| class | what to do | codes |\n|---|---|---|\n");
    for class in soil::diagnostic::RepairClass::ALL {
        let mut runs: Vec<(&str, String)> = Vec::new();
        for code in Code::ALL
            .iter()
            .filter(|code| code.repair_class() == *class)
        {
            let mark = if code.is_warning() { " (w)" } else { "" };
            let shown = format!("`{code}`{mark}");
            match runs.last_mut() {
                Some((reference, codes)) if *reference == code.spec_ref() => {
                    codes.push(' ');
                    codes.push_str(&shown);
                }
                _ => runs.push((code.spec_ref(), shown)),
            }
        }
        let runs: Vec<String> = runs
            .iter()
            .map(|(reference, codes)| format!("{codes} {reference}"))
            .collect();
        let codes = if runs.is_empty() {
            "kept for later".to_owned()
        } else {
            runs.join(", ")
        };
        let row = [&format!("`{}`", class.text()), class.summary(), &codes].join(" | ");
        text = format!("{text}| {row} |\n");
    }
    text
}

#[test]
fn the_table_of_classes_is_that_of_the_registry() {
    const START: &str = "### 6.2 Repair classes\n\n";
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/documents/trellis-daemon.md");
    let text = std::fs::read_to_string(&path).expect("the document is there");
    let (before, rest) = text.split_once(START).expect("it has the section");
    let (_, behind) = rest.split_once("\n## 7").expect("another one follows");
    let written = format!(
        "{before}{START}What a class asks for, and its codes, each with the section behind it; `(w)` is always a warning and never blocks. \
         What is `fix-spec` or `fix-config` is not the agent's: ask, or stop.\n\n{}\n## 7{behind}",
        classes()
    );
    if std::env::var_os("LONIS_BLESS").is_some() {
        std::fs::write(&path, &written).expect("the document is written");
    }
    let text = std::fs::read_to_string(&path).expect("the document is there");
    assert_eq!(text, written, "`LONIS_BLESS=1 cargo test` writes the table");
}
