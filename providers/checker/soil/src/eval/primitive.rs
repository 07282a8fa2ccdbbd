//! What the language provides without a definition, as it runs.

mod bytes;
mod list;
mod map;
mod number;
mod text;

use std::rc::Rc;

use super::raised::{Fault, RaiseKind};
use crate::environment::{Number, Operation};
use crate::syntax::tree::ArithmeticOperator;
use crate::values::{FormId, List, Map, Meter, Value};

/// A builtin, or an operation of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Primitive {
    Builtin(Builtin),
    Equal,
    Compare,
    Show(FormId),
    Hash(FormId),
    Arithmetic(ArithmeticOperator, Number),
    Negate(Number),
}

macro_rules! builtins {
    ($($variant:ident $name:literal $arity:literal;)*) => {
        /// A builtin.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Builtin {
            $($variant,)*
        }

        impl Builtin {
            fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => None,
                }
            }

            pub(super) const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            const fn arity(self) -> usize {
                match self {
                    $(Self::$variant => $arity,)*
                }
            }
        }
    };
}

builtins! {
    WorldFs "world_fs" 1;
    WorldClock "world_clock" 1;
    WorldRand "world_rand" 1;
    FsReadBytes "fs_read_bytes" 2;
    ClockNow "clock_now" 1;
    RandU64 "rand_u64" 1;
    FakeFs "fake_fs" 1;
    FakeClock "fake_clock" 1;
    FakeRand "fake_rand" 1;
    Utf8Decode "utf8_decode" 1;
    Utf8Encode "utf8_encode" 1;
    Utf8Split "utf8_split" 2;
    Utf8Trim "utf8_trim" 1;
    Utf8ParseF64 "utf8_parse_f64" 1;
    Unit "unit" 0;
    ListEmpty "list_empty" 0;
    ListLen "list_len" 1;
    ListNth "list_nth" 2;
    ListAppend "list_append" 2;
    Panic "panic" 1;
    Utf8Concat "utf8_concat" 2;
    Utf8Join "utf8_join" 2;
    Utf8Len "utf8_len" 1;
    Utf8Slice "utf8_slice" 3;
    Utf8ParseI64 "utf8_parse_i64" 1;
    I64ToU64 "i64_to_u64" 1;
    U64ToI64 "u64_to_i64" 1;
    I64ToF64 "i64_to_f64" 1;
    U64ToF64 "u64_to_f64" 1;
    F64ToI64 "f64_to_i64" 1;
    F64ToU64 "f64_to_u64" 1;
    ListConcat "list_concat" 2;
    ListTake "list_take" 2;
    ListDrop "list_drop" 2;
    MapEmpty "map_empty" 0;
    MapLen "map_len" 1;
    MapGet "map_get" 2;
    MapInsert "map_insert" 3;
    MapRemove "map_remove" 2;
    MapKeys "map_keys" 1;
    MapValues "map_values" 1;
    BytesLen "bytes_len" 1;
    BytesGet "bytes_get" 2;
    BytesSlice "bytes_slice" 3;
    BytesConcat "bytes_concat" 2;
}

impl Primitive {
    /// Gives the builtin with a name.
    pub(super) fn builtin(name: &str) -> Option<Self> {
        Builtin::named(name).map(Self::Builtin)
    }

    /// Gives an operation of a type: a number, or what the checker found.
    pub(super) fn operation(
        operation: Operation,
        number: Option<Number>,
        form: Option<FormId>,
    ) -> Option<Self> {
        let arithmetic = |operator| Some(Self::Arithmetic(operator, number?));
        match operation {
            Operation::Eq => Some(Self::Equal),
            Operation::Compare => Some(Self::Compare),
            Operation::Show => form.map(Self::Show),
            Operation::Hash => form.map(Self::Hash),
            Operation::Add => arithmetic(ArithmeticOperator::Add),
            Operation::Sub => arithmetic(ArithmeticOperator::Subtract),
            Operation::Mul => arithmetic(ArithmeticOperator::Multiply),
            Operation::Div => arithmetic(ArithmeticOperator::Divide),
            Operation::Mod => arithmetic(ArithmeticOperator::Modulo),
            Operation::Neg => number.map(Self::Negate),
        }
    }

