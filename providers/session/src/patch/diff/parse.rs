//! Reading the text of a diff: its files, their headers and hunks.

use super::name;
use crate::patch::failure::Failure;
use crate::patch::report::clipped;

/// One file of a diff.
#[derive(Debug, Clone, Default)]
pub(super) struct FileDiff {
    /// Line of the diff where it starts, from 1.
    pub(super) line: usize,
    /// The name before; none where it is made.
    pub(super) old: Option<String>,
    /// The name after; none where it is removed.
    pub(super) new: Option<String>,
    /// What becomes of the name.
    pub(super) fate: Fate,
    pub(super) old_mode: Option<Mode>,
    pub(super) new_mode: Option<Mode>,
    pub(super) hunks: Vec<Hunk>,
}

/// What becomes of a name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Fate {
    #[default]
    Kept,
    Made,
    Removed,
    Renamed,
    Copied,
}

/// A mode as git knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    File { executable: bool },
    Link,
}

/// One hunk.
#[derive(Debug, Clone)]
pub(super) struct Hunk {
    /// Line of the diff where it starts, from 1.
    pub(super) line: usize,
    /// Its old line as stated, from 1; with no old lines the one before it.
    pub(super) old_start: usize,
    /// Whether its header states no old lines.
    pub(super) is_insertion: bool,
    /// Whether the counts of its header are wrong.
    pub(super) is_miscounted: bool,
    pub(super) lines: Vec<HunkLine>,
}

/// One line of a hunk.
#[derive(Debug, Clone)]
pub(super) struct HunkLine {
    pub(super) sign: Sign,
    /// Its text with its line end, if it has one.
    pub(super) text: String,
    /// Whether the diff says that it has no line end.
    pub(super) is_unended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Context,
    Removed,
    Added,
}

impl Hunk {
    /// The lines that stand in the file before.
    pub(super) fn old_lines(&self) -> impl Iterator<Item = &HunkLine> {
        self.lines.iter().filter(|line| line.sign != Sign::Added)
    }

    /// The lines that stand in the file after.
    pub(super) fn new_lines(&self) -> impl Iterator<Item = &HunkLine> {
        self.lines.iter().filter(|line| line.sign != Sign::Removed)
    }
}

/// Reads a diff.
pub(super) fn parse(diff: &str) -> Result<Vec<FileDiff>, Failure> {
    let lines: Vec<&str> = diff.split_inclusive('\n').collect();
    let is_git = lines.iter().any(|line| line.starts_with("diff --git "));
    let mut reader = Reader {
        lines,
        at: 0,
        is_git,
    };
    let mut files = Vec::new();
    while let Some(line) = reader.peek() {
        if is_blank(line) {
            reader.at += 1;
        } else if line.starts_with("diff --git ") {
            files.push(reader.git_file()?);
        } else if reader.starts_file(reader.at) {
            files.push(reader.plain_file()?);
        } else if line.starts_with("diff -") && reader.starts_file(reader.at + 1) {
            reader.at += 1;
        } else {
            return Err(reader.stray());
        }
    }
    if files.is_empty() {
        return Err(reader.fail("the diff holds no file"));
    }
    Ok(files)
}

struct Reader<'d> {
    lines: Vec<&'d str>,
    at: usize,
    is_git: bool,
}

fn is_blank(line: &str) -> bool {
    line.trim_end_matches(['\r', '\n']).is_empty()
}

