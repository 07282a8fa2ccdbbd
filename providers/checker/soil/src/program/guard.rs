//! Clauses that guard a definition.

use super::{DefinitionId, GuardTexts, Program, Refused, Text, refused};

/// The clauses of one definition.
#[derive(Clone, Debug)]
pub struct Guard {
    /// The definition.
    pub definition: DefinitionId,
    /// What has to hold when it is called.
    pub requires: Vec<Clause>,
    /// What has to hold when it returns.
    pub ensures: Vec<Clause>,
}

/// One clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Its label.
    pub label: String,
    /// Its predicate, over the parameter names of the signature; `result` in an ensures.
    pub predicate: String,
}

/// Finds the definitions that guards name.
pub(super) fn resolve(program: &mut Program, guards: &[GuardTexts]) -> Result<(), Box<Refused>> {
    for guard in guards {
        let Some(definition) = program.find_definition(&guard.definition) else {
            let text = Text::new("program.json", Vec::new());
            let message = format!(
                "a guard names `{}`, which is no definition",
                guard.definition
            );
            return Err(Box::new(refused(&text, &message)));
        };
        program.guards.push(Guard {
            definition,
            requires: guard.requires.clone(),
            ensures: guard.ensures.clone(),
        });
    }
    Ok(())
}
