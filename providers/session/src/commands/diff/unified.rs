//! The unified form of one changed file.

use std::fmt::{self, Write};

use imara_diff::{
    Algorithm, Diff, InternedInput, Interner, Token, UnifiedDiffConfig, UnifiedDiffPrinter,
};

use crate::snapshot::change::Change;
use crate::snapshot::tree::Entry;

/// One file in the unified form, as `git apply` reads it.
pub(super) fn text_of(change: &Change, before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    let path = change.path.as_str();
    let (old, new) = match (before, after) {
        (None, _) => ("/dev/null".to_owned(), format!("b/{path}")),
        (_, None) => (format!("a/{path}"), "/dev/null".to_owned()),
        _ => (format!("a/{path}"), format!("b/{path}")),
    };
    let mut text = format!("diff --git a/{path} b/{path}\n");
    let mode = |entry: Option<&Entry>| match entry {
        None => None,
        Some(entry) if entry.is_link() => Some("120000"),
        Some(entry) if entry.is_executable() => Some("100755"),
        Some(_) => Some("100644"),
    };
    let modes = match (mode(change.before.as_ref()), mode(change.after.as_ref())) {
        (None, Some(mode)) => format!("new file mode {mode}\n"),
        (Some(mode), None) => format!("deleted file mode {mode}\n"),
        (Some(old), Some(new)) if old != new => format!("old mode {old}\nnew mode {new}\n"),
        _ => String::new(),
    };
    text.push_str(&modes);
    let as_text =
        |bytes: Option<&[u8]>| std::str::from_utf8(bytes.unwrap_or_default()).map(str::to_owned);
    match (as_text(before), as_text(after)) {
        (Ok(before), Ok(after)) if before == after => text,
        (Ok(before), Ok(after)) => {
            let hunks = hunks(&before, &after);
            format!("{text}--- {old}\n+++ {new}\n{hunks}")
        }
        _ => format!("{text}Binary files {old} and {new} differ\n"),
    }
}

fn hunks(before: &str, after: &str) -> String {
    let input = InternedInput::new(before, after);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let lines = Lines(&input.interner);
    diff.unified_diff(&lines, UnifiedDiffConfig::default(), &input)
        .to_string()
}

/// Lines as git prints them: one without an end says so, and an empty side counts from the line before.
struct Lines<'a>(&'a Interner<&'a str>);

impl Lines<'_> {
    fn line(&self, out: &mut impl Write, sign: char, token: Token) -> fmt::Result {
        let line = self.0[token];
        write!(out, "{sign}{line}")?;
        if line.ends_with('\n') {
            Ok(())
        } else {
            out.write_str("\n\\ No newline at end of file\n")
        }
    }
}

impl UnifiedDiffPrinter for Lines<'_> {
    fn display_header(
        &self,
        mut out: impl Write,
        start_before: u32,
        start_after: u32,
        len_before: u32,
        len_after: u32,
    ) -> fmt::Result {
        let first = |start: u32, len: u32| if len == 0 { start } else { start + 1 };
        writeln!(
            out,
            "@@ -{},{len_before} +{},{len_after} @@",
            first(start_before, len_before),
            first(start_after, len_after)
        )
    }

    fn display_context_token(&self, mut out: impl Write, token: Token) -> fmt::Result {
        self.line(&mut out, ' ', token)
    }

    fn display_hunk(&self, mut out: impl Write, before: &[Token], after: &[Token]) -> fmt::Result {
        for (sign, tokens) in [('-', before), ('+', after)] {
            for &token in tokens {
                self.line(&mut out, sign, token)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::hunks;

    #[test]
    fn hunks_are_what_git_prints() {
        for (before, after, expected) in [
            ("", "a\n", "@@ -0,0 +1,1 @@\n+a\n"),
            ("a\n", "", "@@ -1,1 +0,0 @@\n-a\n"),
            (
                "a\nb",
                "a\nb\n",
                "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
            ),
            (
                "a\nb",
                "c\nb",
                "@@ -1,2 +1,2 @@\n-a\n+c\n b\n\\ No newline at end of file\n",
            ),
            (
                "to",
                "elsewhere",
                "@@ -1,1 +1,1 @@\n-to\n\\ No newline at end of file\n+elsewhere\n\\ No newline at end of file\n",
            ),
            ("a\r\nb\n", "a\nb\n", "@@ -1,2 +1,2 @@\n-a\r\n+a\n b\n"),
        ] {
            assert_eq!(hunks(before, after), expected, "{before:?} to {after:?}");
        }
    }
}
