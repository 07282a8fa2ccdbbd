//! A real disk that is full: a small file system in memory, where one can be mounted.

use std::process::{Command, Stdio};

use crate::program::{PROGRAM, patch, replace};

/// Mounts the disk in namespaces of its own, fills it up but for some pages, applies, frees it, applies again. Prints a line for
/// each try: the pages that were free, the exit code, the first line of each file.
const SCRIPT: &str = r#"
mount -t tmpfs -o size=768k,mode=755 none "$1" || exit 77
program=$2
cd "$1" || exit 78
mkdir d; echo '*.log' > .gitignore
for name in a b c d/e; do
  { echo one; head -c 9000 /dev/zero | tr '\0' 'x'; echo; } > $name
done
"$program" --json begin s > /dev/null || exit 79
"$program" --json stage s --patch - > /dev/null || exit 80
page=0
while [ $page -lt 64 ]; do
  cat /dev/zero > filler.log 2> /dev/null
  size=$(wc -c < filler.log)
  truncate -s $((size - page * 4096)) filler.log
  "$program" --json apply s > answer.log 2> /dev/null
  code=$?
  rm -f filler.log
  echo "$page $code $(head -qn1 a b c d/e | tr '\n' ' ')"
  [ $code -eq 0 ] && exit 0
  page=$((page + 1))
done
"#;

#[test]
fn a_full_disk_refuses_an_apply_and_leaves_the_base_until_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let ops = ["a", "b", "c", "d/e"].map(|path| replace(path, "one", "two"));
    let patch_file = folder.path().join("patch");
    std::fs::write(&patch_file, patch(&ops).to_string()).unwrap();
    let disk = folder.path().join("disk");
    std::fs::create_dir(&disk).unwrap();
    std::fs::create_dir(folder.path().join("home")).unwrap();
    let script = SCRIPT.replace("--patch -", "--patch \"$3\"");
    let output = Command::new("unshare")
        .args([
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            &script,
            "sh",
        ])
        .args([disk.as_os_str(), PROGRAM.as_ref(), patch_file.as_os_str()])
        .env("HOME", folder.path().join("home"))
        .stdin(Stdio::null())
        .output();
    let printed = match &output {
        Ok(output) if matches!(output.status.code(), Some(0 | 79..)) => {
            String::from_utf8_lossy(&output.stdout).into_owned()
        }
        // No namespaces, or no mount in them.
        other => {
            eprintln!("left out: no file system can be mounted here ({other:?})");
            return;
        }
    };
    let output = output.unwrap();
    assert!(output.status.success(), "{output:?}");
    let lines: Vec<&str> = printed.lines().collect();
    let (last, refused) = lines.split_last().unwrap();
    assert!(!refused.is_empty(), "{printed}");
    for line in refused {
        // `session/store-space`, `session/state-write` and `session/apply-failed` all end with 8.
        assert!(line.ends_with(" 8 one one one one "), "{line} of {printed}");
    }
    assert!(last.ends_with(" 0 two two two two "), "{printed}");
}
