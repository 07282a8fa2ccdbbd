//! What received blocks claim about their call, compared with the call.

use std::time::Duration;

use lonis_schema::ContentHash;

/// Claims of blocks that do not hold: counted, and the first of each kept, so that a long stream needs no memory.
#[derive(Debug, Default)]
pub(crate) struct Pins {
    wrong_inputs: u64,
    first_wrong_input: Option<String>,
    /// The number of a block and the least time that one declares for its call, in milliseconds.
    least_timeout: Option<(u64, u64)>,
}

impl Pins {
    /// Compares the input that a block says it was made from with the one that was sent.
    pub(crate) fn look_at_input(&mut self, block: u64, pin: &str, input_hash: &ContentHash) {
        if pin == input_hash.as_str() {
            return;
        }
        self.wrong_inputs += 1;
        self.first_wrong_input.get_or_insert_with(|| {
            let pin: String = pin.chars().take(128).collect();
            format!(
                "block {block} pins the input hash `{}`, that of the input is `{input_hash}`",
                pin.escape_debug()
            )
        });
    }

    /// Keeps the time that a block declares for its call.
    pub(crate) fn look_at_timeout(&mut self, block: u64, millis: u64) {
        if self.least_timeout.is_none_or(|(_, least)| millis < least) {
            self.least_timeout = Some((block, millis));
        }
    }

    /// Says what does not hold of a call that took so long.
    pub(crate) fn notes(&self, tool_time: Duration) -> impl Iterator<Item = String> {
        let inputs = self
            .first_wrong_input
            .as_ref()
            .map(|first| match self.wrong_inputs {
                1 => first.clone(),
                2 => format!("{first}; so does 1 further block"),
                count => format!("{first}; so do {} further blocks", count - 1),
            });
        let late = self
            .least_timeout
            .filter(|(_, millis)| tool_time.as_millis() > u128::from(*millis));
        let timeout = late.map(|(block, millis)| {
            format!(
                "block {block} declares `timeout_millis` {millis}, the call took {} ms",
                tool_time.as_millis()
            )
        });
        inputs.into_iter().chain(timeout)
    }
}

#[cfg(test)]
mod tests {
    use lonis_schema::Json;
    use serde_json::Value;

    use super::*;

    #[test]
    fn claims_that_do_not_hold_are_counted_and_named_once() {
        let hash = Json::from(Value::Null).content_hash();
        let mut pins = Pins::default();
        pins.look_at_input(1, hash.as_str(), &hash);
        pins.look_at_timeout(1, 500);
        assert_eq!(pins.notes(Duration::from_millis(500)).count(), 0);

        pins.look_at_input(2, "sha\n", &hash);
        pins.look_at_input(3, "other", &hash);
        pins.look_at_timeout(3, 20);
        pins.look_at_timeout(4, 30);
        let notes: Vec<String> = pins.notes(Duration::from_millis(25)).collect();
        assert_eq!(
            notes,
            [
                format!(
                    "block 2 pins the input hash `sha\\n`, that of the input is `{hash}`; so does 1 further block"
                ),
                "block 3 declares `timeout_millis` 20, the call took 25 ms".to_owned(),
            ]
        );
    }
}
