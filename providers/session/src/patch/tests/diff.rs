use serde_json::json;

use super::fixture::{MemoryFiles, after, run_diff};

/// Files, a diff, and the files after it; `~` in a diff stands for a backslash.
fn check(files: &[(&str, &str)], diff: &str, expected: &[(&str, &str)]) {
    let before = MemoryFiles::new(files);
    let outcome = run_diff(&before, diff).unwrap_or_else(|reports| {
        panic!(
            "{diff}\n{:?}",
            reports
                .iter()
                .map(super::super::report::Report::to_value)
                .collect::<Vec<_>>()
        )
    });
    let got = after(&before, &outcome);
    let got: Vec<(&str, &str)> = got
        .iter()
        .map(|(name, bytes)| (name.as_str(), std::str::from_utf8(bytes).unwrap()))
        .collect();
    assert_eq!(got, expected, "{diff}");
}

fn refused(files: &[(&str, &str)], diff: &str) -> serde_json::Value {
    let reports = run_diff(&MemoryFiles::new(files), diff).expect_err(diff);
    reports[0].to_value()
}

const TEXT: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

#[test]
fn hunks_replace_insert_and_remove() {
    check(
        &[("f", TEXT)],
        "--- a/f\n+++ b/f\n@@ -1,4 +1,5 @@\n 1\n-2\n+two\n 3\n+3.5\n 4\n@@ -8,2 +9 @@ fn\n-8\n 9\n",
        &[("f", "1\ntwo\n3\n3.5\n4\n5\n6\n7\n9\n")],
    );
    check(
        &[("f", TEXT)],
        "diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+0\n@@ -9,0 +11 @@\n+10\n",
        &[("f", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n")],
    );
    check(
        &[("f", "a\r\nb\r\nc\r\n")],
        "--- f\n+++ f\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n+new\n c\n",
        &[("f", "a\r\nB\r\nnew\r\nc\r\n")],
    );
    check(
        &[("f", "a\r\nb\r\n")],
        "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+B\n",
        &[("f", "a\r\nB\n")],
    );
    check(
        &[("f", "a\nb")],
        "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n",
        &[("f", "a\nc\n")],
    );
    check(
        &[("f", "a\nb\n")],
        "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n",
        &[("f", "a\nc")],
    );
    check(
        &[("f", "a\nb")],
        "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
        &[("f", "a\nc")],
    );
}

#[test]
fn names_move_are_made_and_go() {
    check(
        &[("a", "x\n"), ("s", "#!\n")],
        "diff --git a/a b/d/b\nsimilarity index 50%\nrename from a\nrename to d/b\n--- a/a\n+++ b/d/b\n@@ -1 +1 @@\n-x\n+y\ndiff --git a/s b/s\nold mode 100644\nnew mode 100755\n",
        &[("d/b", "y\n"), ("s*", "#!\n")],
    );
    check(
        &[("a", "x\n"), ("b", "y\n"), ("c", "z\n")],
        "diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\ndiff --git a/b b/c\nsimilarity index 100%\nrename from b\nrename to c\ndiff --git a/c b/a\nsimilarity index 100%\nrename from c\nrename to a\n",
        &[("a", "z\n"), ("b", "x\n"), ("c", "y\n")],
    );
    check(
        &[("a", "x\n")],
        "diff --git a/a b/b\nsimilarity index 50%\ncopy from a\ncopy to b\n--- a/a\n+++ b/b\n@@ -1 +1,2 @@\n x\n+y\n",
        &[("a", "x\n"), ("b", "x\ny\n")],
    );
    check(
        &[("a", "x\n"), ("e", "")],
        "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\ndiff --git a/a b/a\nnew file mode 120000\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+n\n\\ No newline at end of file\ndiff --git a/e b/e\ndeleted file mode 100644\nindex e69de29..0000000\ndiff --git \"a/n \\303\\244\" \"b/n \\303\\244\"\nnew file mode 100755\nindex 0000000..e69de29\n",
        &[("a", "-> n"), ("n \u{e4}*", "")],
    );
    check(
        &[("l", "-> a")],
        "diff --git a/l b/l\nindex 1..2 120000\n--- a/l\n+++ b/l\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
        &[("l", "-> b")],
    );
    check(
        &[("d/x", "x\n"), ("f", "y\n")],
        "diff --git a/d/x b/d\nsimilarity index 100%\nrename from d/x\nrename to d\ndiff --git a/f b/f/y\nsimilarity index 100%\nrename from f\nrename to f/y\n",
        &[("d", "x\n"), ("f/y", "y\n")],
    );
}

#[test]
fn displaced_hunks_stand_where_they_fit_in_one_way() {
    let moved = format!("new\n{TEXT}");
    let before = MemoryFiles::new(&[("f", &moved)]);
    let diff = "--- f\n+++ f\n@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n";
    let outcome = run_diff(&before, diff).unwrap();
    assert_eq!(
        after(&before, &outcome)["f"],
        b"new\n1\n2\n3\n4\nfive\n6\n7\n8\n9\n"
    );
    assert_eq!(
        json!(outcome.warnings),
        json!([{"name": "hunk-offset", "path": "f", "detail": "hunk 1 stands at line 5, stated 4"}])
    );
    // The second hunk alone stands in two places, but only one of them is behind the first.
    check(
        &[("f", "x\na\nb\nx\nend\n")],
        "--- f\n+++ f\n@@ -9 +9 @@\n-b\n+B\n@@ -12 +12 @@\n-x\n+X\n",
        &[("f", "x\na\nB\nX\nend\n")],
    );
    // A stated line decides where it holds, although the lines stand elsewhere too.
    check(
        &[("f", "x\nx\nx\n")],
        "--- f\n+++ f\n@@ -2 +2 @@\n-x\n+X\n",
        &[("f", "x\nX\nx\n")],
    );
    for (text, diff, hunk, lines) in [
        ("x\nx\n", "@@ -5 +5 @@\n-x\n+X\n", 1, json!([1, 2])),
        (
            "a\nb\n",
            "@@ -1 +1 @@\n-b\n+B\n@@ -2 +2 @@\n-a\n+A\n",
            1,
            json!([]),
        ),
        ("a\nb\n", "@@ -1 +1 @@\n-c\n+B\n", 1, json!([])),
        ("a\nb\n", "@@ -7,0 +8 @@\n+c\n", 1, json!([])),
        (
            "a\nx\nx\n",
            "@@ -1 +1 @@\n-a\n+A\n@@ -5 +5 @@\n-x\n+X\n",
            2,
            json!([2, 3]),
        ),
        (
            "a\n",
            "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+A\n",
            1,
            json!([]),
        ),
    ] {
        let report = refused(&[("f", text)], &format!("--- f\n+++ f\n{diff}"));
        assert_eq!(
            (&report["code"], &report["hunk"], &report["lines"]),
            (&json!("patch/diff-hunk-mismatch"), &json!(hunk), &lines),
            "{diff}: {report}"
        );
    }
}

#[test]
fn counts_that_are_wrong_are_told() {
    let before = MemoryFiles::new(&[("f", TEXT), ("g", "a\n")]);
    let diff = "--- a/f\n+++ b/f\n@@ -1,9 +1,2 @@\n 1\n-2\n+two\n\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n";
    let outcome = run_diff(&before, diff).unwrap();
    assert_eq!(after(&before, &outcome)["g"], b"b\n");
    let names: Vec<&str> = outcome
        .warnings
        .iter()
        .map(|warning| warning.name)
        .collect();
    assert_eq!(names, ["hunk-count"]);
}

#[test]
fn what_is_no_diff_is_refused_by_its_line() {
    let long = format!(
        "--- f\n+++ f\n@@ -1 +1 @@\n-1\n+{}\n",
        "x".repeat(super::super::diff::MAX_DIFF_BYTES)
    );
    for (diff, line, reason) in [
        ("", 1, "the diff holds no file"),
        (
            "hello\nthere\n--- f\n+++ f\n@@ -1 +1 @@\n-1\n+2\n",
            1,
            "lines 1 to 2 are no part of a diff",
        ),
        (
            "--- f\n+++ f\n@@ -1 +1 @@\n-1\n+2\n\nbye\n",
            7,
            "lines 7 to 7 are no part of a diff",
        ),
        ("--- f\n+++ f\n", 1, "a file without a hunk"),
        (
            "--- f\n+++ f\n@@ ... @@\n-1\n+2\n",
            3,
            "a hunk header names its lines",
        ),
        (
            "--- f\n+++ f\n@@\n-1\n+2\n",
            3,
            "a hunk header names its lines",
        ),
        (
            "--- f\n+++ f\n@@ -1 +1 @@\n 1\n",
            3,
            "a hunk that changes nothing",
        ),
        ("@@ -1 +1 @@\n-1\n+2\n", 1, "a hunk without a file"),
        ("diff --cc f\n", 1, "lines 1 to 1 are no part of a diff"),
        (
            "--- f\n+++ g\n@@ -1 +1 @@\n-1\n+2\n",
            1,
            "the names `f` and `g` do not fit what the header says",
        ),
        (
            "diff --git a/f b/f\nGIT binary patch\n",
            2,
            "a binary file: send it by `replace-file`",
        ),
        (
            "diff --git a/f b/f\nBinary files a/f and b/f differ\n",
            2,
            "a binary file: send it by `replace-file`",
        ),
        (
            "diff --git a/s b/s\nindex 1..2 160000\n",
            2,
            "submodule: its commit is moved by no patch",
        ),
        (
            "--- s\n+++ s\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n",
            3,
            "submodule: its commit is moved by no patch",
        ),
        (
            "--- \"f\n+++ f\n@@ -1 +1 @@\n-1\n+2\n",
            1,
            "a quoted name does not end",
        ),
        (
            "--- f\n+++ f\n@@ -1 +1 @@\n-1\n+2\n--- f\n+++ f\n@@ -1 +1 @@\n-1\n+2\n",
            6,
            "`f` stands twice",
        ),
    ] {
        refuses_line(diff, line, reason);
    }
    assert_eq!(refused(&[("f", TEXT)], &long)["code"], json!("patch/limit"));
}

#[test]
fn names_and_modes_that_git_does_not_write_are_refused() {
    for (diff, line, reason) in [
        (
            "diff --git a/f b/f\nold mode 100644\nnew mode 070000\n",
            3,
            "`070000` is no mode of a file that git writes",
        ),
        (
            "diff --git a/f b/f\nold mode 100644\nnew mode 104755\n",
            3,
            "`104755` is no mode of a file that git writes",
        ),
        (
            "diff --git a/f b/f\nold mode 0100644\nnew mode 100755\n",
            2,
            "`0100644` is no mode of a file that git writes",
        ),
        (
            "diff --git a/n b/n\nnew file mode 100755\nindex 0..1 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n",
            3,
            "the mode is another than the one above",
        ),
        (
            "diff --git a/zz b/zz\nnew file mode 100755\n--- /dev/null\n+++ b/zz2\n@@ -0,0 +1 @@\n+n\n",
            1,
            "the header names others than `zz2` and `zz2`",
        ),
        (
            "diff --git a/zz b/zz\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n",
            1,
            "the header names others than `f` and `f`",
        ),
        (
            "diff --git a/zz b/zz\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-1\n+2\n",
            1,
            "the header names others than `f` and `f`",
        ),
        (
            "diff --git a/zz b/yy\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-1\n+2\n",
            1,
            "the header names others than `f` and `f`",
        ),
        (
            "diff --git a/zz b/yy\nrename from f\nrename to g\n",
            1,
            "the header names others than `f` and `g`",
        ),
        (
            "diff --git a/f b/g\nrename from f\nrename to g\n--- a/f\n+++ b/h\n@@ -1 +1 @@\n-1\n+2\n",
            5,
            "the name `b/h` is not `g`, which the header says",
        ),
        (
            "diff --git a/f \"b/f\" x\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-1\n+2\n",
            1,
            "the header names others than `f` and `f`",
        ),
    ] {
        refuses_line(diff, line, reason);
    }
}

fn refuses_line(diff: &str, line: usize, reason: &str) {
    let report = refused(&[("f", TEXT)], diff);
    assert_eq!(
        (&report["code"], &report["line"], &report["reason"]),
        (&json!("patch/diff-parse"), &json!(line), &json!(reason)),
        "{diff}: {report}"
    );
}

#[test]
fn each_file_of_a_diff_is_held_to_the_rules_of_paths() {
    let edit = |name: &str| format!("--- {name}\n+++ {name}\n@@ -1 +1 @@\n-1\n+2\n");
    for (diff, code) in [
        (edit("none"), "patch/path-state-conflict"),
        (edit("d"), "patch/path-state-conflict"),
        (edit("l"), "patch/path-symlink"),
        (edit("m/x"), "patch/path-symlink"),
        (edit("../x"), "patch/path"),
        (edit(".git/config"), "patch/path"),
        ("--- /dev/null\n+++ f\n@@ -0,0 +1 @@\n+x\n".to_owned(), "patch/path-state-conflict"),
        ("--- f\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n".to_owned(), "patch/diff-hunk-mismatch"),
        ("diff --git a/n b/n\nnew file mode 120000\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+../x\n\\ No newline at end of file\n".to_owned(), "patch/path"),
    ] {
        let report = refused(&[("f", TEXT), ("d/x", "1\n"), ("l", "-> f"), ("m", "-> d")], &diff);
        assert_eq!(report["code"], json!(code), "{diff}: {report}");
    }
    let both = format!("{}{}", edit("none"), edit("also"));
    let reports = run_diff(&MemoryFiles::new(&[("f", TEXT)]), &both).unwrap_err();
    assert_eq!(reports.len(), 2);
}

#[test]
fn context_does_not_fork_identity() {
    let files = MemoryFiles::new(&[("f", TEXT)]);
    let wide =
        "--- a/f\n+++ b/f\n@@ -1,9 +1,9 @@\n 1\n 2\n 3\n-4\n+four\n 5\n 6\n 7\n-8\n 9\n+10\n";
    let narrow =
        "--- a/f\n+++ b/f\n@@ -4 +4 @@\n-4\n+four\n@@ -8 +7,0 @@\n-8\n@@ -9,0 +9 @@\n+10\n";
    let patch = |diff| run_diff(&files, diff).unwrap().patch;
    assert_eq!(patch(wide), patch(narrow));
}
