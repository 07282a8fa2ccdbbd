//! `tests.json`: the cases of a spec as `soil test` reads them, less the program.

use soil::document::Writer;
use soil::json::Json;
use soil::testing::{CaseArgument, Expectation, TestCase};

/// Gives the text of the file.
pub(super) fn text(cases: &[TestCase]) -> String {
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.key("cases").array(|writer| {
            for case in cases {
                writer.object(|writer| members(writer, case));
            }
        });
    });
    writer.finish_document()
}

fn members(writer: &mut Writer, case: &TestCase) {
    writer.key("name").string(&case.name);
    writer.key("def").string(&case.definition);
    writer.key("binds").array(|writer| {
        for bind in &case.binds {
            writer.object(|writer| {
                writer.key("bind").string(&bind.name);
                writer.key("ctor").string(&bind.constructor);
                writer.key("args").array(|writer| {
                    for json in &bind.arguments {
                        write(writer, json);
                    }
                });
            });
        }
    });
    writer.key("args").array(|writer| {
        for argument in &case.arguments {
            match argument {
                CaseArgument::Binding(name) => writer.variant("Binding", |writer| {
                    writer.key("name").string(name);
                }),
                CaseArgument::Json(json) => writer.tagged("Json", |writer| write(writer, json)),
            }
        }
    });
    writer.key("expect");
    match &case.expected {
        Expectation::Value(json) => writer.tagged("Value", |writer| write(writer, json)),
        Expectation::Panic => writer.tag("Panic"),
    }
    writer.key("xfail").boolean(case.is_xfail);
}

/// Writes a value whose nesting its reader has bounded.
fn write(writer: &mut Writer, json: &Json) {
    match json {
        Json::Null => writer.raw("null"),
        Json::Boolean(value) => writer.boolean(*value),
        Json::Number(text) => writer.raw(text),
        Json::Text(text) => writer.string(text),
        Json::Array(entries) => writer.array(|writer| {
            for json in entries {
                write(writer, json);
            }
        }),
        Json::Object(members) => writer.object(|writer| {
            for (key, json) in members {
                write(writer.key(key), json);
            }
        }),
    }
}
