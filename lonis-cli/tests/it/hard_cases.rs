//! The table of hard cases: what a host does when the other side misbehaves, a test for each row, numbered as its row.
//!
//! Each case runs in a host process of its own and asserts five things: the kind of what came out, its exit code, the
//! time that it took, the memory that it took, and that no process is left. How is in `host.rs`.

mod command_line;
mod contract;
mod host;
mod output;
mod processes;
mod streams;

use std::collections::BTreeMap;
use std::process::Command;

/// The rows of the table.
const ROWS: std::ops::RangeInclusive<u32> = 1..=54;

#[test]
fn every_row_has_exactly_one_case() {
    let own = std::env::current_exe().unwrap();
    let listed = Command::new(own).arg("--list").output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let mut cases: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for line in listed.lines() {
        let Some(path) = line.strip_suffix(": test") else {
            continue;
        };
        let name = path.rsplit("::").next().unwrap_or(path);
        let numbered = name.strip_prefix("case_");
        if let Some((number, _)) = numbered.and_then(|rest| rest.split_once('_')) {
            cases.entry(number.parse().unwrap()).or_default().push(path);
        }
    }
    for (row, paths) in &cases {
        assert!(ROWS.contains(row), "no row {row}: {paths:?}");
        assert_eq!(paths.len(), 1, "row {row}: {paths:?}");
    }
    let missing: Vec<u32> = ROWS.filter(|row| !cases.contains_key(row)).collect();
    assert_eq!(missing, [0; 0], "rows without a case");
}
