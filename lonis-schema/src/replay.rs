//! Adjudicates a replay: are the pins of a block those that are seen now?

use crate::{Block, ReplayProvenance};

/// The hashes that the caller observes now, for the four slots of a block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObservedHashes {
    /// Hash of the project worked on.
    pub project_hash: Option<String>,
    /// Hash of the input.
    pub input_hash: Option<String>,
    /// Hash of the plan followed.
    pub plan_hash: Option<String>,
    /// Hash of the result.
    pub result_hash: Option<String>,
}

/// Whether a block can be made again as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplayStatus {
    /// The producer does not claim that it can.
    NotReplayable {
        /// Why, as the producer says.
        reasons: Vec<String>,
    },
    /// Every required hash is there on both sides, and equal.
    Replayable,
    /// Some required hash is absent, unknown or different.
    Failed {
        /// Names that are unknown, or whose hash is absent on either side.
        missing: Vec<String>,
        /// Hashes that differ.
        mismatches: Vec<HashMismatch>,
    },
}

/// A hash that is pinned otherwise than it is observed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HashMismatch {
    /// The name of the slot.
    pub field: String,
    /// The hash that the block pins.
    pub expected: String,
    /// The hash that is seen now.
    pub observed: String,
}

/// Compares the required pins of a block with the hashes observed now.
///
/// Hashes are opaque: they are compared as bytes, without case folding. An unknown name counts as missing, so that a slot
/// of a later version cannot pass unseen.
///
/// # Example
/// ```
/// use lonis_schema::kind::Message;
/// use lonis_schema::{Attribution, ObservedHashes, Replay, ReplayProvenance, ReplayStatus, SeedBlock, verify_replay};
/// let provenance = ReplayProvenance::default()
///     .with_input_hash("9f2c")
///     .with_replay(Replay::replayable(["input_hash"]));
/// let block = SeedBlock::new(Attribution::new("tool:echo", "acme:echo"), Message::new("hello").into())
///     .with_provenance(provenance);
/// let observed = ObservedHashes { input_hash: Some("9f2c".into()), ..ObservedHashes::default() };
/// assert_eq!(verify_replay(&block, &observed), ReplayStatus::Replayable);
/// ```
pub fn verify_replay<P>(block: &Block<P>, observed: &ObservedHashes) -> ReplayStatus {
    let provenance = block.provenance();
    let replay = &provenance.replay;
    if !replay.replayable {
        return ReplayStatus::NotReplayable {
            reasons: replay.reasons.clone(),
        };
    }
    let (mut missing, mut mismatches) = (Vec::new(), Vec::new());
    for field in &replay.required_hashes {
        match slot(field, provenance, observed) {
            Some((expected, observed)) if expected == observed => {}
            Some((expected, observed)) => mismatches.push(HashMismatch {
                field: field.clone(),
                expected: expected.to_owned(),
                observed: observed.to_owned(),
            }),
            None => missing.push(field.clone()),
        }
    }
    if missing.is_empty() && mismatches.is_empty() {
        return ReplayStatus::Replayable;
    }
    ReplayStatus::Failed {
        missing,
        mismatches,
    }
}

/// Returns the pinned and the observed hash of a slot, where both are there.
fn slot<'a>(
    name: &str,
    pinned: &'a ReplayProvenance,
    observed: &'a ObservedHashes,
) -> Option<(&'a str, &'a str)> {
    let (pinned, observed) = match name {
        "project_hash" => (&pinned.project_hash, &observed.project_hash),
        "input_hash" => (&pinned.input_hash, &observed.input_hash),
        "plan_hash" => (&pinned.plan_hash, &observed.plan_hash),
        "result_hash" => (&pinned.result_hash, &observed.result_hash),
        _ => return None,
    };
    Some((pinned.as_deref()?, observed.as_deref()?))
}

#[cfg(test)]
mod tests {
    use super::{HashMismatch, ObservedHashes, ReplayStatus, verify_replay};
    use crate::kind::Message;
    use crate::{Attribution, Replay, ReplayProvenance, SeedBlock, Timestamp};

    fn block(replay: Replay) -> SeedBlock {
        let when = Timestamp::new("2026-03-01T12:00:00Z").expect("RFC 3339");
        let provenance = ReplayProvenance::default()
            .with_input_hash("ab")
            .with_plan_hash("cd")
            .with_result_hash("ef")
            .with_replay(replay);
        SeedBlock::new(
            Attribution::at("tool:a", "acme:a", when),
            Message::new("hello").into(),
        )
        .with_provenance(provenance)
    }

    fn observed() -> ObservedHashes {
        ObservedHashes {
            project_hash: Some("01".into()),
            input_hash: Some("ab".into()),
            plan_hash: Some("CD".into()),
            result_hash: None,
        }
    }

    #[test]
    fn what_is_not_claimed_is_not_replayable() {
        let status = verify_replay(
            &block(Replay::not_replayable(["a clock is read"])),
            &observed(),
        );
        assert_eq!(
            status,
            ReplayStatus::NotReplayable {
                reasons: vec!["a clock is read".into()]
            }
        );
        let status = verify_replay(&block(Replay::default()), &observed());
        assert_eq!(
            status,
            ReplayStatus::NotReplayable {
                reasons: Vec::new()
            }
        );
    }

    #[test]
    fn equal_pins_are_replayable() {
        for required in [
            &[] as &[&str],
            &["input_hash"],
            &["input_hash", "input_hash"],
        ] {
            let replay = Replay::replayable(required.iter().copied());
            assert_eq!(
                verify_replay(&block(replay), &observed()),
                ReplayStatus::Replayable
            );
        }
    }

    #[test]
    fn one_report_has_everything_that_fails() {
        let names = [
            "input_hash",
            "plan_hash",
            "project_hash",
            "result_hash",
            "seed",
            "Input_hash",
        ];
        let status = verify_replay(&block(Replay::replayable(names)), &observed());
        let mismatch = HashMismatch {
            field: "plan_hash".into(),
            expected: "cd".into(),
            observed: "CD".into(),
        };
        let missing = ["project_hash", "result_hash", "seed", "Input_hash"]
            .map(String::from)
            .to_vec();
        assert_eq!(
            status,
            ReplayStatus::Failed {
                missing,
                mismatches: vec![mismatch]
            }
        );
    }
}