    /// Counts the arguments that it takes.
    pub(super) const fn arity(self) -> usize {
        match self {
            Self::Builtin(builtin) => builtin.arity(),
            Self::Equal | Self::Compare | Self::Arithmetic(..) => 2,
            Self::Show(_) | Self::Hash(_) | Self::Negate(_) => 1,
        }
    }

    pub(super) const fn as_builtin(self) -> Option<Builtin> {
        match self {
            Self::Builtin(builtin) => Some(builtin),
            _ => None,
        }
    }

    /// Gives the value of a builtin that takes nothing.
    pub(super) fn value(self) -> Option<Value> {
        match self {
            Self::Builtin(Builtin::Unit) => Some(Value::Unit),
            Self::Builtin(Builtin::ListEmpty) => Some(Value::List(Rc::new(List::default()))),
            Self::Builtin(Builtin::MapEmpty) => Some(Value::Map(Rc::new(Map::default()))),
            _ => None,
        }
    }
}

/// Arguments, which are taken one after another.
pub(super) struct Arguments<'a>(pub(super) std::slice::IterMut<'a, Value>);

impl Arguments<'_> {
    pub(super) fn next(&mut self) -> Result<Value, Fault> {
        let next = self.0.next().ok_or_else(mistyped)?;
        Ok(std::mem::replace(next, Value::Unit))
    }
}

/// What a value of another type than the checker saw gives.
#[cold]
pub(super) fn mistyped() -> Fault {
    Fault::new(
        RaiseKind::TypeError,
        "a value has another type than was checked",
    )
}

macro_rules! take {
    ($arguments:expr, $variant:ident) => {
        match $arguments.next()? {
            Value::$variant(value) => value,
            _ => return Err($crate::eval::primitive::mistyped()),
        }
    };
}
pub(super) use take;

/// Runs a builtin that needs nothing but its arguments.
pub(super) fn run(
    builtin: Builtin,
    arguments: &mut Arguments<'_>,
    meter: &mut Meter,
) -> Result<Value, Fault> {
    use Builtin as B;
    match builtin {
        B::Panic => match arguments.next()? {
            Value::Text(message) => Err(Fault::new(RaiseKind::Panic, &**message)),
            _ => Err(mistyped()),
        },
        B::Utf8Decode
        | B::Utf8Encode
        | B::Utf8Split
        | B::Utf8Trim
        | B::Utf8ParseF64
        | B::Utf8Concat
        | B::Utf8Join
        | B::Utf8Len
        | B::Utf8Slice
        | B::Utf8ParseI64 => text::run(builtin, arguments, meter),
        B::I64ToU64 | B::U64ToI64 | B::I64ToF64 | B::U64ToF64 | B::F64ToI64 | B::F64ToU64 => {
            number::convert(builtin, arguments, meter)
        }
        B::ListLen | B::ListNth | B::ListAppend | B::ListConcat | B::ListTake | B::ListDrop => {
            list::run(builtin, arguments, meter)
        }
        B::MapLen | B::MapGet | B::MapInsert | B::MapRemove | B::MapKeys | B::MapValues => {
            map::run(builtin, arguments, meter)
        }
        B::BytesLen | B::BytesGet | B::BytesSlice | B::BytesConcat => {
            bytes::run(builtin, arguments, meter)
        }
        other => Primitive::Builtin(other).value().ok_or_else(mistyped),
    }
}

pub(super) use list::{append, element, length};
pub(super) use map::{entry, found, insert};
pub(super) use number::{arithmetic, negate, overflow, signed_arithmetic};

/// Gives a count as an `I64`.
fn signed(count: usize) -> Value {
    Value::Signed(i64::try_from(count).unwrap_or(i64::MAX))
}

/// Makes `Some`, which costs as much as any payload.
fn some(value: Value, meter: &mut Meter) -> Result<Value, Fault> {
    meter.make(1)?;
    Ok(Value::option(Some(value)))
}

/// Gives `start..end` when it lies within a length.
fn range(start: i64, end: i64, len: usize) -> Result<std::ops::Range<usize>, Fault> {
    let bounds = usize::try_from(start).ok().zip(usize::try_from(end).ok());
    let inside = bounds.filter(|(start, end)| start <= end && *end <= len);
    let (start, end) = inside.ok_or_else(|| {
        let message = format!("from {start} to {end} does not lie within {len}");
        Fault::new(RaiseKind::IndexOutOfBounds, message)
    })?;
    Ok(start..end)
}
