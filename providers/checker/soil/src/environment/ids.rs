//! Types that every environment has, at the same places.

/// The number of a type within its environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(u32);

impl TypeId {
    pub(super) const fn new(index: u32) -> Self {
        Self(index)
    }

    /// Gives the id at a position among all types.
    pub(crate) fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).expect("an input in memory has fewer than 2^32 types"))
    }

    pub(crate) const fn number(self) -> u32 {
        self.0
    }

    /// Gives the position among all types.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Says whether the type is built in or a kernel one: it has no specification and gives no edge.
    pub const fn is_kernel(self) -> bool {
        self.index() < COUNT
    }
}

macro_rules! ids {
    ($($constant:ident)*) => {
        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "the variants only number the constants")]
        enum Position { $($constant),* }

        $(#[doc = concat!("The type `", stringify!($constant), "`, in the case of types.")]
        pub const $constant: TypeId = TypeId::new(Position::$constant as u32);)*

        /// How many types every environment has.
        pub const COUNT: usize = [$($constant),*].len();
    };
}

ids! {
    I64 U64 I32 U32 I16 U16 I8 U8 BIG_INT F64 UTF8 BYTES UNIT LIST MAP
    BOOL OPTION RESULT PATH FS_ERROR UTF8_ERROR WORLD FS NET CLOCK ENV PROC RAND PY
}
