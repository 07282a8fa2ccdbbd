use std::fs;

use super::*;

/// Writes a project of some definitions, each of which calls the one before it.
fn project(count: usize) -> (tempfile::TempDir, Project) {
    let root = tempfile::tempdir().expect("a folder");
    let write = |path: String, text: &str| {
        fs::write(root.path().join(path), text).expect("it is written");
    };
    fs::create_dir(root.path().join("m")).expect("it is made");
    write("soil.toml".to_owned(), "");
    write(
        "m/_module.tr".to_owned(),
        "---\nname: m\n---\n\nSays what all have in common.\n",
    );
    for number in 0..count {
        let name = format!("step_{number}");
        let callee = match number {
            0 => "x".to_owned(),
            _ => format!("step_{} x", number - 1),
        };
        let signature = format!("{name} : (x : I64) -> I64");
        let more = "More. ".repeat(number % 7);
        let spec = format!(
            "---\nname: {name}\n---\n\nGives it back. {more}\n\n```soil-sig\n{signature}\n```\n\n\
             ```ensures\nlabel_{number}: result == x\n```\n\n```test some\n(1) => 1\n```\n"
        );
        write(format!("m/{name}.tr"), &spec);
        write(
            format!("m/{name}.soil"),
            &format!("{signature}\n{name} x = {callee}\n"),
        );
    }
    let project = Project::load(root.path()).expect("it reads");
    (root, project)
}

fn budget(tokens: u64, max_tokens: Option<u64>) -> Budget {
    Budget {
        tokens,
        max_tokens,
        counter: Counter::CONTRACT,
        is_plain: false,
    }
}

/// Gives what a bundle holds beside its manifest.
fn kept(bundle: &Bundle) -> &[(String, Vec<u8>)] {
    let (manifest, kept) = bundle.files.split_last().expect("a manifest");
    assert_eq!(manifest.0, "bundle.json");
    kept
}

#[test]
fn each_larger_budget_keeps_a_superset() {
    let (_root, project) = project(24);
    let named = project.function("step_12").expect("it is there");
    let packing = Packing::of(&project, named, Counter::CONTRACT).expect("its spec reads");
    let whole = packing.within(budget(200_000, None)).expect("it fits");
    let mut before = 0;
    let mut least = None;
    for tokens in 0..=whole.estimate {
        let Ok(bundle) = packing.within(budget(tokens, None)) else {
            assert_eq!(least, None, "{tokens} is too small, and less is not");
            continue;
        };
        least = least.or(Some(tokens));
        // All bundles are beginnings of the whole one, so that more files are a superset.
        let files = kept(&bundle);
        assert_eq!(files, &kept(&whole)[..files.len()], "{tokens}");
        assert!(files.len() >= before, "{tokens}");
        before = files.len();
        if tokens % 500 == 0 {
            let again = Bundle::pack(&project, named, budget(tokens, None));
            assert_eq!(again.expect("it did fit").digest(), bundle.digest());
        }
    }
    assert_eq!(before, kept(&whole).len());
    assert!(least.is_some_and(|least| least > 0));
}

#[test]
fn a_hard_limit_is_met_with_as_much_as_fits() {
    let (_root, project) = project(24);
    let named = project.function("step_12").expect("it is there");
    let tokens = |bundle: &Bundle| -> u64 {
        let bytes = bundle.files.iter().map(|(_, bytes)| bytes.len() as u64);
        bytes.sum::<u64>().div_ceil(4)
    };
    let packing = Packing::of(&project, named, Counter::CONTRACT).expect("its spec reads");
    let whole = packing.within(budget(200_000, None)).expect("it fits");
    let mut before = 0;
    for max in (0..=tokens(&whole) + 7).step_by(7) {
        let Ok(bundle) = packing.within(budget(200_000, Some(max))) else {
            assert_eq!(before, 0, "{max} is too small, and less is not");
            continue;
        };
        assert!(tokens(&bundle) <= max, "{max}");
        assert!(kept(&bundle).len() >= before, "{max}");
        before = kept(&bundle).len();
    }
    assert_eq!(before, kept(&whole).len());
}
