//! Calls of one tool: with an input that should work, in every mode, and with inputs that should not.

use lonis::{
    BlockKind, Determinism, Json, NativeName, SchemaCheck, SeedBlock, SideEffects, ToolContract,
};
use serde_json::Value;

use crate::counted::counted;

use super::decoded::{self, Decoded};
use super::discovery::no_findings;
use super::failures::Failures;
use super::flush;
use super::observed::Observed;
use super::places::Places;
use super::report::{Report, Verdict};
use super::rule::Rule;
use super::sample::{self, Sampler};
use super::target::Target;

/// Generated inputs that are tried before the tool is left alone.
const MOST_TRIES: usize = 12;

/// How often blocks have to seem kept back before that is said.
const FLUSH_ATTEMPTS: usize = 3;

/// Size of a large input.
const LARGE_INPUT_BYTES: usize = 1 << 20;

/// Text that is no JSON value, however it is read on.
const NOT_JSON: &[u8] = b"{\"text\": \"cut off";

/// One tool under test.
pub(crate) struct Subject<'a> {
    pub(crate) target: &'a Target,
    pub(crate) name: &'a NativeName,
    pub(crate) contract: &'a ToolContract,
    /// The input that the user gave for it.
    pub(crate) given: Option<&'a Json>,
    pub(crate) places: &'a Places,
}

/// A call that worked: what was asked, and the blocks that came.
struct Success {
    input: String,
    decoded: Decoded,
}

