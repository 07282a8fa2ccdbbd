//! What the provider says about itself: manifest, list, contracts, and its answers to unknown names.

use lonis::{Finding, NativeName, ProviderManifest, ProviderToolList, Read, ToolContract};

use super::failures::Failures;
use super::observed::Observed;
use super::report::{Report, Verdict};
use super::rule::Rule;
use super::target::Target;

/// A name that no provider has.
const UNKNOWN_TOOL: &str = "no.such.tool";

/// Asks for manifest and list, and gives the names that can be used.
pub(crate) fn names(target: &Target, report: &mut Report) -> Vec<NativeName> {
    let manifest = read_manifest(&target.ask("json", &["manifest"], b""));
    report.add(
        Rule::Manifest,
        "",
        manifest.as_ref().map(drop).map_err(Clone::clone),
    );
    if let Ok(manifest) = &manifest {
        report.add(Rule::Protocol, "", protocol(manifest));
    }
    let listed = tool_names(&target.ask("json", &["tools", "list"], b""));
    report.add(
        Rule::ToolList,
        "",
        listed.as_ref().map(drop).map_err(Clone::clone),
    );
    let Ok(listed) = listed else {
        return Vec::new();
    };
    let (usable, unusable) = sorted_out(&listed);
    report.add(Rule::ToolNames, "", unusable);
    if let Ok(manifest) = &manifest {
        report.add(Rule::ToolsAgree, "", agreement(&manifest.tools, &listed));
    }
    usable
}

/// Asks for what is not there.
pub(crate) fn unknown(target: &Target, report: &mut Report, failures: &mut Failures) {
    let call = target.ask("json", &["call", UNKNOWN_TOOL], b"{}");
    let describe = target.ask("json", &["tools", "describe", UNKNOWN_TOOL], b"");
    let refused = call.refusal().and(describe.refusal());
    report.add(Rule::UnknownTool, "", refused);
    failures.add_unknown("a call of an unknown tool", call);
    failures.add_unknown("`tools describe` of an unknown tool", describe);
    let command = target.ask("json", &["no-such-command"], b"");
    report.add(Rule::UnknownCommand, "", command.refusal());
    failures.add("an unknown command", command);
}

/// Asks for the contract of one tool.
pub(crate) fn contract(
    target: &Target,
    name: &NativeName,
    report: &mut Report,
) -> Option<ToolContract> {
    let found = read_contract(
        &target.ask("json", &["tools", "describe", name.as_str()], b""),
        name,
    );
    report.add(
        Rule::Describe,
        name.as_str(),
        found.as_ref().map(drop).map_err(Clone::clone),
    );
    let mut read = found.ok()?;
    // A name of one segment is no tool id, but it is the provider's own spelling, and `describe` has compared it.
    read.findings
        .retain(|finding| finding.pointer() != "/name" || finding.is_limit());
    report.add(
        Rule::ContractClean,
        name.as_str(),
        no_findings(&read.findings),
    );
    Some(read.value)
}

/// Whether a document keeps every limit and format.
///
/// # Errors
/// What it breaks, for a report.
pub(crate) fn no_findings(findings: &[Finding]) -> Result<(), String> {
    match findings {
        [] => Ok(()),
        [first] => Err(first.to_string()),
        [first, rest @ ..] => Err(format!("{first}, and {} more", rest.len())),
    }
}

fn read_manifest(observed: &Observed) -> Result<ProviderManifest, String> {
    ProviderManifest::read(observed.document()?).map_err(|error| error.to_string())
}

fn protocol(manifest: &ProviderManifest) -> Result<(), String> {
    if manifest.speaks_known_protocol() {
        return Ok(());
    }
    Err(format!(
        "it is `{}`",
        manifest.protocol_version.escape_debug()
    ))
}

fn tool_names(observed: &Observed) -> Result<Vec<String>, String> {
    let list = ProviderToolList::read(observed.document()?).map_err(|error| error.to_string())?;
    Ok(list.tools.into_iter().map(|tool| tool.name).collect())
}

/// The names that a host would use, and whether there are others.
fn sorted_out(listed: &[String]) -> (Vec<NativeName>, Result<(), String>) {
    let mut usable: Vec<NativeName> = Vec::new();
    let mut problems = Vec::new();
    for text in listed {
        let name = match NativeName::parse(text) {
            Ok(name) => name,
            Err(error) => {
                problems.push(error.to_string());
                continue;
            }
        };
        if let Some(first) = usable.iter().find(|first| first.id() == name.id()) {
            problems.push(format!(
                "`{}` and `{}` have one id",
                first.as_str(),
                name.as_str()
            ));
        } else {
            usable.push(name);
        }
    }
    (
        usable,
        if problems.is_empty() {
            Ok(())
        } else {
            Err(problems.join("; "))
        },
    )
}

fn agreement(promised: &[String], listed: &[String]) -> Verdict {
    let missing =
        |from: &[String], of: &[String]| from.iter().find(|name| !of.contains(name)).cloned();
    let difference = missing(promised, listed)
        .map(|name| format!("`{}` is in the manifest alone", name.escape_debug()))
        .or_else(|| {
            missing(listed, promised)
                .map(|name| format!("`{}` is in the list alone", name.escape_debug()))
        });
    difference.map_or(Verdict::Holds, Verdict::FallsShort)
}

fn read_contract(observed: &Observed, name: &NativeName) -> Result<Read<ToolContract>, String> {
    let read = ToolContract::read(observed.document()?).map_err(|error| error.to_string())?;
    let found = read.value.name();
    // Either spelling of one tool is right.
    let is_spelled_so = NativeName::parse(found).is_ok_and(|found| found.id() == name.id());
    if !is_spelled_so && found != name.as_str() {
        return Err(format!(
            "the contract of `{}` has the name `{}`",
            name.as_str(),
            found.escape_debug()
        ));
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::super::observed::ended;
    use super::*;

    #[test]
    fn names_are_sorted_out_as_a_host_does() {
        let listed =
            ["x.ok", "x.ok", "", "a..b", "--help", "a.b", "a:b", "bare"].map(str::to_owned);
        let (usable, problems) = sorted_out(&listed);
        assert_eq!(
            usable.iter().map(NativeName::as_str).collect::<Vec<_>>(),
            ["x.ok", "a.b", "bare"]
        );
        assert_eq!(problems.unwrap_err().split("; ").count(), 5);
    }

    #[test]
    fn a_contract_is_that_of_its_tool() {
        let name = NativeName::parse("a.b").unwrap();
        let contract = |text: &str| {
            let text = format!(
                r#"{{"name":"{text}","description":"d","input_schema":"i","output_schema":"o","determinism":"deterministic","side_effects":"none","cost":"low"}}"#
            );
            read_contract(&ended(0, &text, ""), &name).is_ok()
        };
        assert!(contract("a.b") && contract("a:b"));
        assert!(!contract("a.c"));
    }
}
