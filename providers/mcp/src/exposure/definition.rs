//! A tool as `tools/list` shows it.

use lonis::{ContentHash, SideEffects, ToolContract, ToolError};
use serde_json::{Value, json};

use super::{Expose, ResultForm};
use crate::failure;

/// The schema id of what a client sees of this face.
pub(crate) const INTERFACE_SCHEMA: &str = "genesis/mcp-interface-v0.1";

/// What a call may change, as far as scheduling and hints go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Class {
    change: Change,
    is_idempotent: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Nothing,
    Here,
    Elsewhere,
}

impl Class {
    /// Reads it off the contract.
    pub(crate) fn of(effects: SideEffects) -> Self {
        let change = match effects {
            SideEffects::None | SideEffects::ReadOnly => Change::Nothing,
            SideEffects::WritesFilesystem | SideEffects::Destructive => Change::Here,
            SideEffects::MutatesExternal | SideEffects::Network => Change::Elsewhere,
        };
        Self {
            change,
            is_idempotent: change == Change::Nothing,
        }
    }

    /// Whether calls may run side by side.
    pub(crate) fn is_read_only(self) -> bool {
        self.change == Change::Nothing
    }

    /// Takes the hints of the reviewed file; what stays is no looser than the contract, except that a review may know
    /// that a repeated call changes nothing more.
    ///
    /// # Errors
    /// `mcp/exposure-hint` where a tool that writes is called one that only reads.
    pub(crate) fn reviewed(mut self, expose: &Expose) -> Result<Self, ToolError> {
        match expose.read_only {
            Some(true) if !self.is_read_only() => {
                let message = format!(
                    "`read_only` of `{}` is looser than its contract, which says that it changes something",
                    expose.tool
                );
                return Err(failure::exposure("hint", message));
            }
            Some(false) if self.is_read_only() => {
                self = Self {
                    change: Change::Here,
                    is_idempotent: false,
                };
            }
            _ => {}
        }
        if let Some(is_idempotent) = expose.idempotent {
            self.is_idempotent = is_idempotent;
        }
        Ok(self)
    }

    fn annotations(self) -> Value {
        json!({
            "readOnlyHint": self.is_read_only(),
            "destructiveHint": !self.is_read_only(),
            "idempotentHint": self.is_idempotent,
            "openWorldHint": self.change == Change::Elsewhere,
        })
    }
}

/// Makes the definition of a registered tool.
pub(crate) fn definition(
    name: &str,
    id: &str,
    contract: &ToolContract,
    input_schema: &Value,
    class: Class,
    form: ResultForm,
) -> Value {
    let contract_hash = ContentHash::of(contract).map_or(Value::Null, |hash| hash.as_str().into());
    let mut definition = whole(name, id, contract.description(), input_schema, class, form);
    definition["_meta"] = json!({
        "io.lonis/tool": id,
        "io.lonis/contractSha256": contract_hash,
        "io.lonis/interfaceSchema": INTERFACE_SCHEMA,
    });
    definition
}

/// Makes the definition of a tool of this face itself, which reads only.
pub(crate) fn own_definition(name: &str, title: &str, about: &str, input_schema: &Value) -> Value {
    let class = Class::of(SideEffects::ReadOnly);
    let mut definition = whole(
        name,
        title,
        about,
        input_schema,
        class,
        ResultForm::Envelope,
    );
    definition["_meta"] = json!({"io.lonis/interfaceSchema": INTERFACE_SCHEMA});
    definition
}

fn whole(
    name: &str,
    title: &str,
    about: &str,
    input_schema: &Value,
    class: Class,
    form: ResultForm,
) -> Value {
    let mut definition = json!({
        "name": name,
        "title": title,
        "description": about,
        "inputSchema": input_schema,
        "annotations": class.annotations(),
        "execution": {"taskSupport": "forbidden"},
    });
    if form == ResultForm::Envelope {
        definition["outputSchema"] = json!({
            "type": "object",
            "properties": {"ok": {"type": "boolean"}, "kind": {"type": "string"}},
            "required": ["kind", "ok"],
        });
    }
    definition
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_annotation_is_written_by_what_the_contract_says() {
        for (effects, read_only, destructive, idempotent, open_world) in [
            (SideEffects::None, true, false, true, false),
            (SideEffects::ReadOnly, true, false, true, false),
            (SideEffects::WritesFilesystem, false, true, false, false),
            (SideEffects::Destructive, false, true, false, false),
            (SideEffects::MutatesExternal, false, true, false, true),
            (SideEffects::Network, false, true, false, true),
        ] {
            let expected = json!({
                "readOnlyHint": read_only,
                "destructiveHint": destructive,
                "idempotentHint": idempotent,
                "openWorldHint": open_world,
            });
            assert_eq!(Class::of(effects).annotations(), expected, "{effects:?}");
        }
    }

    #[test]
    fn hints_are_made_stricter_and_never_looser() {
        let expose = |text: &str| -> Expose {
            toml::from_str(&format!("tool = \"a:b\"\n{text}")).expect("it is an exposure")
        };
        let writes = Class::of(SideEffects::WritesFilesystem);
        let error = writes
            .reviewed(&expose("read_only = true"))
            .expect_err("it is looser");
        assert_eq!(error.kind().as_str(), "mcp/exposure-hint");
        let reads = Class::of(SideEffects::ReadOnly);
        let stricter = reads
            .reviewed(&expose("read_only = false"))
            .expect("it is stricter");
        assert!(!stricter.is_read_only() && !stricter.is_idempotent);
        let known = writes
            .reviewed(&expose("idempotent = true"))
            .expect("a review may know it");
        assert!(known.is_idempotent && !known.is_read_only());
    }
}
