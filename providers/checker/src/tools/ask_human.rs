//! `ask_human`: a question to the owner of the spec, which ends the job.

use serde_json::{Value, json};
use soil::document::Writer;

use super::input::{Input, word};
use super::{JobTool, Sort, Work, schema};
use crate::failure::Failure;
use crate::job::{Asked, JobCall, Kind, Question, Seen, ask, evidence};

pub(super) const TOOL: JobTool = JobTool {
    native: "trellis.ask_human",
    id: "trellis:ask_human",
    description: "Asks the owner of the spec and ends the job. The answer comes as part of the spec, in a new job.",
    sort: Sort::Writing,
    is_long: false,
    input,
    output,
    prepare,
};

fn input() -> Value {
    json!({
        "type": "object",
        "properties": {
            "kind": schema::words(&["Ambiguity", "Contradiction", "Rule"]),
            "question": {"type": "string", "minLength": 1},
            "hole": schema::option(&json!({"type": "string"})),
            "options": {"type": "array", "items": {"type": "string"}}
        },
        "required": ["kind", "question", "hole", "options"],
        "additionalProperties": false
    })
}

fn output() -> Value {
    schema::object(&json!({"acknowledged": {"const": true}, "question": {"type": "string"}}))
}

fn prepare(input: &mut Input<'_>) -> Option<Work> {
    let kind = kind(input);
    let question = input.text("question");
    if question.is_some_and(|text| text.trim().is_empty()) {
        input.wrong("`question` must not be empty");
    }
    let hole = input.hole("hole");
    let options = input.texts("options");
    let asked = Asked {
        kind: kind?,
        question: question?.to_owned(),
        hole: hole?,
        options: options?,
    };
    Some(Box::new(move |call| work(call, asked)))
}

fn kind(input: &mut Input<'_>) -> Option<Kind> {
    let value = input.take("kind")?;
    let kind = match word(value) {
        Some("Ambiguity") => Some(Kind::Ambiguity),
        Some("Contradiction") => Some(Kind::Contradiction),
        Some("Rule") => Some(Kind::Rule),
        _ => None,
    };
    if kind.is_none() {
        input.wrong("`kind` must be `Ambiguity`, `Contradiction` or `Rule`");
    }
    kind
}

fn work(call: &mut JobCall, asked: Asked) -> Result<String, Failure> {
    let seen = Seen::of(&call.directory)?;
    let question = Question::of(&call.record, asked, seen, evidence(&call.directory)?);
    ask(&call.directory, &mut call.record, &question)?;
    let name = call.record.name().to_owned();
    call.log().note("question", json!({"question": question}));
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.key("acknowledged").boolean(true);
        writer
            .key("question")
            .string(&format!("{name}.question.json"));
    });
    Ok(writer.finish_document())
}
