//! Contracts and errors are read on the other side; what is new in ours is passed over there.

use golden::{Case, Family};
use lonis_schema::{ErrorKind, ToolContract, ToolError};
use published::{ToolContract as PublishedContract, ToolError as PublishedError};

#[test]
fn a_contract_goes_both_ways() {
    for Case { name, text } in Family::named("contracts").cases() {
        let theirs: PublishedContract =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let ours = ToolContract::read(&text)
            .unwrap_or_else(|error| panic!("{name}: {error}"))
            .value;
        let received = ToolContract::read(&serde_json::to_string(&theirs).unwrap()).unwrap();
        assert_eq!(received.findings, [], "{name}");
        let sent: PublishedContract =
            serde_json::from_str(&serde_json::to_string(&ours).unwrap()).unwrap();
        assert_eq!(
            serde_json::to_value(&sent).unwrap(),
            serde_json::to_value(&theirs).unwrap(),
            "{name}"
        );
    }
}

#[test]
fn an_error_goes_both_ways() {
    let ours = ToolError::new(ErrorKind::InvalidInput, "`query` is empty").with_hint("give a word");
    let theirs: PublishedError =
        serde_json::from_str(&serde_json::to_string(&ours).unwrap()).unwrap();
    assert_eq!(
        (theirs.kind.as_str(), theirs.exit_code),
        ("invalid_input", 2)
    );
    let back: ToolError = serde_json::from_str(&serde_json::to_string(&theirs).unwrap()).unwrap();
    assert_eq!(back, ours);
}
