//! `manifest`: who the provider says it is.

use super::{Question, quoted_list};
use crate::block::quote;
use crate::modes::family::Descendant;
use crate::options::Failure;

pub(super) fn answer(question: &Question) -> Result<u8, Failure> {
    let tools = question.tools()?;
    let tools = quoted_list(tools.iter().map(|(name, _)| name.as_str()));
    let manifest = |protocol: &str, extra: &str| {
        format!(
            "{{\"name\":\"misbehave\",\"version\":\"1.0.0\",\"description\":\"Breaks every promise on request\",\
             \"provider_type\":\"external-executable\",\"protocol_version\":{},\"tools\":{tools}{extra}}}",
            quote(protocol)
        )
    };
    let keep = if question.options.is_set("keep") {
        ",\"keep\":{\"protocol\":\"lonis.keep/v1\",\"idle_millis\":60000,\"max_calls\":1000,\"cancel\":\"soft\"}"
    } else {
        ""
    };
    let good = manifest("lonis.provider/v1", keep);
    match question.options.text("manifest", "ok") {
        "wrong-protocol" => question.print(manifest("99", "")),
        "protocol-0" => question.print(manifest("0", "")),
        "unknown-keys" => {
            question.print(manifest("lonis.provider/v1", ",\"later\":{\"a\":[null]}"))
        }
        "null-optional" => question.print(manifest("lonis.provider/v1", ",\"display_name\":null")),
        "null-list" => question.print(manifest("lonis.provider/v1", ",\"capabilities\":null")),
        "missing-key" => {
            question.print("{\"name\":\"misbehave\",\"version\":\"1.0.0\",\"tools\":[]}\n")
        }
        "array" => question.print(format!("[{good}]\n")),
        "differs" => question.print(good.replace(
            "\"tools\":[",
            "\"tools\":[\"misbehave.only-in-the-manifest\",",
        )),
        "duplicate-key" => question.print(good.replacen('{', "{\"name\":\"other\",", 1)),
        "grandchild" => {
            let mut child =
                Descendant::holding("grandchild", 60_000).start_for(&question.options)?;
            question.announcer.step("ready");
            child.wait()?;
            Ok(0)
        }
        variant => question.common(variant, &good),
    }
}
