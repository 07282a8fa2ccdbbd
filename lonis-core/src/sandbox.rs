//! What a contract declares of its side effects, as rules that the kernel holds the tool to.

use std::path::PathBuf;

use lonis_schema::SideEffects;

use crate::process::Confinement;

/// Whether and how a tool is held to its contract.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Sandbox {
    writable: Vec<PathBuf>,
    is_required: bool,
}

impl Sandbox {
    /// Holds a tool to what its contract declares, as far as this machine can.
    ///
    /// A tool that declares `writes-filesystem` or `network` may change files below these folders.
    pub fn of_contract(writable: impl IntoIterator<Item = PathBuf>) -> Self {
        Self {
            writable: writable.into_iter().collect(),
            is_required: false,
        }
    }

    /// Refuses a call where this machine cannot hold the tool to its contract.
    pub fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    /// The rules for a tool of these side effects.
    ///
    /// `none` and `read-only` change no file outside of the call's private folders and have no network;
    /// `writes-filesystem` changes the folders that are writable; `network` has the network too. The others declare
    /// that they may do anything.
    pub(crate) fn confinement(&self, declared: SideEffects) -> Confinement {
        let writable = || Confinement::writing_below(self.writable.iter().cloned());
        let rules = match declared {
            SideEffects::None | SideEffects::ReadOnly => Confinement::writing_nowhere(),
            SideEffects::WritesFilesystem => writable(),
            SideEffects::Network => writable().with_network(),
            SideEffects::MutatesExternal | SideEffects::Destructive => Confinement::none(),
        };
        if self.is_required {
            rules.required()
        } else {
            rules
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_declaration_has_its_rules() {
        let folders = [PathBuf::from("/srv/out")];
        let sandbox = Sandbox::of_contract(folders.clone());
        let writing = Confinement::writing_below(folders);
        let expected = [
            (SideEffects::None, Confinement::writing_nowhere()),
            (SideEffects::ReadOnly, Confinement::writing_nowhere()),
            (SideEffects::WritesFilesystem, writing.clone()),
            (SideEffects::Network, writing.with_network()),
            (SideEffects::MutatesExternal, Confinement::none()),
            (SideEffects::Destructive, Confinement::none()),
        ];
        for (declared, rules) in expected {
            assert_eq!(sandbox.confinement(declared), rules, "{declared}");
            let strict = sandbox.clone().required().confinement(declared);
            assert_eq!(strict, rules.required(), "{declared}");
        }
    }
}
