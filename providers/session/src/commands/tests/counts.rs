//! What a command writes and syncs, counted by the disk.

use super::*;
use crate::store::disk::stopping::{StoppingDisk, Upset};

/// Runs a command, and gives its steps in words.
fn traced(tree: &Tree, command: Command, input: &Value) -> Vec<String> {
    let disk = RootDisk::open(tree.root()).unwrap();
    let counting = Rc::new(StoppingDisk::new(disk, u64::MAX, Upset::Nothing));
    let surroundings = {
        let counting = Rc::clone(&counting);
        super::surroundings(move |_| Ok(Box::new(Rc::clone(&counting))))
    };
    if let Err(failure) = run(command, input, &surroundings) {
        panic!("{command:?}: {failure:?}");
    }
    counting.trace()
}

fn count(trace: &[String], start: &str) -> usize {
    trace.iter().filter(|step| step.starts_with(start)).count()
}

/// A tree of many files of which a session changes some.
fn staged(files: usize, changed: usize) -> (Tree, Vec<Vec<String>>) {
    let tree = Tree {
        folder: tempfile::tempdir().unwrap(),
    };
    for number in 0..files {
        tree.write(&format!("d{}/f{number}", number % 7), "one\n");
    }
    let ops: Vec<Value> = (0..changed)
        .map(|number| {
            json!({"op": "replace-text", "path": format!("d{}/f{number}", number % 7),
                "find": "one", "replace": "two"})
        })
        .collect();
    let mut stage = tree.input(Command::Stage);
    stage["patch"]["ops"] = json!(ops);
    let mut traces = Vec::new();
    for (command, input) in [
        (Command::Begin, tree.input(Command::Begin)),
        (Command::Stage, stage),
        (Command::Test, tree.input(Command::Test)),
    ] {
        traces.push(traced(&tree, command, &input));
    }
    (tree, traces)
}

#[test]
fn an_apply_syncs_equally_often_however_many_paths_and_writes_only_them() {
    for changed in [9, 120] {
        let (tree, _) = staged(200, changed);
        let trace = traced(&tree, Command::Apply, &tree.input(Command::Apply));
        let about = || format!("{changed} paths: {trace:?}");
        assert_eq!(count(&trace, "syncfs"), 2, "{}", about());
        // The journal twice, file and directory, and its directory once more as it goes; the log.
        assert_eq!(
            count(&trace, "sync .lonis/session/journal"),
            5,
            "{}",
            about()
        );
        assert_eq!(
            count(&trace, "sync .lonis/session/transactions/s/log.ndjson"),
            1
        );
        assert_eq!(count(&trace, "sync "), 6, "{}", about());
        assert_eq!(count(&trace, "exchange "), changed);
        let live: Vec<&String> = trace
            .iter()
            .filter(|step| {
                let mut words = step.split(' ').skip(1);
                words.any(|path| !path.starts_with(".lonis/"))
            })
            .collect();
        assert_eq!(live.len(), changed, "{}", about());
        // For each path: its file, its mode, its exchange, the end of the old one; the rest is the same for all.
        let rest = trace.len() - 4 * changed;
        assert!(
            rest < 24,
            "{rest} steps beside those of the paths: {}",
            about()
        );
    }
}

#[test]
fn a_command_syncs_one_segment_and_one_line() {
    let (_, traces) = staged(40, 3);
    for (trace, line) in traces.iter().zip([
        "rename .lonis/session/transactions/s/log.ndjson.0.tmp",
        "append .lonis/session/transactions/s/log.ndjson",
        "append .lonis/session/transactions/s/log.ndjson",
    ]) {
        assert_eq!(count(trace, line), 1, "{trace:?}");
        let segments = trace
            .iter()
            .filter(|step| step.starts_with("rename-new .lonis/session/objects/"));
        // A candidate and its evidence are stored apart: the store is not locked while obligations run.
        let most = if trace[0].contains("log") { 1 } else { 2 };
        assert!(segments.count() <= most, "{trace:?}");
    }
    assert_eq!(
        count(&traces[0], "rename-new .lonis/session/objects/"),
        1,
        "{:?}",
        traces[0]
    );
}

/// `begin`, `stage` and `test` only read the live tree.
#[test]
fn commands_before_apply_write_below_the_store_alone() {
    let (_, traces) = staged(40, 3);
    for step in traces.iter().flatten() {
        let mut paths = step.split(' ').skip(1);
        assert!(
            paths.all(|path| path.is_empty() || path.starts_with(".lonis")),
            "{step}"
        );
    }
}
