//! `lonis replay`: a recorded call, played from its file or made again and compared.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use lonis::{
    BlockKind, Call, Delivery, ErrorKind, Recording, SideEffects, ToolError, Verdict, whole_input,
};

use super::call;
use crate::catalog::{self, Found};
use crate::cli::Replay;
use crate::counted::counted;
use crate::output::{DONE, Output};
use crate::progress::{Progress, Waiting};
use crate::signals::{self, Busy};

pub(crate) fn run(arguments: &Replay, output: &mut Output) -> Result<u8, ToolError> {
    let recording = open(&arguments.record)?;
    if arguments.offline {
        return play(recording, arguments.stream, output);
    }
    let verdict = call_again(recording, arguments.yes, output)?;
    if output.mode().is_machine() {
        output.document(&verdict)?;
    } else {
        for row in rows(&verdict) {
            output.fields(&[&row.0, &row.1])?;
        }
    }
    verdict.into_result().map(|_| DONE)
}

fn open(path: &Path) -> Result<Recording, ToolError> {
    let file = File::open(path).map_err(|error| {
        let message = format!("the record `{}` cannot be read: {error}", path.display());
        ToolError::new(ErrorKind::InvalidInput, message)
    })?;
    Recording::read(BufReader::new(file))
}

/// Writes what the call wrote, byte for byte, and starts nothing.
fn play(recording: Recording, is_streamed: bool, output: &mut Output) -> Result<u8, ToolError> {
    let delivery = if is_streamed {
        Delivery::Streamed
    } else {
        Delivery::Collected
    };
    let mut stream = recording.play::<BlockKind>()??;
    let progress = Progress::begin("playing the record", output.mode());
    let waiting = Waiting::new(progress, None);
    call::follow(&mut stream, delivery, waiting, output).map(|()| DONE)
}

fn call_again(
    recording: Recording,
    is_agreed: bool,
    output: &mut Output,
) -> Result<Verdict, ToolError> {
    let input = whole_input(&recording)?;
    let found = catalog::find(recording.tool().as_str(), output)?;
    let _busy = Busy::begin();
    let contract = found.tool.try_contract().ok().flatten();
    if !is_agreed {
        is_harmless(
            &found,
            contract.as_ref().map(lonis::ToolContract::side_effects),
        )?;
    }
    let mut call = Call::new(input).tied_to_thread();
    if found.is_hosted() {
        call = call.with_cancel(signals::token());
    }
    if is_agreed {
        call = call.confirmed();
    }
    let _progress = Progress::begin(&format!("calling {}", recording.tool()), output.mode());
    let verdict = Verdict::of(recording, contract.as_ref(), found.tool.start(call))?;
    found.remember();
    Ok(verdict)
}

/// Refuses to call again what changes something, unless somebody agrees.
fn is_harmless(found: &Found, effects: Option<SideEffects>) -> Result<(), ToolError> {
    match effects {
        Some(SideEffects::None | SideEffects::ReadOnly) => Ok(()),
        other => {
            let declared =
                other.map_or_else(|| "nothing".to_owned(), |effects| format!("`{effects}`"));
            let message = format!(
                "`{}` declares {declared} of its side effects, so that a second call may change something",
                found.tool.tool_id()
            );
            let hint = "`--yes` makes the call again, `--offline` plays the record";
            Err(ToolError::new(ErrorKind::ConfirmationRequired, message).with_hint(hint))
        }
    }
}

/// The lines for people.
fn rows(verdict: &Verdict) -> Vec<(String, String)> {
    let word = if verdict.reproduced {
        "reproduced"
    } else {
        "not reproduced"
    };
    let counts = format!(
        "{} in the record, {} now; contract {}",
        counted(verdict.recorded_blocks, "block"),
        verdict.observed_blocks,
        verdict.contract
    );
    let mut rows = vec![(word.to_owned(), counts)];
    let hash = |hash: Option<&lonis::ContentHash>| {
        hash.map_or_else(|| "no block".to_owned(), ToString::to_string)
    };
    for difference in &verdict.differences {
        let name = format!("block {}", difference.block);
        let (then, now) = (
            hash(difference.recorded.as_ref()),
            hash(difference.observed.as_ref()),
        );
        rows.push((name, format!("{then} in the record, {now} now")));
    }
    for pins in &verdict.pins {
        let what = [pins.missing.as_slice(), pins.differing.as_slice()].concat();
        rows.push((
            format!("block {}", pins.block),
            format!("pins that do not hold: {}", what.join(", ")),
        ));
    }
    if let Some([then, now]) = &verdict.errors {
        let shown = |kind: &Option<String>| kind.clone().unwrap_or_else(|| "success".to_owned());
        rows.push((
            "end".to_owned(),
            format!("{} in the record, {} now", shown(then), shown(now)),
        ));
    }
    rows
}
