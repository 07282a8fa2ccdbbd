//! The faces of one command, and what each of them tells, brought to one form.

use std::process::Output;

use serde_json::{Value, json};

use super::rows::Row;
use crate::goldens::{Stage, neutral};

/// A face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Face {
    /// `lonis-session --json`.
    Direct,
    /// `lonis-session call`.
    Provider,
    /// `lonis call`, which starts the provider.
    Host,
}

impl Face {
    /// Runs a command on this face, and gives what it tells.
    pub(crate) fn told(self, stage: &Stage, row: &Row) -> Value {
        let told = match self {
            Self::Direct => direct(&stage.run(&row.argv, &row.stdin, 96)),
            Self::Provider => {
                let (command, input) = row.input(stage);
                let words = ["--mode", "json", "call", &format!("session.{command}")];
                called(&stage.run(&owned(&words), &input, 96))
            }
            Self::Host => {
                let (command, input) = row.input(stage);
                let tool = format!("session:{command}");
                // Nothing here is about how fast a busy machine is.
                let words = ["--mode", "json", "call", &tool, "-", "--timeout", "600s"];
                called(&stage.host(&owned(&words), &input))
            }
        };
        neutral(told)
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// What an envelope tells.
fn direct(output: &Output) -> Value {
    let envelope: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {output:?}"));
    if envelope["ok"] == true {
        return json!({"exit": output.status.code(), "data": envelope["data"]});
    }
    json!({
        "exit": output.status.code(),
        "code": envelope["error"]["code"],
        "message": envelope["error"]["message"],
        "context": envelope["error"]["context"],
        "diagnostics": envelope["diagnostics"],
        "diagnostics_schema": envelope["diagnostics_schema"],
        "diagnostic_catalog": envelope["diagnostic_catalog"],
        "data": envelope["data"],
    })
}

/// What the blocks of a call tell, or its error.
fn called(output: &Output) -> Value {
    let exit = output.status.code();
    if exit == Some(0) {
        let blocks: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {output:?}"));
        let last = blocks.as_array().and_then(|blocks| blocks.last());
        let mut data = last.unwrap_or(&blocks)["payload"]["data"].clone();
        // A block alone has its own text for people; the direct face prints that instead of the data.
        let text = data
            .as_object_mut()
            .and_then(|data| data.remove("rendered"));
        assert!(text.is_some_and(|text| text.is_string()), "{data}");
        return json!({"exit": exit, "data": data});
    }
    let error: Value = serde_json::from_slice(&output.stderr)
        .unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let details = &error["details"];
    assert_eq!(json!(exit), error["exit_code"], "{error}");
    json!({
        "exit": exit,
        "code": error["kind"],
        "message": error["message"],
        "context": details["context"],
        "diagnostics": details["diagnostics"],
        "diagnostics_schema": details["diagnostics_schema"],
        "diagnostic_catalog": details["diagnostic_catalog"],
        "data": details["result"],
    })
}
