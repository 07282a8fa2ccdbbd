//! Changes that the toolchain makes to a `.tr` file: a signature, an answered question, a decision.
//!
//! Each gives a new text and leaves every other byte alone. What is written stays inside its item: it opens no fence,
//! heading or list item, whatever the text says.

use thiserror::Error;

use super::block::BlockKind;
use super::container::Container;

/// Why a text cannot be written into a `.tr` file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WriteBackError {
    /// Nothing would be written.
    #[error("the {what} is empty")]
    Empty {
        /// What is empty.
        what: &'static str,
    },
    /// A line would not stay inside its item.
    #[error("the line `{line}` would begin a fence, a heading, a list item or a quote")]
    LeavesItem {
        /// The line.
        line: String,
    },
    /// The label cannot be cited.
    #[error("`{label}` is no label: it is one line without `:`")]
    Label {
        /// The label.
        label: String,
    },
    /// The file has no block to add to.
    #[error("the file has no `decisions` block")]
    NoDecisions,
}

/// Adds the signature of a body to a function's file, before the first reserved block, for the agent to change.
pub fn with_signature(text: &str, container: &Container, signature: &str) -> String {
    let is_reserved = |lang: &str| BlockKind::from_text(lang).is_some();
    let first = container
        .fences
        .iter()
        .find(|fence| is_reserved(&fence.info.lang));
    let place = first.map_or(text.len(), |fence| fence.span.start as usize);
    let (before, after) = text.split_at(place);
    let gap = if before.ends_with('\n') { "" } else { "\n" };
    format!(
        "{before}{gap}```soil-sig @agent\n{}\n```\n\n{after}",
        signature.trim_end()
    )
}

/// Adds a question and its answer to the section `## Clarifications`, which is made at the end where there is none.
///
/// # Errors
/// When question or answer is empty, or a line of one would not stay inside its item.
pub fn with_clarification(
    text: &str,
    question: &str,
    answer: &str,
) -> Result<String, WriteBackError> {
    let question = indented("question", question)?;
    let answer = indented("answer", answer)?;
    let entry = format!("- **Q:** {question}\n  **A:** {answer}\n");
    let mut out = text.to_owned();
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    if let Some(end) = section_end(&out) {
        out.insert_str(end, &entry);
    } else {
        out.push_str("\n## Clarifications\n\n");
        out.push_str(&entry);
    }
    Ok(out)
}

/// Adds a decision to the `decisions` block of a module's or a project's file.
///
/// # Errors
/// When the label or the text does not fit one entry, or the file has no such block.
pub fn with_decision(
    text: &str,
    container: &Container,
    label: &str,
    decision: &str,
    rejected: &[String],
) -> Result<String, WriteBackError> {
    let is_label =
        !label.trim().is_empty() && !label.contains([':', '\n', '\r']) && label.trim() == label;
    if !is_label || label.starts_with(['`', '~']) {
        let label = label.to_owned();
        return Err(WriteBackError::Label { label });
    }
    let is_decisions = |lang: &str| lang == BlockKind::Decisions.text();
    let fence = container
        .fences
        .iter()
        .find(|fence| is_decisions(&fence.info.lang));
    let fence = fence.ok_or(WriteBackError::NoDecisions)?;
    let mut entry = format!("{label}: {}\n", one_line("decision", decision)?);
    for reason in rejected {
        entry.push_str("  rejected: ");
        entry.push_str(&one_line("rejected", reason)?);
        entry.push('\n');
    }
    let mut out = text.to_owned();
    out.insert_str(fence.content.end as usize, &entry);
    Ok(out)
}

/// Finds the end of the section `## Clarifications`: before the next heading of its level or above, or at the end.
fn section_end(text: &str) -> Option<usize> {
    let mut at = 0;
    let mut is_inside = false;
    let mut end = None;
    for line in text.split_inclusive('\n') {
        let heading = line.trim_end();
        if is_inside && (heading.starts_with("# ") || heading.starts_with("## ")) {
            break;
        }
        is_inside |= heading == "## Clarifications";
        at += line.len();
        if is_inside && !heading.is_empty() {
            end = Some(at);
        }
    }
    end
}

/// Gives a text on one line.
fn one_line(what: &'static str, text: &str) -> Result<String, WriteBackError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.is_empty() {
        Err(WriteBackError::Empty { what })
    } else {
        Ok(words.join(" "))
    }
}

/// Gives a text whose further lines are indented as far as the item that it stands in.
fn indented(what: &'static str, text: &str) -> Result<String, WriteBackError> {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    if lines.is_empty() {
        return Err(WriteBackError::Empty { what });
    }
    // The first line stands behind a mark, where it begins nothing.
    match lines[1..].iter().find(|line| begins_block(line)) {
        Some(line) => Err(WriteBackError::LeavesItem {
            line: (*line).to_owned(),
        }),
        None => Ok(lines.join("\n  ")),
    }
}

/// Says whether a line would be something else than the rest of a paragraph.
fn begins_block(line: &str) -> bool {
    let digits = line.trim_start_matches(|character: char| character.is_ascii_digit());
    let is_numbered =
        digits.len() < line.len() && (digits.starts_with('.') || digits.starts_with(')'));
    let is_rule = |mark: char| {
        line.starts_with(mark) && line.chars().all(|other| other == mark || other == ' ')
    };
    is_numbered
        || line.starts_with(['#', '>', '<', '|', '[', '+'])
        || line.starts_with("```")
        || line.starts_with("~~~")
        || line.starts_with("- ")
        || line.starts_with("* ")
        || matches!(line, "-" | "*")
        || ['-', '=', '*', '_'].into_iter().any(is_rule)
}

#[cfg(test)]
mod tests;
