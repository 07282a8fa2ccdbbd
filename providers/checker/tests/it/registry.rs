//! The registry of codes and repair classes, which is generated from the table in the language library.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use soil::diagnostic::{Code, RepairClass};
use soil::document::Writer;

/// The documents that a reference may point into.
const DOCUMENTS: [&str; 7] = [
    "design",
    "lock-schema",
    "soil-syntax-spec",
    "soil-toml",
    "soil0-cli",
    "tr-grammar",
    "trellis-daemon",
];

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("registry/diagnostics.json")
}

/// Writes the registry as its file has it.
fn registry() -> String {
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.key("registry_format").number(1);
        writer.key("repair_classes").array(|writer| {
            for class in RepairClass::ALL {
                writer.object(|writer| {
                    writer.key("name").string(class.text());
                    writer.key("summary").string(class.summary());
                });
            }
        });
        writer.key("codes").array(|writer| {
            for code in Code::ALL {
                writer.object(|writer| {
                    writer.key("code").string(code.text());
                    writer.key("source").string(code.source().text());
                    writer
                        .key("repair_class")
                        .string(code.repair_class().text());
                    writer.key("spec_ref").string(code.spec_ref());
                });
            }
        });
    });
    writer.finish_document()
}

#[test]
fn the_file_says_what_the_table_says() {
    let written = registry();
    if std::env::var_os("LONIS_BLESS").is_some() {
        fs::write(path(), &written).expect("the file is written");
    }
    let file = fs::read_to_string(path()).expect("the file is there");
    assert_eq!(file, written, "`LONIS_BLESS=1 cargo test` writes the file");
}

#[test]
fn each_class_is_used_or_reserved() {
    let used: BTreeSet<&str> = Code::ALL
        .iter()
        .map(|code| code.repair_class().text())
        .collect();
    let unused = RepairClass::ALL.iter().map(|class| class.text());
    let unused: Vec<&str> = unused.filter(|class| !used.contains(class)).collect();
    assert_eq!(unused, ["add-decreases", "export-type-or-mark-abstract"]);
}

#[test]
fn each_code_points_into_a_document() {
    for code in Code::ALL {
        let (document, section) = code.spec_ref().split_once('#').expect("a `#`");
        assert!(DOCUMENTS.contains(&document), "{code}: {document}");
        let mut numbers = section.split('.');
        assert!(
            numbers.all(|number| number.parse::<u8>().is_ok()),
            "{code}: {section}"
        );
    }
    let warnings = Code::ALL.iter().filter(|code| code.is_warning());
    let warnings: Vec<&str> = warnings.map(|code| code.text()).collect();
    assert_eq!(
        warnings,
        [
            "draft-comments-dropped",
            "property-rarely-applies",
            "unsupported-invariant-property",
            "clause-vacuous",
            "preflight-unexercised-variant"
        ]
    );
}
