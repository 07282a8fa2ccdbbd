//! The failure cases that the engine is made against, by their numbers, each with the tests that show it.
//!
//! Those that show a case from end to end and belong to no other module stand here.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::git::Git;
use crate::program::{Root, code_of, create, patch, replace};
use crate::running::fed;

/// Each case: its number, what fails in it, and the tests.
const CASES: &[(u32, &str, &[&str])] = &[
    (
        1,
        "files that were never part of the work are deleted",
        &[
            "only_directories_that_the_apply_emptied_go",
            "what_a_session_does_not_change_is_untouched_by_all_of_its_life",
        ],
    ),
    (
        2,
        "a checkpoint alters uncommitted work",
        &[
            "commands_before_apply_write_below_the_store_alone",
            "the_index_lock_of_another_program_is_in_nobodys_way",
        ],
    ),
    (
        3,
        "an apply cannot be undone",
        &["what_was_applied_is_undone_and_done_again"],
    ),
    (
        4,
        "unchanged files are rewritten",
        &[
            "an_apply_syncs_equally_often_however_many_paths_and_writes_only_them",
            "what_a_session_does_not_change_is_untouched_by_all_of_its_life",
        ],
    ),
    (
        5,
        "a deletion is not seen",
        &["what_was_deleted_is_seen_on_both_sides"],
    ),
    (
        6,
        "half a snapshot, without a word",
        &[
            "what_is_left_out_is_counted_and_listed_page_by_page",
            "a_file_that_grows_while_it_is_read_is_never_half_captured",
        ],
    ),
    (
        7,
        "unbounded growth",
        &[
            "a_bound_ends_the_walk_and_names_what_is_largest",
            "a_home_directory_and_the_file_system_are_no_roots",
        ],
    ),
    (
        8,
        "ignored trees are walked, or inputs among them are missing",
        &[
            "without_git_the_ignore_rules_hold_and_every_other_rule_too",
            "directories_are_pruned_only_where_all_or_nothing_matches",
        ],
    ),
    (
        9,
        "one huge file stops everything",
        &[
            "an_op_on_a_path_that_is_left_out_meets_something_that_is_not_captured",
            "large_files_are_streamed_and_stored_once",
        ],
    ),
    (
        10,
        "a repository inside breaks capture",
        &[
            "repositories_inside_are_joined_and_their_own_files_never_read",
            "a_submodule_is_worked_in_from_begin_to_apply",
        ],
    ),
    (
        11,
        "submodules",
        &["a_submodule_is_worked_in_from_begin_to_apply"],
    ),
    (12, "git is missing", &["without_git_every_command_works"]),
    (
        13,
        "an edit goes through a link",
        &[
            "path_states_are_checked_before_any_op_runs",
            "nothing_above_or_behind_a_link_is_reached",
        ],
    ),
    (
        14,
        "the executable bit is lost",
        &["a_replaced_file_keeps_its_whole_mode"],
    ),
    (
        15,
        "names differ only in case",
        &[
            "names_that_differ_in_case_alone_are_told",
            "a_rename_of_case_alone_is_made",
        ],
    ),
    (
        16,
        "an odd name stops all work",
        &[
            "odd_names_and_special_files_stop_nothing",
            "an_escaped_name_tells_its_bytes",
        ],
    ),
    (
        17,
        "sockets, pipes and devices",
        &["odd_names_and_special_files_stop_nothing"],
    ),
    (
        18,
        "text in another encoding is destroyed",
        &[
            "what_an_edit_does_not_name_keeps_its_bytes",
            "half_a_character_is_no_match",
        ],
    ),
    (
        19,
        "line ends are rewritten or prevent a match",
        &[
            "what_an_edit_does_not_name_keeps_its_bytes",
            "a_text_is_found_at_the_strictest_tier",
        ],
    ),
    (
        20,
        "the final newline appears or disappears",
        &[
            "what_an_edit_does_not_name_keeps_its_bytes",
            "hunks_replace_insert_and_remove",
        ],
    ),
    (
        21,
        "tabs were shown as spaces",
        &["a_text_is_found_at_the_strictest_tier"],
    ),
    (
        22,
        "an ambiguous match goes to the first hit",
        &["an_occurrence_is_the_one_of_so_many"],
    ),
    (
        23,
        "an ambiguity without places",
        &["a_retry_applies_at_the_place_it_was_given_for"],
    ),
    (
        24,
        "the line that differs is hidden",
        &["closest_names_the_line_that_differs"],
    ),
    (
        25,
        "a position is used although the content differs",
        &["what_is_nearly_there_is_not_taken_for_it"],
    ),
    (
        26,
        "a patch lands in part",
        &["a_patch_lands_whole_or_not_at_all"],
    ),
    (
        27,
        "the same patch comes twice",
        &[
            "what_stands_already_is_not_staged_again",
            "a_repeated_call_is_answered_from_the_log_and_does_nothing_again",
        ],
    ),
    (
        28,
        "a kill or a full disk leaves a short file",
        &[
            "on_a_disk_that_is_full_from_any_step_on_the_tree_is_base_at_once",
            "killed_at_each_step_of_an_apply_the_tree_is_base_or_target",
            "a_full_disk_refuses_an_apply_and_leaves_the_base_until_there_is_room",
        ],
    ),
    (
        29,
        "a lock outlives its owner",
        &[
            "a_lock_is_had_once_and_ends_with_its_holder",
            "what_the_file_of_the_owner_says_decides_nothing",
        ],
    ),
    (
        30,
        "two sessions start from one base",
        &[
            "of_two_appliers_of_one_path_one_wins_and_no_update_is_lost",
            "of_two_appliers_of_other_paths_both_win_once_they_are_joined",
        ],
    ),
    (
        31,
        "stale is judged by area",
        &[
            "changes_of_other_paths_are_joined_and_the_union_is_proved",
            "what_meets_the_session_is_stale_whatever_is_asked_for",
        ],
    ),
    (
        32,
        "an isolated view over the live tree tears",
        &[
            "a_run_finds_exactly_the_snapshot",
            "a_run_reaches_nothing_but_its_workspace",
        ],
    ),
    (
        33,
        "a stored object has the wrong bytes",
        &[
            "every_damaged_byte_of_a_small_store_is_found_and_is_no_success",
            "damage_is_never_handed_out_and_is_put_aside_by_a_repair_alone",
        ],
    ),
    (
        34,
        "registered before it was durable",
        &["no_log_names_what_a_loss_of_power_took"],
    ),
    (
        35,
        "a reader repairs a file in use",
        &["readers_repair_nothing"],
    ),
    (
        36,
        "a cache of file times lies",
        &[
            "only_what_was_at_rest_is_kept",
            "a_change_of_equal_length_within_a_tick_is_seen",
            "a_cache_is_read_whole_or_not_at_all",
        ],
    ),
    (
        37,
        "tests change what they test",
        &[
            "what_a_run_changes_is_told_and_gone_for_the_next_one",
            "what_a_run_changes_is_told_and_never_adopted",
        ],
    ),
    (
        38,
        "tests reach out",
        &[
            "a_run_reaches_nothing_but_its_workspace",
            "each_limit_has_its_code_its_value_and_what_held_it",
            "what_leaves_its_session_does_not_outlive_the_run",
            "an_obligation_without_network_runs_where_there_is_none_or_not_at_all",
        ],
    ),
    (
        39,
        "a verification counts for something else",
        &[
            "what_a_result_depends_on_is_never_another_when_it_is_taken_over",
            "each_member_of_forged_evidence_is_held_against_what_it_has_to_be",
        ],
    ),
    (
        40,
        "a crash between two steps of stage or test",
        &["killed_at_each_step_of_a_test_the_record_is_the_one_before_or_after"],
    ),
    (
        41,
        "damage inside the log passes for its end",
        &[
            "every_flipped_byte_is_damage_also_where_it_ends_the_log",
            "every_cut_is_a_torn_end_and_one_in_the_first_line_is_damage",
        ],
    ),
    (
        42,
        "a check that found damage reports success",
        &["every_damaged_byte_of_a_small_store_is_found_and_is_no_success"],
    ),
    (
        43,
        "failing while reporting a failure",
        &["a_report_is_bounded_on_any_input"],
    ),
    (
        44,
        "a capture is cut short",
        &["a_capture_that_is_cut_short_leaves_nothing_that_is_used"],
    ),
    (
        45,
        "an empty directory that a build needs",
        &[
            "an_empty_directory_that_nobody_knows_of_is_not_in_the_way_of_a_file_but_refuses_it",
            "without_git_the_ignore_rules_hold_and_every_other_rule_too",
        ],
    ),
];

