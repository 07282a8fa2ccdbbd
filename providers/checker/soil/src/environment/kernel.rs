//! The types that every program has.

use super::{
    EntryBody, EntryField, EntryPayload, EntryShape, EntryVariant, Environment, TypeEntry,
};
use crate::syntax::{Name, Names, known};

/// Names of type parameters, in order.
const PARAMS: [&str; 2] = ["a", "e"];

pub(super) fn environment(names: &mut Names) -> Environment {
    let params = PARAMS.map(|text| names.intern(text));
    let mut environment = Environment::empty();
    let declared = environment.declare(entries(params), names);
    declared.expect("the kernel's declarations refer to each other only");
    environment
}

/// Gives the declarations in the order of the ids.
fn entries([first, second]: [Name; 2]) -> Vec<TypeEntry> {
    use known as n;
    let mut entries = Vec::with_capacity(super::ids::COUNT);
    let mut add = |name: Name, params: &[Name], body: EntryBody| {
        entries.push(TypeEntry {
            name,
            params: params.to_vec(),
            body,
            formal: None,
        });
    };
    for name in [n::I64, n::U64, n::I32, n::U32, n::I16, n::U16, n::I8, n::U8] {
        add(name, &[], EntryBody::Primitive);
    }
    for name in [n::BIG_INT, n::F64, n::UTF8, n::BYTES, n::UNIT] {
        add(name, &[], EntryBody::Primitive);
    }
    add(n::LIST, &[first], EntryBody::Primitive);
    add(n::MAP, &[first, second], EntryBody::Primitive);
    let value = |name| EntryPayload::Value(EntryShape::Variable(name));
    let empty = || EntryPayload::Empty;
    add(n::BOOL, &[], sum([(n::TRUE, empty()), (n::FALSE, empty())]));
    let option = sum([(n::NONE, empty()), (n::SOME, value(first))]);
    add(n::OPTION, &[first], option);
    let result = sum([(n::OK, value(first)), (n::ERR, value(second))]);
    add(n::RESULT_TYPE, &[first, second], result);
    add(n::PATH, &[], EntryBody::Alias(plain(n::UTF8)));
    let path = || field(n::PATH_FIELD, n::PATH);
    let message = field(n::MESSAGE_FIELD, n::UTF8);
    let fs_error = sum([
        (n::NOT_FOUND, EntryPayload::Record(vec![path()])),
        (n::READ_FAILED, EntryPayload::Record(vec![path(), message])),
        (n::NOT_UTF8, EntryPayload::Record(vec![path()])),
    ]);
    add(n::FS_ERROR, &[], fs_error);
    let at = EntryPayload::Record(vec![field(n::AT_FIELD, n::U64)]);
    add(n::UTF8_ERROR, &[], sum([(n::INVALID_UTF8, at)]));
    for name in [
        n::WORLD,
        n::FS,
        n::NET,
        n::CLOCK,
        n::ENV,
        n::PROC,
        n::RAND,
        n::PY,
    ] {
        add(name, &[], EntryBody::Opaque);
    }
    entries
}

fn plain(name: Name) -> EntryShape {
    EntryShape::Type(name, Vec::new())
}

fn field(name: Name, ty: Name) -> EntryField {
    EntryField {
        name,
        shape: plain(ty),
        ignored: None,
    }
}

fn sum<const N: usize>(variants: [(Name, EntryPayload); N]) -> EntryBody {
    let variants = variants.into_iter();
    EntryBody::Sum(
        variants
            .map(|(name, payload)| EntryVariant { name, payload })
            .collect(),
    )
}
