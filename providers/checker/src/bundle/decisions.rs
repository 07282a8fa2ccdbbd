//! `decisions.md`: the decisions that a definition is subject to, and the labels by which a draft cites them.

use std::fmt::Write;

use crate::project::InScope;

/// Why writing to a text cannot fail.
const GROWS: &str = "a text takes all that is written to it";

/// Gives the text of the file: the project's section first, then that of the module; empty where there are no decisions.
pub(crate) fn decisions_text(decisions: &[InScope<'_>], module: &str) -> String {
    if decisions.is_empty() {
        return String::new();
    }
    let mut text = "# Decisions\n\n".to_owned();
    for (is_projects, heading) in [
        (true, "## project".to_owned()),
        (false, format!("## module {module}")),
    ] {
        let own = decisions.iter();
        let mut own = own.filter(|one| one.is_projects == is_projects).peekable();
        if own.peek().is_none() {
            continue;
        }
        writeln!(text, "{heading}\n").expect(GROWS);
        for one in own {
            let decision = one.decision;
            writeln!(text, "- **{}** — {}", decision.label.value, decision.text).expect(GROWS);
            for reason in &decision.rejected {
                writeln!(text, "  rejected: {reason}").expect(GROWS);
            }
        }
        text.push('\n');
    }
    text
}