/// All tests of the crate, by their names.
fn tests_below(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            tests_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let mut lines = text.lines().map(str::trim_start);
            while lines.by_ref().any(|line| line == "#[test]") {
                let name = lines.by_ref().find_map(|line| line.strip_prefix("fn "));
                found.extend(
                    name.and_then(|name| name.split('(').next())
                        .map(str::to_owned),
                );
            }
        }
    }
}

#[test]
fn each_case_has_a_test_that_is_there() {
    let mut known = Vec::new();
    for folder in ["src", "tests"] {
        let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        tests_below(&crate_folder.join(folder), &mut known);
    }
    let numbers: Vec<u32> = CASES.iter().map(|(number, ..)| *number).collect();
    assert_eq!(numbers, (1..=45).collect::<Vec<u32>>());
    for (number, what, tests) in CASES {
        assert!(!tests.is_empty(), "{number}: {what}");
        for test in *tests {
            assert!(
                known.iter().any(|one| one == test),
                "{number}, {what}: {test}"
            );
        }
    }
}

const STAGE: [&str; 6] = ["stage", "s", "--gate", "none", "--patch", "-"];

/// A repository with one commit of these files.
fn repository(git: &Git, files: &[(&str, &str)]) -> Root {
    let root = Root::new(files);
    for words in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "x"]] {
        git.run(&root.tree(), words);
    }
    root
}

