//! Why an op is refused: one variant for each code, with the facts that the diagnostic of that code lists.

mod hint;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::delimiter::{Unpaired, said};

/// Why an op, or a file of a diff, is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The document does not have the shape (`patch/schema`).
    #[error("{rule}")]
    Schema {
        /// JSON Pointer to the member.
        pointer: String,
        /// The rule that it breaks.
        rule: String,
    },
    /// A bound is passed (`patch/limit`).
    #[error("{what} may be at most {limit}, seen {observed}")]
    Limit {
        /// What is bounded.
        what: String,
        /// The bound.
        limit: u64,
        /// What was seen.
        observed: u64,
    },
    /// A path, or the target of a link, that no patch may name (`patch/path`).
    #[error("{rule}")]
    Path {
        /// The rule that it breaks.
        rule: String,
    },
    /// A component of the path is a link (`patch/path-symlink`).
    #[error("`{link}` is a link, and no op goes through one")]
    PathSymlink {
        /// The link.
        link: String,
        /// The path without links, where it lies in the tree.
        resolved: Option<String>,
    },
    /// Something else stands there than the op needs (`patch/path-state-conflict`).
    #[error("expected {expected}, found {actual}")]
    PathState {
        /// What the op needs.
        expected: &'static str,
        /// What stands there.
        actual: &'static str,
    },
    /// The file, or the quoted part of it, is not what the op says (`patch/pre-image-mismatch`).
    #[error("the {what} is not the one that was named")]
    PreImage {
        /// `file`, `range`, `definition` or `value`.
        what: &'static str,
        /// What the op says: an identity or a text.
        expected: String,
        /// What is there.
        observed: String,
        /// The line where the quoted lines stand now, if there is exactly one.
        moved_to: Option<usize>,
    },
    /// The text is nowhere in the scope (`patch/text-not-found`).
    #[error("the text is not in the {scope}")]
    TextNotFound {
        /// `file` or `definition`.
        scope: &'static str,
        /// The loosest tier that was tried.
        tier: &'static str,
        /// The most similar place.
        closest: Option<Box<Closest>>,
        /// Whether the new text stands there already.
        already_present: bool,
    },
    /// The text is in several places (`patch/text-ambiguous`).
    #[error("the text is in {count} places")]
    TextAmbiguous {
        /// The tier that found them.
        tier: &'static str,
        /// How many there are.
        count: usize,
        /// The first lines of up to 20 of them.
        lines: Vec<usize>,
        /// The first five.
        matches: Vec<Match>,
    },
    /// There are not as many places as the op says (`patch/occurrence-count`).
    #[error("the text is in {count} places, expected {expected}")]
    OccurrenceCount {
        /// The tier that found them.
        tier: &'static str,
        /// How many there are.
        count: usize,
        /// How many the op says there are.
        expected: usize,
        /// The first lines of up to 20 of them.
        lines: Vec<usize>,
        /// The first five.
        matches: Vec<Match>,
    },
    /// The lines are not there, or an earlier op changed them (`patch/range-invalid`).
    #[error("{rule}")]
    RangeInvalid {
        /// Lines of the file before the patch.
        line_count: usize,
        /// What is wrong with the range.
        rule: String,
    },
    /// The file is no text that this op can edit (`patch/not-text`).
    #[error("{reason} at byte {offset}")]
    NotText {
        /// The first odd byte.
        offset: usize,
        /// What it is.
        reason: &'static str,
    },
    /// A structured file cannot be read (`patch/format-parse`).
    #[error("the file is not valid {format}: {reason}{}", said(unpaired.as_deref()))]
    FormatParse {
        /// The format.
        format: &'static str,
        /// Where.
        span: Span,
        /// What is wrong.
        reason: String,
        /// A delimiter that seems to have no partner.
        unpaired: Option<Box<Unpaired>>,
    },
    /// A construct where an edit cannot keep the rest of the file (`patch/format-unsupported`).
    #[error("{construct} cannot be edited in place")]
    FormatUnsupported {
        /// The construct.
        construct: String,
    },
    /// Nothing stands at the pointer (`patch/pointer-missing`).
    #[error("nothing stands at `{pointer}`")]
    PointerMissing {
        /// What was asked for.
        pointer: String,
        /// The longest part of it that is there.
        deepest: String,
        /// What stands below that part, up to 20 members.
        members: Vec<String>,
    },
    /// Another kind of value stands at the pointer (`patch/pointer-type`).
    #[error("expected {expected} at `{pointer}`, found {found}")]
    PointerType {
        /// Where.
        pointer: String,
        /// What the op needs.
        expected: &'static str,
        /// What stands there.
        found: &'static str,
    },
    /// No such definition (`patch/definition-missing`).
    #[error("no definition `{target}`{}", named(nearest))]
    DefinitionMissing {
        /// What was asked for.
        target: String,
        /// The five most similar names of the file.
        nearest: Vec<Candidate>,
        /// Definitions of that name in files beside it.
        elsewhere: Vec<Elsewhere>,
    },
    /// Several definitions fit (`patch/definition-ambiguous`).
    #[error("`{target}` names {} definitions", candidates.len())]
    DefinitionAmbiguous {
        /// What was asked for.
        target: String,
        /// Those that fit, each with the `occurrence` to use.
        candidates: Vec<Candidate>,
    },
    /// A syntax error overlaps the definition (`patch/definition-unparsable`).
    #[error("a syntax error overlaps `{target}`{}", said(unpaired.as_deref()))]
    DefinitionUnparsable {
        /// What was asked for.
        target: String,
        /// The errors.
        before: Vec<Span>,
        /// A delimiter of the file that seems to have no partner.
        unpaired: Option<Box<Unpaired>>,
    },
    /// The edit would break the file (`patch/syntax-regression`).
    #[error("{reason}{}{}", new_line(before, after), said(unpaired.as_deref()))]
    SyntaxRegression {
        /// What the edit does.
        reason: String,
        /// Errors before.
        before: Vec<Span>,
        /// Errors after.
        after: Vec<Span>,
        /// A delimiter of the new text that seems to have no partner.
        unpaired: Option<Box<Unpaired>>,
    },
    /// No way to find the definitions of this language (`patch/language-unsupported`).
    #[error("definitions of `{language}` cannot be located")]
    LanguageUnsupported {
        /// The language, or the extension of the file.
        language: String,
        /// Those that can be.
        supported: Vec<String>,
    },
    /// The names would mix (`patch/rename-conflict`).
    #[error("`{binding}` is bound in more than one place")]
    RenameConflict {
        /// The name.
        binding: String,
        /// Where it stands, up to 20 places.
        sites: Vec<Site>,
    },
    /// The diff cannot be read (`patch/diff-parse`).
    #[error("line {line} of the diff: {reason}")]
    DiffParse {
        /// Line of the diff, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A hunk fits nowhere, or in several ways (`patch/diff-hunk-mismatch`).
    #[error("{reason}")]
    DiffHunkMismatch {
        /// Number of the hunk in its file, from 1.
        hunk: usize,
        /// Line of the diff where it starts.
        line: usize,
        /// What is wrong.
        reason: String,
        /// The most similar place.
        closest: Option<Box<Closest>>,
        /// The lines where it would fit, up to 20.
        lines: Vec<usize>,
    },
    /// The patch changes nothing (`patch/no-effect`).
    #[error("the patch changes nothing")]
    NoEffect,
    /// The policy protects the path (`policy/protected-path`).
    #[error("the policy protects `{path}` by `{glob}`")]
    ProtectedPath {
        /// The path.
        path: String,
        /// The glob of the policy.
        glob: String,
    },
    /// The policy file itself (`policy/policy-file-edit`).
    #[error("`{path}` is the policy file, which this policy lets no patch touch")]
    PolicyFileEdit {
        /// The path.
        path: String,
    },
}

