//! The cases: what stands there, what is wrong with it, and what is asked.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The texts of a case, by name: those of the tree, and the patch document of the caller.
pub(crate) type Files = BTreeMap<String, String>;

/// The patch document of the caller, which stands outside of the tree.
pub(crate) const CHANGE: &str = "change.json";

/// The policy, which nobody but a reviewer may change.
pub(crate) const POLICY: &str = "lonis-session.toml";

/// The family in which only abstention is right.
const REVIEW: &str = "review-required";

/// Files, and a change of them that passes.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) files: Files,
    pub(crate) change: String,
}

/// One case: a source, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) family: String,
    pub(crate) source: String,
    pub(crate) argv: Vec<String>,
    /// A patch document in the place of the source's.
    pub(crate) change: Option<String>,
    pub(crate) policy: String,
    /// The code of the first diagnostic.
    pub(crate) first_code: String,
    /// What the mutation did; nothing where the request itself needs a review.
    pub(crate) fault: Option<Edit>,
}

/// A change of one text, in Unicode scalars.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Edit {
    pub(crate) path: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) text: String,
}

/// The hand-written cases.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Workloads {
    pub(crate) sources: Vec<Source>,
    pub(crate) cases: Vec<Case>,
}

/// The drawn cases.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Drawn {
    pub(crate) cases: Vec<Case>,
}

/// A case with its texts.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    pub(crate) case: Case,
    /// What stands there.
    pub(crate) files: Files,
    /// What stood there before the fault, which no agent sees.
    pub(crate) expected: Files,
}

impl Edit {
    /// Changes the text that it is about; says whether there is one, and the place is in it.
    pub(crate) fn apply(&self, files: &mut Files) -> bool {
        let Some(text) = files.get_mut(&self.path) else {
            return false;
        };
        let scalars: Vec<char> = text.chars().collect();
        if self.start > self.end || self.end > scalars.len() {
            return false;
        }
        let before = scalars[..self.start].iter();
        *text = before
            .copied()
            .chain(self.text.chars())
            .chain(scalars[self.end..].iter().copied())
            .collect();
        true
    }
}

impl Case {
    /// Says whether only abstention is right.
    pub(crate) fn needs_review(&self) -> bool {
        self.family == REVIEW
    }
}

impl Workloads {
    /// The cases with their texts.
    pub(crate) fn scenes(&self) -> Vec<Scene> {
        scenes(&self.sources, &self.cases)
    }
}

/// The cases with their texts.
pub(crate) fn scenes(sources: &[Source], cases: &[Case]) -> Vec<Scene> {
    cases
        .iter()
        .map(|case| {
            let source = sources
                .iter()
                .find(|source| source.name == case.source)
                .unwrap_or_else(|| panic!("no source `{}`", case.source));
            let mut expected = source.files.clone();
            let change = case.change.as_ref().unwrap_or(&source.change);
            expected.insert(CHANGE.to_owned(), change.clone());
            expected.insert(POLICY.to_owned(), case.policy.clone());
            let mut files = expected.clone();
            if let Some(fault) = &case.fault {
                assert!(fault.apply(&mut files), "{}: the fault applies", case.id);
            }
            Scene {
                case: case.clone(),
                files,
                expected,
            }
        })
        .collect()
}

/// Says whether a text was changed where the fault is not: in another file, or in lines that the repair leaves.
pub(crate) fn is_overdone(scene: &Scene, repaired: &Files) -> bool {
    scene.files.iter().any(|(path, before)| {
        let (after, expected) = (&repaired[path], &scene.expected[path]);
        if before == expected {
            return after != before;
        }
        let lines =
            |text: &str| -> Vec<String> { text.split_inclusive('\n').map(str::to_owned).collect() };
        let (before, expected) = (lines(before), lines(expected));
        let shared = |one: &mut dyn Iterator<Item = (&String, &String)>| {
            one.take_while(|(one, other)| one == other).count()
        };
        let head = shared(&mut before.iter().zip(&expected));
        let rest = before.len().min(expected.len()) - head;
        let tail = shared(&mut before.iter().rev().zip(expected.iter().rev())).min(rest);
        let kept = (
            before[..head].concat(),
            before[before.len() - tail..].concat(),
        );
        !(after.starts_with(&kept.0) && after.ends_with(&kept.1))
    })
}

/// The SHA-256 of a canonical text, 64 hex digits.
pub(crate) fn identity(value: &Value) -> String {
    hash(&lonis::canonical::text(value).expect("what was read can be written"))
}

/// The SHA-256 of a text, 64 hex digits.
pub(crate) fn hash(text: &str) -> String {
    use sha2::{Digest as _, Sha256};
    use std::fmt::Write as _;

    Sha256::digest(text)
        .iter()
        .fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").expect("a text takes what is written");
            hex
        })
}
