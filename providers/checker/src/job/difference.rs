//! The lines by which two texts differ.

use imara_diff::{Algorithm, BasicLineDiffPrinter, Diff, InternedInput, UnifiedDiffConfig};

/// How many lines around a change are shown.
const CONTEXT_LINES: u32 = 1;

/// Gives the changed lines of a text, `-` before those that are gone and `+` before those that came; none where the two are
/// the same.
pub(super) fn difference(before: &str, after: &str) -> String {
    let input = InternedInput::new(before, after);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let printer = BasicLineDiffPrinter(&input.interner);
    let mut config = UnifiedDiffConfig::default();
    config.context_len(CONTEXT_LINES);
    diff.unified_diff(&printer, config, &input).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_far_apart_are_shown_each_with_its_lines() {
        let cases = [
            ("a\nb\n", "a\nb\n", ""),
            ("a\nb\n", "a\nx\nb\n", "@@ -1,2 +1,3 @@\n a\n+x\n b\n"),
            ("a\nb\n", "a\nx\n", "@@ -1,2 +1,2 @@\n a\n-b\n+x\n"),
            (
                "a\n1\n2\n3\n4\nb\n",
                "A\n1\n2\n3\n4\nB\n",
                "@@ -1,2 +1,2 @@\n-a\n+A\n 1\n@@ -5,2 +5,2 @@\n 4\n-b\n+B\n",
            ),
        ];
        for (before, after, expected) in cases {
            assert_eq!(difference(before, after), expected, "{before:?} {after:?}");
        }
    }
}
