//! Objects: bytes under a domain and an identity, checked whenever they are read.
//!
//! Owns the two traits and the objects that stand in memory, such as those of a candidate that is not stored yet.

use std::collections::HashMap;

use crate::identity::{Domain, Identity};

/// Why an object cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// No such object (`session/snapshot-missing`).
    #[error("the {} object `{identity}` is not in the store", domain.name())]
    Missing {
        /// What was asked for.
        domain: Domain,
        /// What was asked for.
        identity: Identity,
    },
    /// What is stored under the name has other bytes (`session/snapshot-mismatch`).
    #[error("the {} object `{identity}` is damaged: its bytes give `{observed}`", domain.name())]
    Mismatch {
        /// What was asked for.
        domain: Domain,
        /// What was asked for.
        identity: Identity,
        /// The identity of what stands there, or what else is wrong.
        observed: String,
    },
    /// The store itself cannot be read (`session/snapshot-read`).
    #[error("`{path}` cannot be read")]
    Read {
        /// The file of the store, relative to it.
        path: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

/// Gives objects by identity.
pub trait ReadObjects {
    /// The bytes of an object, length and hash checked.
    ///
    /// # Errors
    /// An object that is missing, damaged or cannot be read.
    fn read(&self, domain: Domain, identity: &Identity) -> Result<Vec<u8>, ObjectError>;

    /// Whether an object is there; its bytes are not looked at.
    fn contains(&self, domain: Domain, identity: &Identity) -> bool;
}

/// Objects in memory.
#[derive(Debug, Clone, Default)]
pub struct ObjectMap(HashMap<(Domain, Identity), Vec<u8>>);

impl ObjectMap {
    /// No objects.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an object and gives its identity.
    pub fn add(&mut self, domain: Domain, bytes: Vec<u8>) -> Identity {
        let identity = Identity::of(domain, &bytes);
        self.0.insert((domain, identity), bytes);
        identity
    }

    /// The objects, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (Domain, Identity, &[u8])> {
        self.0
            .iter()
            .map(|((domain, identity), bytes)| (*domain, *identity, bytes.as_slice()))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes over all objects of another map.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }
}

impl ReadObjects for ObjectMap {
    fn read(&self, domain: Domain, identity: &Identity) -> Result<Vec<u8>, ObjectError> {
        self.0
            .get(&(domain, *identity))
            .cloned()
            .ok_or(ObjectError::Missing {
                domain,
                identity: *identity,
            })
    }

    fn contains(&self, domain: Domain, identity: &Identity) -> bool {
        self.0.contains_key(&(domain, *identity))
    }
}

impl<R: ReadObjects + ?Sized> ReadObjects for &R {
    fn read(&self, domain: Domain, identity: &Identity) -> Result<Vec<u8>, ObjectError> {
        (**self).read(domain, identity)
    }

    fn contains(&self, domain: Domain, identity: &Identity) -> bool {
        (**self).contains(domain, identity)
    }
}

/// New objects in front of older ones, such as a candidate's in front of the store's.
#[derive(Debug)]
pub struct Layered<'a, B> {
    new: &'a ObjectMap,
    below: B,
}

impl<'a, B: ReadObjects> Layered<'a, B> {
    /// Looks in `new` first, then in `below`.
    pub const fn new(new: &'a ObjectMap, below: B) -> Self {
        Self { new, below }
    }
}

impl<B: ReadObjects> ReadObjects for Layered<'_, B> {
    fn read(&self, domain: Domain, identity: &Identity) -> Result<Vec<u8>, ObjectError> {
        match self.new.read(domain, identity) {
            Err(ObjectError::Missing { .. }) => self.below.read(domain, identity),
            found => found,
        }
    }

    fn contains(&self, domain: Domain, identity: &Identity) -> bool {
        self.new.contains(domain, identity) || self.below.contains(domain, identity)
    }
}