#[test]
fn the_index_lock_of_another_program_is_in_nobodys_way() {
    let git = Git::new();
    let root = repository(&git, &[("a.txt", "one\n"), ("b.txt", "one\n")]);
    root.write("b.txt", "not committed\n");
    root.write(".git/index.lock", "held\n");
    let own = |name: &str| fs::read(root.tree().join(".git").join(name)).unwrap();
    let before = ["index", "index.lock", "HEAD", "config"].map(own);
    root.passes(&["begin", "s"]);
    root.stages("s", &[replace("a.txt", "one", "two")]);
    for words in [
        &["test", "s"][..],
        &["status", "s"],
        &["diff", "s", "--to", "live"],
        &["log", "s"],
        &["list"],
        &["apply", "s"],
    ] {
        root.passes(words);
    }
    assert_eq!(["index", "index.lock", "HEAD", "config"].map(own), before);
    assert_eq!(root.read("b.txt").as_deref(), Some("not committed\n"));
}

#[test]
fn what_was_deleted_is_seen_on_both_sides() {
    let root = Root::new(&[("a.sh", "one\n"), ("b.txt", "two\n")]);
    let script = root.tree().join("a.sh");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    root.passes(&["begin", "s"]);
    let sha256 = |path: &str| {
        let entries = &root.passes(&["status", "s", path])["entries"];
        format!("sha256:{}", entries[0]["sha256"].as_str().unwrap())
    };
    let delete = json!({"op": "delete-file", "path": "a.sh", "pre": sha256("a.sh")});
    root.stages("s", &[delete]);
    // By somebody else.
    fs::remove_file(root.tree().join("b.txt")).unwrap();
    let (code, stale) = root.run(&["apply", "s"], &Value::Null);
    assert_eq!((code, code_of(&stale)), (31, "session/stale-base"));
    let disjoint = &stale["diagnostics"][0]["parameters"]["disjoint"][0];
    assert_eq!(
        (&disjoint["path"], &disjoint["observed"]),
        (&json!("b.txt"), &Value::Null)
    );
    assert_eq!(disjoint["expected"]["kind"], "file");
    root.write("b.txt", "two\n");
    let change = &root.passes(&["diff", "s"])["changes"][0];
    assert_eq!(
        (&change["path"], &change["after"]),
        (&json!("a.sh"), &Value::Null)
    );
    root.passes(&["apply", "s"]);
    assert_eq!(root.read("a.sh"), None);
    root.passes(&["begin", "back"]);
    root.passes(&["stage", "back", "--revert", "s"]);
    root.passes(&["apply", "back"]);
    assert_eq!(root.read("a.sh").as_deref(), Some("one\n"));
    let mode = fs::metadata(&script).unwrap().permissions().mode();
    assert_eq!(mode & 0o100, 0o100, "{mode:o}");
}

