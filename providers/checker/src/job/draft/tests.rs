use super::*;

/// Makes a directory that holds a stored draft, and the steps that store another one with other citations.
fn between() -> (tempfile::TempDir, Directory, Draft, Stored) {
    let folder = tempfile::tempdir().expect("a folder");
    let directory = Directory::create(folder.path().join("job")).expect("it is made");
    let before = Draft::store(&directory, "f : I64\nf = 1\n", cited("one")).expect("it is stored");
    let next = Stored {
        text: "f : I64\nf = 2\n".to_owned(),
        facts: DraftFacts {
            seq: 2,
            digest: digest_of("f : I64\nf = 2\n"),
            decisions_applied: cited("two"),
        },
    };
    (folder, directory, before, next)
}

fn cited(label: &str) -> Vec<Citation> {
    vec![Citation {
        scope: CitedScope::Module,
        label: label.to_owned(),
    }]
}

fn read(directory: &Directory) -> (String, DraftFacts) {
    let draft = Draft::read(directory)
        .expect("it reads")
        .expect("it is there");
    (draft.text, draft.facts)
}

#[test]
fn a_draft_that_was_stored_in_part_is_the_former_or_the_new_one_whole() {
    let count = 4;
    for done in 0..=count {
        let (_folder, directory, before, next) = between();
        let steps = next.steps();
        assert_eq!(steps.len(), count);
        for step in &steps[..done] {
            step.run(&directory).expect("it is done");
        }
        // The step that was under way had written some of its file beside the one that it replaces.
        if let Some(Step::Put(name, text)) = steps.get(done) {
            let beside = directory.path().join(format!(".{name}.new"));
            std::fs::write(beside, &text[..text.len() / 2]).expect("it is written");
        }
        let expected = if done == 0 {
            (before.text, before.facts)
        } else {
            (next.text.clone(), next.facts.clone())
        };
        assert_eq!(read(&directory), expected, "{done}");
        // Whatever was left, the next draft is stored as ever.
        let third = Draft::store(&directory, "f : I64\nf = 3\n", cited("three"));
        let third = third.expect("it is stored");
        assert_eq!(third.facts.seq, expected.1.seq + 1, "{done}");
        assert_eq!(read(&directory), (third.text, third.facts), "{done}");
        assert!(!directory.path().join(STORED).exists(), "{done}");
    }
}

#[test]
fn a_text_that_was_never_stored_is_no_draft() {
    let (_folder, directory, before, _) = between();
    directory
        .replace(TEXT, b"f : I64\nf = 9\n")
        .expect("it is written");
    let failure = Draft::read(&directory).expect_err("it is another text");
    assert!(failure.has(Code::Io), "{failure:?}");
    let stored = Draft::store(&directory, &before.text, cited("one")).expect("it is stored");
    assert_eq!(stored.facts.seq, 2);
    assert_eq!(read(&directory).0, before.text);
}

#[test]
fn a_file_of_another_form_is_as_if_it_was_not_there() {
    let (_folder, directory, before, next) = between();
    for text in [
        "",
        "{",
        "{}",
        &serde_json::to_string(&next)
            .expect("JSON")
            .replace("f = 2", "f = 3"),
    ] {
        directory
            .replace(STORED, text.as_bytes())
            .expect("it is written");
        assert_eq!(
            read(&directory),
            (before.text.clone(), before.facts.clone()),
            "{text}"
        );
    }
}
