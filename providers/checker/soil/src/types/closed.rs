//! Types without variables, each held once.

use hashbrown::HashMap;

use crate::environment::TypeId;

/// The number of a type without variables within its [`ClosedTypes`]; equal types have equal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClosedType(u32);

/// Types without variables and functions, aliases expanded.
#[derive(Clone, Debug, Default)]
pub struct ClosedTypes {
    types: Vec<(TypeId, Vec<ClosedType>)>,
    known: HashMap<(TypeId, Vec<ClosedType>), ClosedType>,
}

impl ClosedTypes {
    /// Gives the number of a type with its arguments.
    ///
    /// # Panics
    /// Past 2^32 types, which no address space holds.
    pub fn intern(&mut self, id: TypeId, arguments: Vec<ClosedType>) -> ClosedType {
        let key = (id, arguments);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let index = u32::try_from(self.types.len()).expect("fewer than 2^32 types fit in memory");
        let closed = ClosedType(index);
        self.types.push(key.clone());
        self.known.insert(key, closed);
        closed
    }

    /// Gives the type and its arguments.
    pub fn get(&self, closed: ClosedType) -> (TypeId, &[ClosedType]) {
        let (id, arguments) = &self.types[closed.0 as usize];
        (*id, arguments)
    }
}
