//! Where a tool's contract comes from, and the check of inputs against it.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use lonis_schema::{ErrorKind, Json, ToolContract, ToolError};

use crate::{NativeName, SchemaCheck, SubprocessProvider};

/// The contract of a tool: none, a given one, or the one that its provider describes.
#[derive(Default)]
pub(crate) struct ContractSource {
    origin: Origin,
    /// The schema of the contract that was last seen, compiled.
    compiled: Mutex<Option<Compiled>>,
}

#[derive(Default)]
enum Origin {
    #[default]
    None,
    Known(Box<ToolContract>),
    Described(Box<SubprocessProvider>, NativeName),
}

/// A schema and what came of compiling it.
struct Compiled {
    schema: Json,
    check: Result<Arc<SchemaCheck>, String>,
}

impl ContractSource {
    pub(crate) fn known(contract: ToolContract) -> Self {
        Self {
            origin: Origin::Known(Box::new(contract)),
            compiled: Mutex::default(),
        }
    }

    pub(crate) fn described(provider: SubprocessProvider, name: &NativeName) -> Self {
        Self {
            origin: Origin::Described(Box::new(provider), name.clone()),
            compiled: Mutex::default(),
        }
    }

    /// Returns the contract, asking the provider for it where it is not known yet.
    pub(crate) fn get(&self) -> Result<Option<ToolContract>, ToolError> {
        match &self.origin {
            Origin::None => Ok(None),
            Origin::Known(contract) => Ok(Some((**contract).clone())),
            Origin::Described(provider, name) => provider.describe(name.as_str()).map(Some),
        }
    }

    /// Checks an input before its call starts.
    ///
    /// A contract that cannot be had or used leaves the input unchecked, with a note: the tool checks it again anyway.
    ///
    /// # Errors
    /// `invalid_input` when the input breaks the contract's schema; what shows that no call could work either.
    pub(crate) fn check_input(
        &self,
        input: &Json,
        notes: &mut Vec<String>,
    ) -> Result<(), ToolError> {
        let contract = match self.get() {
            Ok(contract) => contract,
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::UnsupportedProtocol | ErrorKind::Unavailable
                ) =>
            {
                return Err(error);
            }
            Err(error) => {
                notes.push(format!(
                    "input is not checked, since the contract is not known: {error}"
                ));
                return Ok(());
            }
        };
        let Some(schema) = contract.as_ref().and_then(ToolContract::input_json_schema) else {
            return Ok(());
        };
        match self.compiled(schema) {
            Ok(check) => Ok(check.check(&input.to_value())?),
            Err(problem) => {
                notes.push(format!("input is not checked: {problem}"));
                Ok(())
            }
        }
    }

    fn compiled(&self, schema: &Json) -> Result<Arc<SchemaCheck>, String> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = compiled
            .as_ref()
            .filter(|known| known.schema.text() == schema.text())
        {
            return known.check.clone();
        }
        let check = SchemaCheck::compile(&schema.to_value())
            .map(Arc::new)
            .map_err(|error| error.to_string());
        *compiled = Some(Compiled {
            schema: schema.clone(),
            check: check.clone(),
        });
        check
    }
}

impl fmt::Debug for ContractSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.origin {
            Origin::None => formatter.write_str("no contract"),
            Origin::Known(contract) => write!(formatter, "contract of `{}`", contract.name()),
            Origin::Described(_, name) => write!(
                formatter,
                "contract that the provider describes for `{name}`"
            ),
        }
    }
}
