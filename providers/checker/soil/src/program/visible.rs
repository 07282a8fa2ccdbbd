//! What a name means outside its definition.

use super::{DefinitionId, Program};
use crate::builtins::BuiltinId;
use crate::environment::ConstructorId;
use crate::syntax::{Name, known};

impl Program {
    /// Lists the definitions with this name, the last one first.
    pub fn definitions_named(&self, name: Name) -> impl Iterator<Item = DefinitionId> {
        let first = self.definitions_by_name.get(name);
        std::iter::successors(first, move |id| {
            // A file's name may stand for a definition that is called otherwise; those before it have nothing to do with it.
            let definition = &self[*id];
            definition.previous.filter(|_| definition.name == name)
        })
    }

    /// Lists those of them that a module sees without qualification.
    pub fn visible_named(&self, name: Name, module: Name) -> impl Iterator<Item = DefinitionId> {
        self.definitions_named(name)
            .filter(move |id| self.is_visible(*id, module))
    }

    /// Says whether a module sees a definition.
    pub fn is_visible(&self, id: DefinitionId, module: Name) -> bool {
        let definition = &self[id];
        !definition.is_private || definition.module == module
    }

    /// Gives the builtin with this name.
    pub fn builtin_named(&self, name: Name) -> Option<BuiltinId> {
        self.builtins.get(name)
    }

    /// Gives the definition of the prelude with this name.
    pub fn prelude_named(&self, name: Name) -> Option<DefinitionId> {
        self.prelude.get(name)
    }

    /// Says whether a name is one of a module.
    pub fn has_module(&self, name: Name) -> bool {
        self.modules.get(name).is_some() || name == known::PRELUDE
    }

    /// Gives the one legal spelling of a definition within a module.
    pub fn definition_text(&self, id: DefinitionId, module: Name) -> String {
        let definition = &self[id];
        let text = &self.names[definition.name];
        let mut others = self.visible_named(definition.name, module);
        if others.any(|other| self[other].module != definition.module) {
            return format!("{}::{text}", &self.names[definition.module]);
        }
        text.to_owned()
    }

    /// Gives the one legal spelling of a constructor.
    pub fn constructor_text(&self, id: ConstructorId) -> String {
        let environment = &self.environment;
        let constructor = &environment[id];
        let text = &self.names[constructor.name];
        if environment
            .constructors_named(constructor.name)
            .nth(1)
            .is_some()
        {
            let owner = &self.names[environment[constructor.owner].name];
            return format!("{owner}::{text}");
        }
        text.to_owned()
    }
}
