//! The script of one session, and its output cut into that of each command.

use std::fmt::Write;
use std::hash::{BuildHasher, RandomState};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use soil::spec::{Cram, CramFile};

/// What the shell is started with: it takes the script from stdin, which is empty from then on.
///
/// A script that stood in a file would show in what the shell says of errors, and one among the arguments may be too long.
pub(super) const BOOT: &str =
    "lonis_script=$(cat) && exec </dev/null 2>&1 && eval \"unset lonis_script\n$lonis_script\"";

const GROWS: &str = "a text takes all that is written to it";

/// The script of a session.
pub(super) struct Script {
    text: String,
    /// What no command prints by chance.
    mark: String,
    step_count: usize,
}

/// What came of one command.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ran<'o> {
    /// It ended, and the shell went on.
    Ended { output: &'o [u8], status: u8 },
    /// The shell ended within it.
    Cut { output: &'o [u8] },
    /// The shell had ended before.
    Never,
}

impl Script {
    /// Writes the script: files, `trellis`, then each command with a mark behind its output.
    pub(super) fn new(cram: &Cram, checker: &Path) -> Self {
        let chance = RandomState::new();
        let mark = format!(
            "{:016x}{:016x}",
            chance.hash_one(0_u8),
            chance.hash_one(1_u8)
        );
        let mut text = String::new();
        // Beside the session's own folder, so that a listing of it shows what the spec says.
        text.push_str("mkdir \"$HOME/.trellis\" && ln -s ");
        quote(&mut text, checker.as_os_str().as_bytes());
        text.push_str(" \"$HOME/.trellis/trellis\" || exit\nPATH=\"$HOME/.trellis:$PATH\"\n");
        for file in &cram.files {
            make(&mut text, file);
        }
        for step in &cram.steps {
            // A command that does not read is an error of its own line and hides no mark.
            text.push_str("eval ");
            quote(&mut text, step.command.value.as_bytes());
            writeln!(text, "\ncommand printf '\\n%s %s\\n' {mark} \"$?\"").expect(GROWS);
        }
        Self {
            text,
            mark,
            step_count: cram.steps.len(),
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Cuts the output of the shell; one for each command.
    pub(super) fn read<'o>(&self, mut output: &'o [u8]) -> Vec<Ran<'o>> {
        let mark = format!("\n{} ", self.mark);
        let mut found = Vec::with_capacity(self.step_count);
        while found.len() < self.step_count {
            let Some((own, status, rest)) = cut(output, mark.as_bytes()) else {
                found.push(Ran::Cut { output });
                break;
            };
            found.push(Ran::Ended {
                output: own,
                status,
            });
            output = rest;
        }
        found.resize_with(self.step_count, || Ran::Never);
        found
    }
}

/// Cuts at the first mark: what stands before it, the status in it, and what comes after it.
fn cut<'o>(output: &'o [u8], mark: &[u8]) -> Option<(&'o [u8], u8, &'o [u8])> {
    let at = output
        .windows(mark.len())
        .position(|window| window == mark)?;
    let behind = &output[at + mark.len()..];
    let end = behind.iter().position(|byte| *byte == b'\n')?;
    let status = std::str::from_utf8(&behind[..end]).ok()?.parse().ok()?;
    Some((&output[..at], status, &behind[end + 1..]))
}

/// Writes the commands that make a file with the folders above it, or end the session.
fn make(text: &mut String, file: &CramFile) {
    if let Some((folder, _)) = file.path.rsplit_once('/') {
        text.push_str("mkdir -p -- ");
        quote(text, folder.as_bytes());
        text.push_str(" || exit\n");
    }
    text.push_str("command printf '");
    for byte in file.content.bytes() {
        match byte {
            b'%' => text.push_str("%%"),
            // A text that begins with a dash would be an option.
            b'-' | b'\'' | b'\\' | 0..=8 | 11..=31 | 127.. => {
                write!(text, "\\{byte:03o}").expect(GROWS);
            }
            byte => text.push(char::from(byte)),
        }
    }
    text.push_str("' > ");
    quote(text, format!("./{}", file.path).as_bytes());
    text.push_str(" || exit\n");
}

/// Writes a word that means itself to a shell.
fn quote(text: &mut String, word: &[u8]) {
    text.push('\'');
    text.push_str(&String::from_utf8_lossy(word).replace('\'', "'\\''"));
    text.push('\'');
}