impl Subject<'_> {
    /// Tries everything and adds the rows.
    pub(crate) fn examine(&self, report: &mut Report, failures: &mut Failures) {
        let schema = self.report_schema(report);
        let paths = self.places.paths();
        let sampler = schema
            .as_ref()
            .map(|(schema, check)| Sampler::new(schema, check, &paths));
        if let Some(sampler) = &sampler {
            let bad = sampler.bad_examples();
            let verdict = if bad.is_empty() {
                Ok(())
            } else {
                Err(bad.join("; "))
            };
            report.add(Rule::SchemaExamples, self.tool(), verdict);
        }
        if self.given.is_none() && !self.is_harmless() {
            let effects = self.contract.side_effects().as_str();
            let reason = format!("its contract says `{effects}`: give an input, and it is called");
            return report.add(Rule::Call, self.tool(), Verdict::NotTested(reason));
        }
        let inputs = self.inputs(sampler.as_ref());
        let good = inputs.first().map(Json::to_value);
        match self.first_success(&inputs, failures) {
            Ok(success) => {
                report.add(Rule::Call, self.tool(), Verdict::Holds);
                self.report_success(&success, report);
            }
            Err(verdict) => report.add(Rule::Call, self.tool(), verdict),
        }
        self.report_refusals(sampler.as_ref(), good.as_ref(), report, failures);
    }

    fn tool(&self) -> &str {
        self.name.as_str()
    }

    fn is_harmless(&self) -> bool {
        matches!(
            self.contract.side_effects(),
            SideEffects::None | SideEffects::ReadOnly
        )
    }

    fn is_deterministic(&self) -> bool {
        self.contract.determinism() == Determinism::Deterministic
    }

    fn call(&self, mode: &str, input: &[u8]) -> Observed {
        self.target.ask(mode, &["call", self.tool()], input)
    }

    fn report_schema(&self, report: &mut Report) -> Option<(Value, SchemaCheck)> {
        let given = self.contract.input_json_schema().map(Json::to_value);
        let missing = given.is_none().then(|| "the contract has none".to_owned());
        report.add(
            Rule::InputSchemaGiven,
            self.tool(),
            missing.map_or(Ok(()), Err),
        );
        let schema = given?;
        let compiled = SchemaCheck::compile(&schema).map_err(|error| error.to_string());
        report.add(
            Rule::InputSchema,
            self.tool(),
            compiled.as_ref().map(drop).map_err(Clone::clone),
        );
        compiled.ok().map(|check| (schema, check))
    }

    fn inputs(&self, sampler: Option<&Sampler<'_>>) -> Vec<Json> {
        if let Some(given) = self.given {
            return vec![given.clone()];
        }
        let candidates = sampler.map_or_else(sample::without_schema, Sampler::candidates);
        candidates
            .into_iter()
            .take(MOST_TRIES)
            .map(Json::from)
            .collect()
    }

    /// Calls with one input after the other until one works.
    fn first_success(&self, inputs: &[Json], failures: &mut Failures) -> Result<Success, Verdict> {
        let mut last = "no input can be made from its schema".to_owned();
        for input in inputs {
            let observed = self.call("json", input.text().as_bytes());
            match decoded::decode(&observed) {
                Ok(decoded) => {
                    return Ok(Success {
                        input: input.text().to_owned(),
                        decoded,
                    });
                }
                // It refused the input by itself, which another input may change; anything else is a fault.
                Err(seen) if observed.refusal().is_ok() => {
                    last = format!("{} gave {seen}", shown(input));
                }
                Err(seen) => return Err(Verdict::FallsShort(seen)),
            }
            failures.add(format!("a call of `{}`", self.tool()), observed);
        }
        Err(if self.given.is_some() {
            Verdict::FallsShort(last)
        } else {
            Verdict::NotTested(format!("give an input that works: {last}"))
        })
    }

    fn report_success(&self, success: &Success, report: &mut Report) {
        let input = success.input.as_bytes();
        let tool = self.tool();
        let Decoded { blocks, findings } = &success.decoded;
        report.add(Rule::BlocksClean, tool, no_findings(findings));
        report.add(Rule::BlockKinds, tool, kinds(blocks));
        self.report_ndjson(input, blocks, report);
        let human = self.call("human", input);
        report.add(
            Rule::CallHuman,
            tool,
            holds(human.succeeded(), || human.how_it_ended()),
        );
        let again = self.call("json", input);
        if self.is_deterministic() {
            report.add(Rule::Deterministic, tool, same_blocks(blocks, &again));
        }
        report.add(
            Rule::Quiet,
            tool,
            holds(again.stderr.is_empty(), || again.how_it_ended()),
        );
        let left = || "a descendant held a pipe and was ended".to_owned();
        report.add(Rule::LeavesNothing, tool, holds(!again.outlived, left));
    }

    fn report_ndjson(&self, input: &[u8], in_json: &[SeedBlock], report: &mut Report) {
        let tool = self.tool();
        let (observed, arrivals) = self.target.watch("ndjson", &["call", tool], input);
        let blocks = match decoded::decode(&observed) {
            Ok(decoded) => decoded.blocks,
            Err(seen) => return report.add(Rule::CallNdjson, tool, Err(seen)),
        };
        let same = !self.is_deterministic() || blocks.len() == in_json.len();
        let counts = || {
            format!(
                "{}, and {} in `json`",
                counted(blocks.len(), "block"),
                in_json.len()
            )
        };
        report.add(Rule::CallNdjson, tool, holds(same, counts));
        report.add(
            Rule::NdjsonLines,
            tool,
            one_a_line(&observed.stdout, blocks.len()),
        );
        let verdict = flush::judge(&observed.stdout, &arrivals, &blocks);
        report.add(Rule::NdjsonFlush, tool, self.confirmed(verdict, input));
    }

    /// Looks again where blocks seem to be kept back: whoever does so does it each time, and a machine with other work on
    /// it may have kept this process from reading.
    fn confirmed(&self, mut verdict: Verdict, input: &[u8]) -> Verdict {
        for _ in 1..FLUSH_ATTEMPTS {
            if !matches!(verdict, Verdict::FallsShort(_)) {
                break;
            }
            let (observed, arrivals) = self.target.watch("ndjson", &["call", self.tool()], input);
            let Ok(decoded) = decoded::decode(&observed) else {
                break;
            };
            verdict = flush::judge(&observed.stdout, &arrivals, &decoded.blocks);
        }
        verdict
    }

    fn report_refusals(
        &self,
        sampler: Option<&Sampler<'_>>,
        good: Option<&Value>,
        report: &mut Report,
        failures: &mut Failures,
    ) {
        let tool = self.tool();
        let not_json = self.call("json", NOT_JSON);
        report.add(Rule::BadJson, tool, not_json.refusal());
        failures.add_bad_input(
            format!("a call of `{tool}` with input that is not JSON"),
            not_json,
        );
        if let Some(bad) = sampler
            .and_then(|sampler| sampler.bad(good))
            .map(Json::from)
        {
            let refused = self.call("json", bad.text().as_bytes());
            report.add(
                Rule::BadInput,
                tool,
                refused
                    .refusal()
                    .map_err(|seen| format!("{} gave {seen}", shown(&bad))),
            );
            if let Ok(found) = refused.error() {
                report.add(Rule::BadInputPlace, tool, place(found.error.details()));
            }
            failures.add_bad_input(
                format!("a call of `{tool}` with input that breaks its schema"),
                refused,
            );
        }
        let empty = self.call("json", b"");
        report.add(Rule::EmptyInput, tool, empty.answer());
        failures.add(format!("a call of `{tool}` with an empty input"), empty);
        let large = Json::from(sample::grown(
            good.unwrap_or(&Value::Null),
            LARGE_INPUT_BYTES,
        ));
        let large = self.call("json", large.text().as_bytes());
        report.add(Rule::LargeInput, tool, large_answer(&large));
        failures.add(format!("a call of `{tool}` with a large input"), large);
    }
}

