//! `lonis NAME …` runs `lonis-NAME` from the provider folders, in place of itself.

use crate::program::Place;

#[test]
fn the_first_program_of_that_name_gets_all_arguments_and_the_callers_surroundings() {
    let place = Place::new().with("KEPT", "yes");
    place.script(
        "hello",
        "#!/bin/sh\nprintf '%s|' \"$@\" \"$KEPT\" \"$(pwd)\"; test -x \"$LONIS_EXE\"; exit 7\n",
    );
    let run = place.run(&["hello", "--flag", "a b", "--mode", "json"]);
    let work = std::fs::canonicalize(place.path("work")).unwrap();
    assert_eq!(
        run.stdout,
        format!("--flag|a b|--mode|json|yes|{}|", work.display())
    );
    assert_eq!((run.code, run.stderr.as_str()), (7, ""));
    let leading = place.run(&["--mode", "json", "hello", "x"]);
    assert!(leading.stdout.starts_with("--mode|json|x|"), "{leading:?}");
}

#[test]
fn a_name_that_nothing_has_is_a_usage_error_with_the_nearest() {
    let place = Place::new();
    place.script("hello", "#!/bin/sh\n");
    let error = place
        .run(&["--mode", "json", "helo"])
        .fails("invalid_input", 2);
    assert!(
        error
            .details()
            .unwrap()
            .text()
            .contains("did you mean `hello`?"),
        "{error:?}"
    );
}

#[test]
fn one_that_is_skipped_says_why() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let program = place.script("hello", "#!/bin/sh\n");
    for (mode, why) in [
        (0o777, "everyone may write to it"),
        (0o644, "it is not executable"),
    ] {
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(mode)).unwrap();
        let error = place
            .run(&["--mode", "json", "hello"])
            .fails("invalid_input", 2);
        assert!(error.details().unwrap().text().contains(why), "{error:?}");
    }
}

#[test]
fn a_folder_of_the_search_path_that_is_not_absolute_is_left_out_with_a_note() {
    let list = Place::new()
        .with("LONIS_PROVIDER_PATH", "providers")
        .run(&["tools", "list"]);
    assert_eq!(list.code, 0);
    assert!(
        list.stderr.contains("`providers` in `LONIS_PROVIDER_PATH`"),
        "{list:?}"
    );
}
