//! `tools list`: what the provider says it has.

use super::Question;
use crate::block::quote;
use crate::options::Failure;

/// Names that a host has to sort out: some usable, some twice, some that collide, some that are none.
pub(super) const ODD_NAMES: &[&str] = &[
    "x.ok", "x.ok", "", "a..b", ".a", "a:", "--help", "-x", "a.b", "a:b", "..", ".", "a\u{7}b",
    "a\0b", "bare", "ü.ß", "a b.c/d",
];

pub(super) fn answer(question: &Question) -> Result<u8, Failure> {
    let entries = listed(question.tools()?.into_iter());
    let good = format!("{{\"provider\":\"misbehave\",\"tools\":{entries}}}");
    match question.options.text("list", "ok") {
        "bare-array" => question.print(format!("{entries}\n")),
        "odd-names" => {
            let names = ODD_NAMES
                .iter()
                .map(|name| ((*name).to_owned(), "An odd name"));
            question.print(format!("{{\"tools\":{}}}\n", listed(names)))
        }
        "long-name" => question.print(format!(
            "{{\"tools\":[{{\"name\":\"a.{}\"}}]}}\n",
            "b".repeat(2_000)
        )),
        "many" => {
            let names = (0..1_000).map(|number| {
                (
                    format!("misbehave.echo,role=r{number}"),
                    "One of a thousand",
                )
            });
            question.print(format!("{{\"tools\":{}}}\n", listed(names)))
        }
        "empty" => question.print("{\"tools\":[]}\n"),
        "missing-name" => question.print("{\"tools\":[{\"description\":\"nameless\"}]}\n"),
        "missing-key" => question.print("{\"provider\":\"misbehave\"}\n"),
        "unknown-keys" => question.print(format!(
            "{{\"later\":1,\"tools\":{}}}\n",
            entries.replacen('{', "{\"later\":[],", 1)
        )),
        variant => question.common(variant, &good),
    }
}

fn listed<'a>(tools: impl Iterator<Item = (String, &'a str)>) -> String {
    let entry = |(name, summary): (String, &str)| {
        format!(
            "{{\"name\":{},\"description\":{},\"version\":\"1.0.0\"}}",
            quote(&name),
            quote(summary)
        )
    };
    format!("[{}]", tools.map(entry).collect::<Vec<_>>().join(","))
}