/// An input for a report: short, and on one line.
fn shown(input: &Json) -> String {
    format!("`{}`", super::observed::excerpt(input.text().as_bytes()))
}

fn holds(condition: bool, seen: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(seen()) }
}

fn same_blocks(first: &[SeedBlock], again: &Observed) -> Result<(), String> {
    let second = decoded::decode(again)?.blocks;
    if first.len() != second.len() {
        return Err(format!(
            "{}, then {}",
            counted(first.len(), "block"),
            second.len()
        ));
    }
    match first
        .iter()
        .zip(&second)
        .position(|(first, second)| first.content_hash() != second.content_hash())
    {
        None => Ok(()),
        Some(index) => Err(format!("block {index} has another payload the second time")),
    }
}

fn kinds(blocks: &[SeedBlock]) -> Result<(), String> {
    let is_named = |kind: &str| {
        kind.split_once('.')
            .is_some_and(|(space, name)| !space.is_empty() && !name.is_empty())
    };
    let bare = blocks.iter().find_map(|block| match block.payload() {
        BlockKind::Extension { kind, .. } if !is_named(kind) => {
            Some(kind.escape_debug().to_string())
        }
        _ => None,
    });
    bare.map_or(Ok(()), |kind| Err(format!("`{kind}` has no namespace")))
}

fn one_a_line(stdout: &[u8], blocks: usize) -> Result<(), String> {
    let lines = stdout.split(|&byte| byte == b'\n').count() - 1;
    let ends_in_one = stdout.is_empty() || stdout.ends_with(b"\n");
    holds(lines == blocks && ends_in_one, || {
        format!(
            "{}, {}",
            counted(blocks, "block"),
            counted(lines, "newline")
        )
    })
}

fn place(details: Option<&Json>) -> Result<(), String> {
    let pointer = details.map(|details| details.to_value()["pointer"].clone());
    match pointer.as_ref().and_then(Value::as_str) {
        Some(pointer) if pointer.is_empty() || pointer.starts_with('/') => Ok(()),
        Some(pointer) => Err(format!(
            "`details.pointer` is `{}`, which is no JSON Pointer",
            pointer.escape_debug()
        )),
        None => Err("`details.pointer` is missing".to_owned()),
    }
}

/// Whether a large input was answered; that the answer was too long for the cap is as good, since the host says so.
fn large_answer(observed: &Observed) -> Result<(), String> {
    match observed.answer() {
        Err(_) if observed.stdout.len() >= LARGE_INPUT_BYTES => Ok(()),
        answer => answer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_one_block() {
        for (stdout, blocks, holds) in [
            ("", 0, true),
            ("{}\n", 1, true),
            ("{}", 1, false),
            ("{\n}\n", 1, false),
            ("{}\n{}\n", 2, true),
            ("[{},{}]\n", 2, false),
        ] {
            assert_eq!(
                one_a_line(stdout.as_bytes(), blocks).is_ok(),
                holds,
                "{stdout:?}"
            );
        }
    }

    #[test]
    fn a_place_is_a_json_pointer() {
        for (details, holds) in [
            ("{\"pointer\":\"\"}", true),
            ("{\"pointer\":\"/a/0\"}", true),
            ("{\"pointer\":\"a\"}", false),
            ("{}", false),
            ("[]", false),
        ] {
            assert_eq!(
                place(Some(&Json::parse(details).unwrap())).is_ok(),
                holds,
                "{details}"
            );
        }
        assert!(place(None).is_err());
    }
}
