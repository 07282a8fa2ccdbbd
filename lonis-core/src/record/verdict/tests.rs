use std::io::Cursor;
use std::sync::{Arc, Mutex};

use lonis_schema::exit_code::BASELINE;
use lonis_schema::kind::ResultData;
use lonis_schema::{Attribution, BlockKind, Replay, ReplayProvenance, SeedBlock};
use serde_json::Value;

use super::*;
use crate::fixture::capabilities;
use crate::{Call, Recorder, Tool};

/// Says a number, pins what it is told to, then fails if it is told to.
#[derive(Clone, Default)]
struct Counter {
    numbers: Vec<u64>,
    plan_hash: Option<&'static str>,
    fails: bool,
}

capabilities!(Counter, |_: &Counter| "acme:count", BASELINE);

impl Tool<BlockKind> for Counter {
    fn invoke(&self, _: Value) -> Result<Vec<SeedBlock>, ToolError> {
        self.start(Call::new(Value::Null))?.collect_blocks()
    }

    fn contract(&self) -> Option<ToolContract> {
        Some(ToolContract::new("acme:count", "Counts."))
    }

    fn start(&self, _: Call) -> Result<BlockStream<BlockKind>, ToolError> {
        let pins = match self.plan_hash {
            Some(hash) => ReplayProvenance::default()
                .with_plan_hash(hash)
                .with_replay(Replay::replayable(["plan_hash"])),
            None => ReplayProvenance::default(),
        };
        let block = move |number: u64| {
            let payload = ResultData::new(json!(number)).into();
            Ok(
                SeedBlock::new(Attribution::new("acme:count", "acme:count"), payload)
                    .with_provenance(pins.clone()),
            )
        };
        let failure = self
            .fails
            .then(|| Err(ToolError::new(ErrorKind::from("no_luck"), "none left")));
        Ok(BlockStream::from_results(
            self.numbers.clone().into_iter().map(block).chain(failure),
        ))
    }
}

/// A file in memory that more than one can write to.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Records a whole call and gives its file and its items.
fn recorded(tool: &Counter, input: Value) -> (Vec<u8>, Vec<Result<SeedBlock, ToolError>>) {
    let file = Shared::default();
    let call = Call::new(input);
    let recorder = Recorder::begin(file.clone(), Arc::new(tool.clone()), &call).unwrap();
    let items = recorder.follow(tool.start(call).unwrap()).collect();
    let bytes = file.0.lock().unwrap().clone();
    (bytes, items)
}

fn read(bytes: &[u8]) -> Recording {
    Recording::read(Cursor::new(bytes.to_vec())).unwrap()
}

fn counting(numbers: &[u64]) -> Counter {
    Counter {
        numbers: numbers.to_vec(),
        ..Counter::default()
    }
}

