//! Lists.

use std::rc::Rc;

use super::{Arguments, Builtin, mistyped, signed, take};
use crate::eval::raised::{Fault, RaiseKind};
use crate::values::{List, Meter, Value};

pub(super) fn run(
    builtin: Builtin,
    arguments: &mut Arguments<'_>,
    meter: &mut Meter,
) -> Result<Value, Fault> {
    match builtin {
        Builtin::ListLen => length(&arguments.next()?),
        Builtin::ListNth => {
            let (list, index) = (arguments.next()?, arguments.next()?);
            Ok(element(&list, &index, meter)?.clone())
        }
        Builtin::ListAppend => append(arguments.next()?, arguments.next()?, meter),
        Builtin::ListConcat => {
            let mut left = take!(arguments, List);
            let right = take!(arguments, List);
            pay(left.len() + right.len(), meter)?;
            let elements = right.iter().cloned();
            Rc::make_mut(&mut left).extend(elements);
            Ok(Value::List(left))
        }
        Builtin::ListTake | Builtin::ListDrop => {
            let list = take!(arguments, List);
            let count = take!(arguments, Signed);
            let count = usize::try_from(count.max(0)).unwrap_or(usize::MAX);
            let count = count.min(list.len());
            let range = if builtin == Builtin::ListTake {
                0..count
            } else {
                count..list.len()
            };
            pay(range.len(), meter)?;
            if range.len() == list.len() {
                return Ok(Value::List(list));
            }
            let elements: List = range.filter_map(|index| list.get(index).cloned()).collect();
            Ok(Value::List(Rc::new(elements)))
        }
        _ => Err(mistyped()),
    }
}

/// Takes what a new list of some length costs.
fn pay(len: usize, meter: &mut Meter) -> Result<(), Fault> {
    meter.spend(u64::try_from(len).unwrap_or(u64::MAX))?;
    meter.make(len)?;
    Ok(())
}

/// Appends an element to a list.
#[inline]
pub(in crate::eval) fn append(
    list: Value,
    value: Value,
    meter: &mut Meter,
) -> Result<Value, Fault> {
    let Value::List(mut list) = list else {
        return Err(mistyped());
    };
    meter.spend(1)?;
    meter.grow()?;
    match Rc::get_mut(&mut list) {
        Some(own) => own.push(value),
        None => Rc::make_mut(&mut list).push(value),
    }
    Ok(Value::List(list))
}

/// Gives the length of a list.
#[inline]
pub(in crate::eval) fn length(list: &Value) -> Result<Value, Fault> {
    match list {
        Value::List(list) => Ok(signed(list.len())),
        _ => Err(mistyped()),
    }
}

/// Gives an element of a list.
#[inline]
pub(in crate::eval) fn element<'v>(
    list: &'v Value,
    index: &Value,
    meter: &mut Meter,
) -> Result<&'v Value, Fault> {
    let (Value::List(list), Value::Signed(index)) = (list, index) else {
        return Err(mistyped());
    };
    meter.spend(1)?;
    let found = usize::try_from(*index)
        .ok()
        .and_then(|index| list.get(index));
    found.ok_or_else(|| outside(*index, list.len()))
}

#[cold]
pub(super) fn outside(index: i64, len: usize) -> Fault {
    let message = format!("{index} is no position among {len}");
    Fault::new(RaiseKind::IndexOutOfBounds, message)
}