#[test]
fn what_is_left_out_is_counted_and_listed_page_by_page() {
    let policy = "version = 1\n[files]\nexclude = [\"x*\"]\nmax_file_bytes = 100\n";
    let root = Root::new(&[("lonis-session.toml", policy), ("a.txt", "one\n")]);
    let long = "x".repeat(101);
    for number in 0..600 {
        root.write(&format!("x{number:03}"), "");
        root.write(&format!("long{number:03}"), &long);
    }
    let begun = root.passes(&["begin", "s"]);
    let counts = json!({"excluded": 600, "too-large": 600});
    assert_eq!(begun["excluded"]["by_reason"], counts);
    let mut listed = Vec::new();
    let mut cursor = Value::Null;
    let mut pages = 0;
    loop {
        let mut words = vec!["status", "s", "--excluded"];
        if let Some(cursor) = cursor.as_str() {
            words.extend(["--cursor", cursor]);
        }
        let page = root.passes(&words);
        listed.extend(page["excluded"].as_array().unwrap().clone());
        pages += 1;
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert!(pages > 1, "{pages}");
    let count = |reason: &str| listed.iter().filter(|one| one["reason"] == reason).count();
    assert_eq!(
        (listed.len(), count("excluded"), count("too-large")),
        (1200, 600, 600)
    );
}

#[test]
fn a_bound_ends_the_walk_and_names_what_is_largest() {
    let policy = "version = 1\n[files]\nmax_files = 60\n";
    let root = Root::new(&[("lonis-session.toml", policy)]);
    for directory in 0..15 {
        for number in 0..10 {
            root.write(&format!("d{directory:02}/f{number}"), "");
        }
    }
    let (code, refused) = root.run(&["begin", "s"], &Value::Null);
    assert_eq!((code, code_of(&refused)), (7, "session/snapshot-limit"));
    let entry = &refused["diagnostics"][0];
    let parameters = &entry["parameters"];
    assert_eq!(
        (
            &parameters["limit"],
            &parameters["observed_at_least"],
            &parameters["key"]
        ),
        (&json!(60), &json!(61), &json!("files.max_files"))
    );
    let largest = parameters["largest"].as_array().unwrap();
    assert!((1..=10).contains(&largest.len()), "{parameters}");
    let diff = &entry["repair_plan"]["policy_diff"];
    assert_eq!(
        (&diff["key"], &diff["from"]),
        (&json!("files.max_files"), &json!(60)),
        "{diff}"
    );
    assert_eq!(root.passes(&["list"])["sessions"], json!([]));
}

#[test]
fn a_submodule_is_worked_in_from_begin_to_apply() {
    let git = Git::new();
    let inner = git.repository("inner", &[]);
    fs::write(inner.join("f"), "one\n").unwrap();
    git.run(&inner, &["add", "."]);
    git.run(&inner, &["commit", "-qm", "x"]);
    let root = repository(&git, &[("a.txt", "one\n")]);
    let inner = inner.to_str().unwrap().to_owned();
    git.run(
        &root.tree(),
        &["submodule", "--quiet", "add", &inner, "sub"],
    );
    let head = || git.run(&root.tree().join("sub"), &["rev-parse", "HEAD"]);
    let (before, boundary) = (head(), root.read("sub/.git").unwrap());
    let begun = root.passes(&["begin", "s"]);
    let found = &begun["boundaries"][0];
    assert_eq!(
        (&found["path"], &found["kind"]),
        (&json!("sub"), &json!("submodule"))
    );
    let (_, refused) = root.run(&STAGE, &patch(&[create("sub/.git/config", "mine\n")]));
    assert_eq!(code_of(&refused), "patch/path", "{refused}");
    root.stages(
        "s",
        &[replace("sub/f", "one", "two"), create("sub/g", "new\n")],
    );
    root.passes(&["apply", "s"]);
    assert_eq!(root.read("sub/f").as_deref(), Some("two\n"));
    assert_eq!(root.read("sub/g").as_deref(), Some("new\n"));
    assert_eq!((head(), root.read("sub/.git").unwrap()), (before, boundary));
}

#[test]
fn without_git_every_command_works() {
    let git = Git::new();
    for root in [
        repository(&git, &[("a.txt", "one\n"), (".gitignore", "*.log\n")]),
        Root::new(&[("a.txt", "one\n"), (".gitignore", "*.log\n")]),
    ] {
        root.write("own.log", "mine\n");
        let passes = |words: &[&str], input: &Value| {
            let mut command = root.command();
            command
                .arg("--json")
                .args(words)
                .env("PATH", root.beside("home"));
            let output = fed(&mut command, input);
            let (code, envelope) = crate::program::told(&output);
            assert_eq!(code, 0, "{words:?}: {envelope}");
            envelope["data"].clone()
        };
        let begun = passes(&["begin", "s"], &Value::Null);
        assert_eq!(begun["files"], 2);
        passes(
            &["stage", "s", "--patch", "-"],
            &patch(&[replace("a.txt", "one", "two")]),
        );
        for words in [
            &["test", "s"][..],
            &["status", "s", "a.txt", "--excluded"],
            &["diff", "s", "--to", "live"],
            &["log", "s"],
            &["apply", "s"],
            &["list"],
            &["recover", "--verify"],
            &["gc", "--run"],
        ] {
            passes(words, &Value::Null);
        }
        assert_eq!(root.read("a.txt").as_deref(), Some("two\n"));
        passes(&["begin", "t"], &Value::Null);
        passes(&["abort", "t"], &Value::Null);
    }
}

#[test]
fn a_rename_of_case_alone_is_made() {
    let root = Root::new(&[("README", "one\n")]);
    root.passes(&["begin", "s"]);
    let entries = &root.passes(&["status", "s", "README"])["entries"];
    let pre = format!("blob:{}", entries[0]["blob"].as_str().unwrap());
    root.stages(
        "s",
        &[json!({"op": "move-file", "path": "README", "to": "readme", "pre": pre})],
    );
    root.passes(&["apply", "s"]);
    let names: Vec<String> = fs::read_dir(root.tree())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != ".lonis")
        .collect();
    assert_eq!(names, ["readme"]);
}

