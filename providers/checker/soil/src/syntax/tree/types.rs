//! Types as they are written.

use super::{Binder, List, PredicateId, list};
use crate::source::Span;
use crate::syntax::{Name, known};

list::id!(TypeId "a type");

/// A written type with its place.
#[derive(Clone, Copy, Debug)]
pub struct Type {
    /// From its first token to its last; for a named parameter from its parenthesis.
    pub span: Span,
    /// What it is.
    pub kind: TypeKind,
}

/// The forms of a written type.
#[derive(Clone, Copy, Debug)]
pub enum TypeKind {
    /// `dom -> row cod`, `(x : dom) -> row cod`.
    Arrow {
        /// The name of the parameter.
        param: Option<Binder>,
        /// The type of the argument.
        domain: TypeId,
        /// What the call performs.
        row: Row,
        /// The type of the result.
        codomain: TypeId,
        /// The place of the `->` token.
        arrow: Span,
    },
    /// `T`, `T a b`. The name begins the span and is as long as its text.
    Constructor {
        /// The type's name.
        name: Name,
        /// Its arguments.
        arguments: List<TypeId>,
    },
    /// `a`.
    Variable {
        /// The variable's name.
        name: Name,
    },
    /// `{v : T | p}`; erased by the checker.
    Refined {
        /// The name of the value in the predicate.
        binder: Binder,
        /// The type that is refined.
        base: TypeId,
        /// What holds of the value.
        predicate: PredicateId,
    },
    /// What did not read; reported already.
    Error,
}

/// A written row: effects, and a variable for more of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The effects named.
    pub effects: Effects,
    /// The row variable.
    pub variable: Option<Name>,
}

impl Row {
    /// The row of a total function.
    pub const EMPTY: Self = Self {
        effects: Effects::NONE,
        variable: None,
    };

    /// Says whether neither effect nor variable is there.
    pub const fn is_empty(self) -> bool {
        self.effects.is_empty() && self.variable.is_none()
    }
}

/// One effect, in the order of canonical text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// May not return.
    Div,
    /// May raise.
    Panic,
    /// Touches the world.
    Io,
    /// Runs foreign code; brings `panic` with it.
    Ffi,
}

impl Effect {
    /// All effects in the order of canonical text.
    pub const ALL: [Self; 4] = [Self::Div, Self::Panic, Self::Io, Self::Ffi];

    /// Gives the word that stands in a type.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Div => "div",
            Self::Panic => "panic",
            Self::Io => "io",
            Self::Ffi => "ffi",
        }
    }

    /// Gives the tag that stands in a document.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::Div => "Div",
            Self::Panic => "Panic",
            Self::Io => "Io",
            Self::Ffi => "Ffi",
        }
    }

    /// Gives the effect that a name means in type position.
    pub fn from_name(name: Name) -> Option<Self> {
        match name {
            known::DIV => Some(Self::Div),
            known::PANIC => Some(Self::Panic),
            known::IO => Some(Self::Io),
            known::FFI => Some(Self::Ffi),
            _ => None,
        }
    }
}

/// A set of effects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Effects(u8);

impl Effects {
    /// The set without effects.
    pub const NONE: Self = Self(0);

    /// Says whether the set holds the effect.
    pub const fn contains(self, effect: Effect) -> bool {
        self.0 & (1 << effect as u8) != 0
    }

    /// Gives the set with the effect in it.
    #[must_use]
    pub const fn with(self, effect: Effect) -> Self {
        Self(self.0 | 1 << effect as u8)
    }

    /// Gives the effects of either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Gives the effects of this set that the other has not.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Gives the set with what its effects bring with them: `ffi` brings `panic`.
    #[must_use]
    pub const fn closed(self) -> Self {
        if self.contains(Effect::Ffi) {
            self.with(Effect::Panic)
        } else {
            self
        }
    }

    /// Says whether no effect is in it.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Lists the effects in the order of canonical text.
    pub fn iter(self) -> impl Iterator<Item = Effect> {
        Effect::ALL
            .into_iter()
            .filter(move |effect| self.contains(*effect))
    }
}

impl FromIterator<Effect> for Effects {
    fn from_iter<I: IntoIterator<Item = Effect>>(effects: I) -> Self {
        effects.into_iter().fold(Self::NONE, Self::with)
    }
}