/// What a file holds that is no text at all.
pub const ZERO_BYTE: &str = "a zero byte";

/// The names that were perhaps meant.
fn named(nearest: &[Candidate]) -> String {
    let names: Vec<String> = nearest
        .iter()
        .take(3)
        .map(|candidate| format!("`{}`", candidate.path.join(".")))
        .collect();
    if names.is_empty() {
        return String::new();
    }
    format!(", the nearest are {}", names.join(", "))
}

/// The line of the first error that was not there before.
fn new_line(before: &[Span], after: &[Span]) -> String {
    let shown = after.iter().find(|span| !before.contains(span));
    let shown = shown.or(after.first());
    shown.map_or_else(String::new, |span| format!(", at line {}", span.start_line))
}

/// A range of a file, from 1, columns in Unicode scalars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Span {
    /// First line.
    pub start_line: usize,
    /// Column in it.
    pub start_column: usize,
    /// Last line.
    pub end_line: usize,
    /// Column in it.
    pub end_column: usize,
}

/// The place that is most similar to a quoted text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Closest {
    /// First line.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// What stands there, cut where it is long.
    pub text: String,
    /// From 0 to 1.
    pub similarity: f64,
    /// The first line that differs.
    pub first_difference: Difference,
    /// `whitespace`, `line-endings`, `case`, `content`, `line-numbers` or `already-applied`.
    pub differs: &'static str,
}