#[test]
fn what_is_nearly_there_is_not_taken_for_it() {
    let line =
        "a line of text that is long enough for one character to make no difference to the eye "
            .repeat(2);
    let root = Root::new(&[("a.txt", &format!("{line}1\nsecond\n"))]);
    root.passes(&["begin", "s"]);
    let text = replace("a.txt", &format!("{line}2"), "gone");
    let range = json!({"op": "replace-range", "path": "a.txt", "start_line": 1, "end_line": 1,
        "text": "gone\n", "old": format!("{line}2\n")});
    for (op, code) in [
        (text, "patch/text-not-found"),
        (range, "patch/pre-image-mismatch"),
    ] {
        let (_, refused) = root.run(&STAGE, &patch(std::slice::from_ref(&op)));
        assert_eq!(code_of(&refused), code, "{refused}");
        let report = &refused["data"]["reports"][0];
        if code == "patch/text-not-found" {
            let similarity = report["closest"]["similarity"].as_f64().unwrap();
            assert!(similarity > 0.98, "{report}");
        }
    }
    assert_eq!(root.passes(&["diff", "s"])["changes"], json!([]));
}

#[test]
fn a_patch_lands_whole_or_not_at_all() {
    let names: Vec<String> = (0..20).map(|number| format!("f{number:02}")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (&**name, "one\n")).collect();
    let root = Root::new(&files);
    root.passes(&["begin", "s"]);
    let before = root.passes(&["status", "s"])["transaction"].clone();
    for failing in 0..names.len() {
        let ops: Vec<Value> = names
            .iter()
            .enumerate()
            .map(|(number, name)| {
                replace(name, if number == failing { "none" } else { "one" }, "two")
            })
            .collect();
        let (_, refused) = root.run(&STAGE, &patch(&ops));
        assert_eq!(code_of(&refused), "patch/text-not-found", "{failing}");
        assert_eq!(refused["data"]["reports"][0]["ordinal"], failing);
        assert_eq!(
            root.passes(&["status", "s"])["transaction"],
            before,
            "{failing}"
        );
    }
    let all: Vec<Value> = names
        .iter()
        .map(|name| replace(name, "one", "two"))
        .collect();
    root.stages("s", &all);
    assert!(
        names
            .iter()
            .all(|name| root.read(name).as_deref() == Some("one\n"))
    );
    root.passes(&["apply", "s"]);
    assert!(
        names
            .iter()
            .all(|name| root.read(name).as_deref() == Some("two\n"))
    );
}