impl<'d> Reader<'d> {
    fn peek(&self) -> Option<&'d str> {
        self.lines.get(self.at).copied()
    }

    fn fail(&self, reason: impl Into<String>) -> Failure {
        self.fail_at(self.at, reason)
    }

    fn fail_at(&self, at: usize, reason: impl Into<String>) -> Failure {
        Failure::DiffParse {
            line: at.min(self.lines.len().saturating_sub(1)) + 1,
            reason: reason.into(),
        }
    }

    /// Whether both names of a plain file stand at a line.
    fn starts_file(&self, at: usize) -> bool {
        let starts = |at: usize, with: &str| {
            self.lines
                .get(at)
                .is_some_and(|line| line.starts_with(with))
        };
        starts(at, "--- ") && starts(at + 1, "+++ ")
    }

    /// Text that is no part of the diff: where it starts and ends.
    fn stray(&self) -> Failure {
        let starts =
            |at: &usize| self.lines[*at].starts_with("diff --git ") || self.starts_file(*at);
        let end = (self.at..self.lines.len())
            .find(starts)
            .unwrap_or(self.lines.len());
        let reason = if self.lines[self.at].starts_with("@@@") {
            "a combined diff has no one state before".to_owned()
        } else if self.lines[self.at].starts_with("@@") {
            "a hunk without a file".to_owned()
        } else {
            format!("lines {} to {end} are no part of a diff", self.at + 1)
        };
        self.fail(reason)
    }

    fn git_file(&mut self) -> Result<FileDiff, Failure> {
        let start = self.at;
        let header = self.lines[start].trim_start_matches("diff --git ");
        let mut file = FileDiff {
            line: start + 1,
            ..FileDiff::default()
        };
        (file.old, file.new) = name::of_header(header).unzip();
        self.at += 1;
        while let Some(line) = self.peek() {
            if !self.extended(&mut file, line)? {
                break;
            }
            self.at += 1;
        }
        if self.starts_file(self.at) {
            self.git_sides(&mut file)?;
            self.hunks(&mut file)?;
        } else if matches!(file.fate, Fate::Made) {
            file.old = None;
        } else if matches!(file.fate, Fate::Removed) {
            file.new = None;
        }
        if let Some(old) = file.old.as_deref().or(file.new.as_deref()) {
            let new = file.new.as_deref().unwrap_or(old);
            if !name::header_says(header, old, new) {
                let reason = format!("the header names others than `{old}` and `{new}`");
                return Err(self.fail_at(start, reason));
            }
        }
        self.finish(start, file)
    }

    /// Takes the names of both sides below the header of git, which has named them already.
    fn git_sides(&mut self, file: &mut FileDiff) -> Result<(), Failure> {
        let at = self.at;
        let raw = [self.side(at)?, self.side(at + 1)?];
        let (old, new) = self.sides()?;
        let is_moved = matches!(file.fate, Fate::Renamed | Fate::Copied);
        for (index, (known, found)) in [(&mut file.old, old), (&mut file.new, new)]
            .into_iter()
            .enumerate()
        {
            let written = raw[index].as_deref();
            let agrees = written.zip(known.as_deref());
            if agrees.is_some_and(|(written, known)| name::is_written(written, known)) {
                continue;
            }
            if is_moved {
                let names = (
                    written.unwrap_or("/dev/null"),
                    known.as_deref().unwrap_or("/dev/null"),
                );
                let reason = format!(
                    "the name `{}` is not `{}`, which the header says",
                    names.0, names.1
                );
                return Err(self.fail_at(at + index, reason));
            }
            *known = found;
        }
        Ok(())
    }

    /// Takes one line of an extended header; false where it is none.
    fn extended(&self, file: &mut FileDiff, line: &str) -> Result<bool, Failure> {
        let named = |text: &str| {
            name::of_line(text)
                .map(Some)
                .map_err(|reason| self.fail(reason))
        };
        let line = line.trim_end_matches(['\r', '\n']);
        if let Some(mode) = line.strip_prefix("old mode ") {
            file.old_mode = Some(self.mode(mode)?);
        } else if let Some(mode) = line.strip_prefix("new mode ") {
            file.new_mode = Some(self.mode(mode)?);
        } else if let Some(mode) = line.strip_prefix("deleted file mode ") {
            file.old_mode = Some(self.mode(mode)?);
            file.fate = Fate::Removed;
        } else if let Some(mode) = line.strip_prefix("new file mode ") {
            file.new_mode = Some(self.mode(mode)?);
            file.fate = Fate::Made;
        } else if let Some(name) = line.strip_prefix("rename from ") {
            (file.old, file.fate) = (named(name)?, Fate::Renamed);
        } else if let Some(name) = line.strip_prefix("rename to ") {
            (file.new, file.fate) = (named(name)?, Fate::Renamed);
        } else if let Some(name) = line.strip_prefix("copy from ") {
            (file.old, file.fate) = (named(name)?, Fate::Copied);
        } else if let Some(name) = line.strip_prefix("copy to ") {
            (file.new, file.fate) = (named(name)?, Fate::Copied);
        } else if let Some(rest) = line.strip_prefix("index ") {
            if let Some((_, mode)) = rest.split_once(' ') {
                let mode = self.mode(mode)?;
                let differs = |known: Option<Mode>| known.is_some_and(|known| known != mode);
                if differs(file.old_mode) || differs(file.new_mode) {
                    return Err(self.fail("the mode is another than the one above"));
                }
                (file.old_mode, file.new_mode) = (Some(mode), Some(mode));
            }
        } else if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") {
            return Err(self.fail("a binary file: send it by `replace-file`"));
        } else {
            let is_known = ["similarity index ", "dissimilarity index "];
            return Ok(is_known.iter().any(|known| line.starts_with(known)));
        }
        Ok(true)
    }

    fn mode(&self, text: &str) -> Result<Mode, Failure> {
        match text.trim() {
            "120000" => Ok(Mode::Link),
            "160000" => Err(self.fail("submodule: its commit is moved by no patch")),
            "100644" => Ok(Mode::File { executable: false }),
            "100755" => Ok(Mode::File { executable: true }),
            mode => {
                let mode = clipped(mode, 40);
                Err(self.fail(format!("`{mode}` is no mode of a file that git writes")))
            }
        }
    }

    fn plain_file(&mut self) -> Result<FileDiff, Failure> {
        let start = self.at;
        let mut file = FileDiff {
            line: start + 1,
            ..FileDiff::default()
        };
        (file.old, file.new) = self.sides()?;
        file.fate = match (&file.old, &file.new) {
            (None, _) => Fate::Made,
            (_, None) => Fate::Removed,
            _ => Fate::Kept,
        };
        self.hunks(&mut file)?;
        self.finish(start, file)
    }

    /// The names of both sides.
    fn sides(&mut self) -> Result<(Option<String>, Option<String>), Failure> {
        let (old, new) = (self.side(self.at)?, self.side(self.at + 1)?);
        self.at += 2;
        Ok(name::without_prefixes(old, new))
    }

    /// The name at a line, as it is written there.
    fn side(&self, at: usize) -> Result<Option<String>, Failure> {
        name::of_side(&self.lines[at][4..]).map_err(|reason| self.fail_at(at, reason))
    }

    fn finish(&self, start: usize, file: FileDiff) -> Result<FileDiff, Failure> {
        let fits = match (file.fate, &file.old, &file.new) {
            (Fate::Kept, Some(old), Some(new)) => old == new,
            (Fate::Made, None, Some(_)) | (Fate::Removed, Some(_), None) => true,
            (Fate::Renamed | Fate::Copied, Some(old), Some(new)) => old != new,
            _ => false,
        };
        if !fits {
            let shown = |name: &Option<String>| name.clone().unwrap_or_else(|| "/dev/null".into());
            let (old, new) = (shown(&file.old), shown(&file.new));
            let reason = format!("the names `{old}` and `{new}` do not fit what the header says");
            return Err(self.fail_at(start, reason));
        }
        let changes = !file.hunks.is_empty()
            || file.fate != Fate::Kept
            || (file.old_mode != file.new_mode && file.new_mode.is_some());
        if !changes {
            return Err(self.fail_at(start, "a file without a hunk"));
        }
        Ok(file)
    }

    fn hunks(&mut self, file: &mut FileDiff) -> Result<(), Failure> {
        while let Some(line) = self.peek() {
            let Some(header) = line.strip_prefix("@@ ") else {
                let is_bare = line.starts_with("@@");
                return if is_bare {
                    Err(self.fail("a hunk header names its lines"))
                } else {
                    Ok(())
                };
            };
            let stated = header_counts(header);
            let stated = stated.ok_or_else(|| self.fail("a hunk header names its lines"))?;
            file.hunks.push(self.hunk(stated)?);
        }
        Ok(())
    }

    fn hunk(&mut self, stated: [usize; 4]) -> Result<Hunk, Failure> {
        let [old_start, old_count, _, new_count] = stated;
        let header = self.at;
        self.at += 1;
        let mut hunk = Hunk {
            line: header + 1,
            old_start,
            is_insertion: old_count == 0,
            is_miscounted: false,
            lines: Vec::new(),
        };
        if !self.counted(&mut hunk, old_count, new_count) {
            self.at = header + 1;
            hunk.lines.clear();
            hunk.is_miscounted = true;
            self.uncounted(&mut hunk)?;
        }
        if hunk
            .lines
            .iter()
            .any(|line| line.text.starts_with("Subproject commit "))
        {
            return Err(self.fail_at(header, "submodule: its commit is moved by no patch"));
        }
        if hunk.lines.iter().all(|line| line.sign == Sign::Context) {
            return Err(self.fail_at(header, "a hunk that changes nothing"));
        }
        Ok(hunk)
    }

    /// Reads as many lines as the header says; false where they are not there, or more follow.
    fn counted(&mut self, hunk: &mut Hunk, mut old: usize, mut new: usize) -> bool {
        while old > 0 || new > 0 {
            let Some(line) = self.peek().and_then(hunk_line) else {
                return false;
            };
            let takes_old = line.sign != Sign::Added;
            let takes_new = line.sign != Sign::Removed;
            if (takes_old && old == 0) || (takes_new && new == 0) {
                return false;
            }
            old -= usize::from(takes_old);
            new -= usize::from(takes_new);
            self.at += 1;
            self.push(hunk, line);
        }
        let follows = self.peek().unwrap_or_default();
        let goes_on = follows.starts_with([' ', '+', '-']) && !self.starts_file(self.at);
        !goes_on
    }

    /// Reads lines up to what cannot be one of a hunk.
    fn uncounted(&mut self, hunk: &mut Hunk) -> Result<(), Failure> {
        while let Some(line) = self.peek() {
            if self.starts_file(self.at) && self.follows_hunk(self.at + 2) && !self.is_git {
                if !self.names_one_file(self.at) {
                    return Err(self.fail(
                        "the counts of the hunk are wrong, and whether it ends here is not clear",
                    ));
                }
                break;
            }
            let Some(line) = hunk_line(line) else { break };
            self.at += 1;
            self.push(hunk, line);
        }
        while hunk
            .lines
            .last()
            .is_some_and(|line| line.sign == Sign::Context && line.text == "\n")
        {
            // An empty line at the end stands behind the hunk as likely as in it, and says nothing.
            hunk.lines.pop();
        }
        Ok(())
    }

    fn follows_hunk(&self, at: usize) -> bool {
        self.lines
            .get(at)
            .is_some_and(|line| line.starts_with("@@ "))
    }

    fn names_one_file(&self, at: usize) -> bool {
        let side = |at: usize| name::of_side(&self.lines[at][4..]).ok().flatten();
        let (old, new) = name::without_prefixes(side(at), side(at + 1));
        old == new || old.is_none() || new.is_none()
    }

    /// Adds a line, and what the diff says of its line end.
    fn push(&mut self, hunk: &mut Hunk, mut line: HunkLine) {
        if self.peek().is_some_and(|next| next.starts_with('\\')) && line.text.ends_with('\n') {
            self.at += 1;
            line.is_unended = true;
            // The line feed is the diff's own; a carriage return before it is data of the line.
            line.text.pop();
        } else if !line.text.ends_with('\n') {
            // The last line of a text that was cut off behind it.
            line.text.push('\n');
        }
        hunk.lines.push(line);
    }
}

/// A line of a hunk; an empty one is context whose blank was taken off on the way.
fn hunk_line(line: &str) -> Option<HunkLine> {
    let (sign, text) = match line.as_bytes().first() {
        Some(b' ') => (Sign::Context, &line[1..]),
        Some(b'-') => (Sign::Removed, &line[1..]),
        Some(b'+') => (Sign::Added, &line[1..]),
        Some(b'\n') => (Sign::Context, line),
        Some(b'\r') if line == "\r\n" => (Sign::Context, line),
        _ => return None,
    };
    Some(HunkLine {
        sign,
        text: text.to_owned(),
        is_unended: false,
    })
}

/// Starts and counts of `-l,c +l,c @@`.
fn header_counts(header: &str) -> Option<[usize; 4]> {
    let (ranges, _) = header.split_once(" @@")?;
    let (old, new) = ranges.split_once(' ')?;
    let range = |text: &str| {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        let number = |text: &str| text.parse::<u32>().ok().map(|number| number as usize);
        Some((number(start)?, number(count)?))
    };
    let (old_start, old_count) = range(old.strip_prefix('-')?)?;
    let (new_start, new_count) = range(new.strip_prefix('+')?)?;
    Some([old_start, old_count, new_start, new_count])
}