/// One line as it was quoted and as it stands, blanks made visible.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Line of the file.
    pub line: usize,
    /// As quoted.
    pub expected: String,
    /// As it stands.
    pub actual: String,
}

/// One of several places.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Match {
    /// Its first line.
    pub line: usize,
    /// The definition around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// The op that means this place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<Value>,
}

/// A definition that may be the one that was meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// Names from the outermost.
    pub path: Vec<String>,
    /// What it is.
    pub kind: String,
    /// First line.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// Which one of how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<super::document::Occurrence>,
}

/// A definition of the same name in another file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Elsewhere {
    /// The file.
    pub file: String,
    /// First line.
    pub line: usize,
}

/// Where a name stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Site {
    /// The file.
    pub file: String,
    /// Its line.
    pub line: usize,
    /// Its column in Unicode scalars.
    pub column: usize,
    /// What it is: `definition`, `parameter`, `local`, `import` or `identifier`.
    pub role: &'static str,
}

impl Failure {
    /// The code of the catalogue.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Schema { .. } => "patch/schema",
            Self::Limit { .. } => "patch/limit",
            Self::Path { .. } => "patch/path",
            Self::PathSymlink { .. } => "patch/path-symlink",
            Self::PathState { .. } => "patch/path-state-conflict",
            Self::PreImage { .. } => "patch/pre-image-mismatch",
            Self::TextNotFound { .. } => "patch/text-not-found",
            Self::TextAmbiguous { .. } => "patch/text-ambiguous",
            Self::OccurrenceCount { .. } => "patch/occurrence-count",
            Self::RangeInvalid { .. } => "patch/range-invalid",
            Self::NotText { .. } => "patch/not-text",
            Self::FormatParse { .. } => "patch/format-parse",
            Self::FormatUnsupported { .. } => "patch/format-unsupported",
            Self::PointerMissing { .. } => "patch/pointer-missing",
            Self::PointerType { .. } => "patch/pointer-type",
            Self::DefinitionMissing { .. } => "patch/definition-missing",
            Self::DefinitionAmbiguous { .. } => "patch/definition-ambiguous",
            Self::DefinitionUnparsable { .. } => "patch/definition-unparsable",
            Self::SyntaxRegression { .. } => "patch/syntax-regression",
            Self::LanguageUnsupported { .. } => "patch/language-unsupported",
            Self::RenameConflict { .. } => "patch/rename-conflict",
            Self::DiffParse { .. } => "patch/diff-parse",
            Self::DiffHunkMismatch { .. } => "patch/diff-hunk-mismatch",
            Self::NoEffect => "patch/no-effect",
            Self::ProtectedPath { .. } => "policy/protected-path",
            Self::PolicyFileEdit { .. } => "policy/policy-file-edit",
        }
    }

    /// The ranges of the file that are to blame, as far as they are known; those after the edit rather than before it.
    pub fn spans(&self) -> &[Span] {
        match self {
            Self::FormatParse { span, .. } => std::slice::from_ref(span),
            Self::DefinitionUnparsable { before, .. } => before,
            Self::SyntaxRegression { before, after, .. } => {
                if after.is_empty() {
                    before
                } else {
                    after
                }
            }
            _ => &[],
        }
    }

    /// The typed facts of the code, as its diagnostic and its report carry them.
    pub fn facts(&self) -> Map<String, Value> {
        let facts = match self {
            Self::NoEffect => json!({}),
            Self::Schema { pointer, rule } => json!({ "pointer": pointer, "rule": rule }),
            Self::Limit {
                what,
                limit,
                observed,
            } => json!({ "key": what, "limit": limit, "observed": observed }),
            Self::Path { rule } => json!({ "rule": rule }),
            Self::PathSymlink { link, resolved } => json!({ "link": link, "resolved": resolved }),
            Self::PathState { expected, actual } => {
                json!({ "expected": expected, "actual": actual })
            }
            Self::PreImage {
                expected,
                observed,
                moved_to,
                ..
            } => {
                json!({ "expected": expected, "observed": observed, "moved_to": moved_to })
            }
            Self::RangeInvalid { line_count, .. } => json!({ "line_count": line_count }),
            Self::NotText { offset, .. } => json!({ "offset": offset }),
            Self::ProtectedPath { path, glob } => json!({ "path": path, "glob": glob }),
            Self::PolicyFileEdit { path } => json!({ "path": path, "glob": path }),
            Self::RenameConflict { binding, sites } => {
                json!({ "binding": binding, "sites": sites })
            }
            Self::DiffParse { line, reason } => json!({ "line": line, "reason": reason }),
            Self::DiffHunkMismatch {
                hunk,
                line,
                closest,
                lines,
                ..
            } => {
                json!({ "hunk": hunk, "line": line, "closest": closest, "lines": lines })
            }
            _ => self.searched_facts(),
        };
        match facts {
            Value::Object(mut facts) => {
                facts.retain(|_, fact| !fact.is_null());
                facts
            }
            _ => Map::new(),
        }
    }

    /// The facts of what was sought in the file.
    fn searched_facts(&self) -> Value {
        match self {
            Self::TextNotFound {
                tier,
                closest,
                already_present,
                ..
            } => json!({
                "tier": tier,
                "closest": closest,
                "differs": closest.as_ref().map(|closest| closest.differs),
                "already_present": already_present.then_some(true),
            }),
            Self::TextAmbiguous {
                tier,
                count,
                lines,
                matches,
            } => {
                json!({ "tier": tier, "count": count, "lines": lines, "matches": matches })
            }
            Self::OccurrenceCount {
                tier,
                count,
                expected,
                lines,
                matches,
            } => json!({
                "tier": tier, "count": count, "expected": expected, "lines": lines, "matches": matches,
            }),
            _ => self.parsed_facts(),
        }
    }

    /// The facts of what was read of the file.
    fn parsed_facts(&self) -> Value {
        match self {
            Self::FormatParse {
                format,
                span,
                unpaired,
                ..
            } => json!({ "format": format, "span": span, "unpaired": unpaired }),
            Self::FormatUnsupported { construct } => json!({ "construct": construct }),
            Self::PointerMissing {
                pointer,
                deepest,
                members,
            } => {
                json!({ "pointer": pointer, "deepest": deepest, "members": members })
            }
            Self::PointerType {
                pointer,
                expected,
                found,
            } => {
                json!({ "pointer": pointer, "expected": expected, "found": found })
            }
            Self::DefinitionMissing {
                nearest, elsewhere, ..
            } => {
                json!({ "nearest": nearest, "elsewhere": elsewhere })
            }
            Self::DefinitionAmbiguous { candidates, .. } => json!({ "candidates": candidates }),
            Self::DefinitionUnparsable {
                before, unpaired, ..
            } => {
                json!({ "before": before, "unpaired": unpaired })
            }
            Self::SyntaxRegression {
                before,
                after,
                unpaired,
                ..
            } => {
                json!({ "before": before, "after": after, "unpaired": unpaired })
            }
            Self::LanguageUnsupported {
                language,
                supported,
            } => {
                json!({ "language": language, "supported": supported })
            }
            _ => Value::Null,
        }
    }
}