#[test]
fn what_the_file_of_the_owner_says_decides_nothing() {
    let root = Root::new(&[("a.txt", "one\n")]);
    root.passes(&["begin", "s"]);
    let since = "2020-01-01T00:00:00.000Z";
    for (number, owner) in [
        json!({"pid": 1, "boot": "another", "command": "apply", "session": "s", "since": since}).to_string(),
        json!({"pid": std::process::id(), "boot": null, "command": "gc", "session": null, "since": since}).to_string(),
        "no JSON \u{0}".to_owned(),
        String::new(),
    ]
    .into_iter()
    .enumerate()
    {
        root.write(".lonis/session/lock.owner", &owner);
        let (from, to) = (format!("{number}"), format!("{}", number + 1));
        let ops = [replace("a.txt", if number == 0 { "one" } else { &from }, &to)];
        root.stages("s", &ops);
        root.passes(&["test", "s"]);
    }
    root.write(".lonis/session/lock.owner", "{\"pid\": 1}");
    root.passes(&["apply", "s"]);
    assert_eq!(root.read("a.txt").as_deref(), Some("4\n"));
}

#[test]
fn readers_repair_nothing() {
    fn bytes_below(folder: &Path, found: &mut Vec<(std::path::PathBuf, Vec<u8>)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                bytes_below(&path, found);
            } else {
                found.push((path.clone(), fs::read(path).unwrap()));
            }
        }
        found.sort();
    }
    let root = Root::new(&[("a.txt", "one\n")]);
    root.passes(&["begin", "s"]);
    root.stages("s", &[replace("a.txt", "one", "two")]);
    let log = root.tree().join(".lonis/session/transactions/s/log.ndjson");
    let mut torn = fs::read(&log).unwrap();
    torn.extend(b"{\"schema\":\"genesis/session-ev");
    fs::write(&log, &torn).unwrap();
    fs::remove_file(
        root.tree()
            .join(".lonis/session/transactions/s/record.json"),
    )
    .unwrap();
    let stored = || {
        let mut found = Vec::new();
        bytes_below(&root.tree().join(".lonis"), &mut found);
        found
    };
    let before = stored();
    for words in [
        &["status", "s", "a.txt", "--read", "content"][..],
        &["list"],
        &["log", "s"],
        &["diff", "s"],
        &["diff", "s", "--to", "live"],
    ] {
        let told = root.passes(words);
        if let Some(record) = told.get("transaction") {
            assert_eq!(record["patch_count"], 1, "{words:?}");
        }
        assert!(stored() == before, "{words:?}");
    }
}

#[test]
fn a_capture_that_is_cut_short_leaves_nothing_that_is_used() {
    let root = Root::new(&[]);
    for number in 0..200 {
        root.write(
            &format!("d{}/f{number}", number % 7),
            &format!("{number}\n"),
        );
    }
    let mut of_one_base = None;
    for number in 0..10 {
        let mut child = root.start(&["begin", &format!("cut{number}")], &Value::Null);
        // It is ended wherever it happens to be: what holds afterwards holds at each place.
        for _ in 0..number * 20_000 {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let begun = root.passes(&["begin", &format!("whole{number}")]);
        let base = begun["transaction"]["base_snapshot"].clone();
        assert_eq!(of_one_base.get_or_insert_with(|| base.clone()), &base);
        assert_eq!(begun["files"], 200);
    }
    let (code, checked) = root.run(&["recover", "--verify"], &Value::Null);
    assert_eq!(code, 0, "{checked}");
}
