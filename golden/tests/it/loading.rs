//! Cases come by name, and pinned files are compared.

use std::panic::catch_unwind;

use golden::Family;

#[test]
fn cases_are_sorted_and_hashes_are_none_of_them() {
    let names: Vec<String> = Family::named("blocks")
        .cases()
        .into_iter()
        .map(|case| case.name)
        .collect();
    assert!(names.is_sorted(), "{names:?}");
    assert!(
        names.contains(&"extension".to_owned()) && !names.contains(&"hashes".to_owned()),
        "{names:?}"
    );
}

#[test]
fn what_differs_from_its_pin_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.json"), "[\n1\n]\n").unwrap();
    let family = Family::at(folder.path());
    assert_eq!(family.case("a").parse::<Vec<u8>>(), [1]);
    family.assert_pinned("a.json", "[\n1\n]\n");
    let refusal = catch_unwind(|| family.assert_pinned("a.json", "[\n2\n]\n")).unwrap_err();
    let message = refusal.downcast::<String>().unwrap();
    assert!(
        message.contains("line 2\n  pinned: 1\n  actual: 2"),
        "{message}"
    );
}

#[test]
fn a_file_that_no_test_would_read_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "").unwrap();
    let family = Family::at(folder.path());
    assert!(catch_unwind(|| family.cases()).is_err());
    assert!(catch_unwind(|| Family::named("no such family")).is_err());
}