#[test]
fn a_recorded_call_is_played_again_as_it_was() {
    for fails in [false, true] {
        let tool = Counter {
            fails,
            ..counting(&[1, 2])
        };
        let (bytes, items) = recorded(&tool, json!({"a": 1.50}));
        let recording = read(&bytes);
        assert_eq!(
            (recording.tool().as_str(), recording.input().text()),
            ("acme:count", r#"{"a":1.5}"#)
        );
        assert_eq!(recording.contract(), tool.contract().as_ref());
        let text = |items: &[Result<SeedBlock, ToolError>]| {
            let one = |item: &Result<SeedBlock, ToolError>| match item {
                Ok(block) => serde_json::to_string(block).unwrap(),
                Err(error) => serde_json::to_string(error).unwrap(),
            };
            items.iter().map(one).collect::<Vec<_>>()
        };
        let mut stream = recording.play::<BlockKind>().unwrap().unwrap();
        let played: Vec<_> = stream.by_ref().collect();
        assert_eq!(text(&played), text(&items));
        assert!(stream.next().is_none() && stream.has_replayed_end());
    }
}

#[test]
fn what_is_damaged_is_told_with_its_line() {
    let (bytes, _) = recorded(&counting(&[1, 2]), json!(null));
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    assert_eq!(lines.len(), 4);
    let without = |at: usize| {
        let mut lines = lines.clone();
        lines.remove(at);
        lines.concat()
    };
    let late = [
        (text[..text.len() - 1].to_owned(), 4),
        (without(3), 4),
        (without(2), 3),
        (text.replacen("\"output\":1", "\"output\":7", 1), 2),
        (text.replacen("{\"block\":", "{\"blocks\":", 1), 2),
        (
            text.replacen("{\"block\":", "{\"block\":1,\"block\":", 1),
            2,
        ),
    ];
    for (damaged, line) in late {
        let error = match read(damaged.as_bytes()).play::<BlockKind>() {
            Ok(begun) => begun.unwrap().last().unwrap().unwrap_err(),
            Err(error) => error,
        };
        assert_eq!(error.kind(), &ErrorKind::InvalidInput, "{damaged}");
        assert_eq!(error.details().unwrap().to_value()["line"], line, "{error}");
        let again = Verdict::of::<BlockKind>(
            read(damaged.as_bytes()),
            None,
            counting(&[1, 2]).start(Call::new(Value::Null)),
        );
        assert_eq!(again.unwrap_err(), error);
    }
    for damaged in [
        String::new(),
        "{}\n".to_owned(),
        text.replacen("record/v1", "record/v2", 1),
        text.replacen("\"input\":null", "\"input\":1", 1),
        text.replacen("Counts.", "Adds.", 1),
        text.replacen("acme:count", "acme", 1),
    ] {
        let error = Recording::read(Cursor::new(damaged.clone().into_bytes())).unwrap_err();
        assert_eq!(
            error.details().unwrap().to_value()["line"],
            1,
            "{damaged}: {error}"
        );
    }
}

#[test]
fn a_call_that_is_made_again_is_compared_block_by_block() {
    let pinned = |plan_hash| Counter {
        plan_hash: Some(plan_hash),
        ..counting(&[1])
    };
    let failing = Counter {
        fails: true,
        ..counting(&[1])
    };
    let (one, two, changed) = (counting(&[1]), counting(&[1, 2]), counting(&[1, 3]));
    // What was recorded, what is seen now, and how many blocks, pins and errors differ.
    let cases = [
        (&two, &two, 0, 0, false),
        (&two, &changed, 1, 0, false),
        (&two, &one, 1, 0, false),
        (&one, &two, 1, 0, false),
        (&failing, &failing, 0, 0, false),
        (&failing, &one, 0, 0, true),
        (&pinned("a"), &pinned("a"), 0, 0, false),
        (&pinned("a"), &pinned("b"), 0, 1, false),
        (&pinned("a"), &one, 0, 1, false),
    ];
    for (number, (then, now, differences, pins, errors)) in cases.into_iter().enumerate() {
        let (bytes, _) = recorded(then, json!(null));
        let observed = now.start(Call::new(Value::Null));
        let verdict = Verdict::of(read(&bytes), now.contract().as_ref(), observed).unwrap();
        assert_eq!(
            (
                verdict.differences.len(),
                verdict.pins.len(),
                verdict.errors.is_some()
            ),
            (differences, pins, errors),
            "case {number}: {verdict:?}"
        );
        let same = differences + pins == 0 && !errors;
        assert_eq!(
            (verdict.reproduced, verdict.contract),
            (same, "same"),
            "case {number}"
        );
        let result = verdict.into_result();
        assert_eq!(result.is_ok(), same);
        if let Err(error) = result {
            assert_eq!(
                (error.kind().as_str(), error.exit_code()),
                ("not_reproduced", 1)
            );
        }
    }
}

#[test]
fn a_secret_is_not_in_the_file_and_its_block_still_plays() {
    let telling = Telling;
    let file = Shared::default();
    let call = Call::new(Value::Null);
    let recorder = Recorder::begin(file.clone(), Arc::new(Telling), &call).unwrap();
    assert_eq!(recorder.follow(telling.start(call).unwrap()).count(), 1);
    let bytes = file.0.lock().unwrap().clone();
    let text = String::from_utf8(bytes.clone()).unwrap();
    assert!(
        !text.contains("hunter22") && text.contains("\"masked\":true"),
        "{text}"
    );
    let played: Vec<_> = read(&bytes).play::<BlockKind>().unwrap().unwrap().collect();
    assert_eq!(
        played[0].as_ref().unwrap().render_human(),
        "result: \"***\""
    );
}

/// Says the secret that it was given.
struct Telling;

capabilities!(Telling, |_: &Telling| "acme:tell", BASELINE);

impl Tool<BlockKind> for Telling {
    fn invoke(&self, _: Value) -> Result<Vec<SeedBlock>, ToolError> {
        let payload = ResultData::new(json!("hunter22")).into();
        Ok(vec![SeedBlock::new(
            Attribution::new("acme:tell", "acme:tell"),
            payload,
        )])
    }

    fn without_secrets(&self, value: Json) -> Json {
        crate::secrets::Secrets::of(&["hunter22".into()]).masked_json(value)
    }
}
