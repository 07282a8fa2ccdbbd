//! Maps.

use std::rc::Rc;

use super::{Arguments, Builtin, mistyped, signed, some, take};
use crate::eval::raised::Fault;
use crate::values::{List, Map, Meter, Value, measure};

pub(super) fn run(
    builtin: Builtin,
    arguments: &mut Arguments<'_>,
    meter: &mut Meter,
) -> Result<Value, Fault> {
    match builtin {
        Builtin::MapGet => return entry(&arguments.next()?, &arguments.next()?, meter),
        Builtin::MapInsert => {
            let (map, key) = (arguments.next()?, arguments.next()?);
            return insert(map, key, arguments.next()?, meter);
        }
        _ => {}
    }
    let mut map = take!(arguments, Map);
    match builtin {
        Builtin::MapLen => Ok(signed(map.len())),
        Builtin::MapRemove => {
            let key = arguments.next()?;
            look_up(&map, &key, meter)?;
            meter.spend(1)?;
            meter.grow()?;
            Rc::make_mut(&mut map).remove(&key);
            Ok(Value::Map(map))
        }
        Builtin::MapKeys | Builtin::MapValues => {
            meter.spend(u64::try_from(map.len()).unwrap_or(u64::MAX))?;
            meter.make(map.len())?;
            let of_keys = builtin == Builtin::MapKeys;
            let entries = map.iter();
            let list: List = entries
                .map(|(key, value)| if of_keys { key } else { value }.clone())
                .collect();
            Ok(Value::List(Rc::new(list)))
        }
        _ => Err(mistyped()),
    }
}

/// Gives the value of a key in a map, if it has one.
#[inline]
pub(in crate::eval) fn entry(map: &Value, key: &Value, meter: &mut Meter) -> Result<Value, Fault> {
    match found(map, key, meter)? {
        Some(value) => some(value.clone(), meter),
        None => Ok(Value::option(None)),
    }
}

/// Finds the value of a key in a map, where it stands.
#[inline]
pub(in crate::eval) fn found<'v>(
    map: &'v Value,
    key: &Value,
    meter: &mut Meter,
) -> Result<Option<&'v Value>, Fault> {
    let Value::Map(map) = map else {
        return Err(mistyped());
    };
    look_up(map, key, meter)?;
    Ok(map.get(key))
}

/// Sets the value of a key in a map.
#[inline]
pub(in crate::eval) fn insert(
    map: Value,
    key: Value,
    value: Value,
    meter: &mut Meter,
) -> Result<Value, Fault> {
    let Value::Map(mut map) = map else {
        return Err(mistyped());
    };
    look_up(&map, &key, meter)?;
    meter.spend(1)?;
    meter.grow()?;
    Rc::make_mut(&mut map).insert(key, value);
    Ok(Value::Map(map))
}

/// Takes what looking up a key costs: its size for each key that it may be compared with.
#[inline]
fn look_up(map: &Map, key: &Value, meter: &mut Meter) -> Result<(), Fault> {
    let size = measure(key, meter)?.max(1);
    meter.spend(size.saturating_mul(map.lookup_steps()))?;
    Ok(())
}
