//! Changes of maps, beside a map of the standard library.

use super::*;

#[test]
fn entries_come_in_the_order_of_their_keys() {
    let mut map = Map::default();
    for key in [5, -1, 3, 5, 0] {
        map.insert(Value::Signed(key), Value::Signed(key * 2));
    }
    let older = map.clone();
    map.remove(&Value::Signed(3));
    map.remove(&Value::Signed(77));
    let keys = |map: &Map| -> Vec<String> {
        let entries = map.iter();
        entries
            .map(|(key, value)| format!("{key:?} {value:?}"))
            .collect()
    };
    let expected = [
        "Signed(-1) Signed(-2)",
        "Signed(0) Signed(0)",
        "Signed(5) Signed(10)",
    ];
    assert_eq!(keys(&map), expected);
    assert_eq!((older.len(), map.len()), (4, 3));
    assert!(older.get(&Value::Signed(3)).is_some());
    assert!(map.get(&Value::Signed(3)).is_none());
}

/// Many changes in a fixed order, beside a map of the standard library; older versions stay as they were.
#[test]
fn changes_are_those_of_another_map() {
    let (mut map, mut other) = (Map::default(), std::collections::BTreeMap::new());
    let mut kept = Vec::new();
    let mut random = crate::values::SplitMix64::new(5);
    for step in 0..6_000_i64 {
        let key = i64::try_from(random.below(900)).expect("a small number");
        // Inserts prevail first and removals later, so that the map grows wide and then loses nearly all.
        if random.below(6_000) > u64::try_from(step).expect("a count") {
            map.insert(Value::Signed(key), Value::Signed(step));
            other.insert(key, step);
        } else {
            map.remove(&Value::Signed(key));
            other.remove(&key);
        }
        assert_eq!(map.len(), other.len());
        if step % 500 == 0 {
            kept.push((map.clone(), other.clone()));
        }
    }
    kept.push((map, other));
    for (map, other) in kept {
        let entries: Vec<(i64, i64)> = map
            .iter()
            .map(|(key, value)| (number(key), number(value)))
            .collect();
        assert_eq!(entries, other.clone().into_iter().collect::<Vec<_>>());
        for key in 0..900 {
            assert_eq!(
                map.get(&Value::Signed(key)).map(number),
                other.get(&key).copied()
            );
        }
    }
}

fn number(value: &Value) -> i64 {
    match value {
        Value::Signed(value) => *value,
        other => panic!("{other:?}"),
    }
}

/// Values of one type each, in ascending order.
fn ascending() -> Vec<Vec<Value>> {
    let text = |text: &str| Value::text(text);
    let record = |fields: [Value; 2]| Value::record(fields);
    let signed = [i64::MIN, -1, 0, 1, i64::MAX];
    let floats = [
        f64::NEG_INFINITY,
        -1.5,
        -0.0,
        0.0,
        5e-324,
        1e300,
        f64::INFINITY,
        f64::NAN,
    ];
    let big = |digits: &str| Value::Big(std::rc::Rc::new(digits.parse().expect("digits")));
    vec![
        signed.map(Value::Signed).to_vec(),
        [0, 1, u64::MAX].map(Value::Unsigned).to_vec(),
        floats.map(Value::Float).to_vec(),
        vec![
            big("-99999999999999999999"),
            big("0"),
            big("99999999999999999999"),
        ],
        [
            "",
            "\0",
            "a",
            "a\0",
            "key 0001",
            "key 00010",
            "key 0002",
            "é",
            "中",
        ]
        .map(text)
        .to_vec(),
        vec![Value::bytes([]), Value::bytes([0]), Value::bytes([255; 9])],
        vec![
            Value::Tag(0),
            Value::variant(1, [Value::Signed(-5)]),
            Value::variant(1, [Value::Signed(5)]),
            Value::Tag(2),
        ],
        vec![
            record([Value::Signed(-1), text("z")]),
            record([Value::Signed(0), text("a")]),
            record([Value::Signed(0), text("b")]),
        ],
        vec![
            Value::list(vec![]),
            Value::list(vec![Value::Signed(-1)]),
            Value::list(vec![Value::Signed(-1), Value::Signed(0)]),
        ],
    ]
}

#[test]
fn the_number_of_a_key_keeps_the_order() {
    for values in ascending() {
        for (index, lower) in values.iter().enumerate() {
            for upper in &values[index + 1..] {
                let (below, above) = (Rank::of(lower), Rank::of(upper));
                assert!(below.number <= above.number, "{lower:?} {upper:?}");
                let differs = below.number != above.number;
                assert!(differs || !below.is_exact, "{lower:?} {upper:?}");
            }
        }
    }
}

/// Keys of any type, put in from the last to the first and taken out again.
#[test]
fn keys_of_any_type_are_found() {
    for values in ascending() {
        let mut map = Map::default();
        let numbered: Vec<(i64, &Value)> = (0..).zip(&values).collect();
        for (number, key) in numbered.iter().rev() {
            map.insert((*key).clone(), Value::Signed(*number));
        }
        let numbers: Vec<i64> = map.iter().map(|(_, value)| self::number(value)).collect();
        assert_eq!(numbers, (0..).take(values.len()).collect::<Vec<i64>>());
        for (number, key) in (0..).zip(&values) {
            assert_eq!(map.get(key).map(self::number), Some(number), "{key:?}");
            map.remove(key);
            assert!(map.get(key).is_none(), "{key:?}");
        }
        assert!(map.is_empty());
    }
}

/// Many texts whose first bytes are the same, so that their numbers do not tell them apart.
#[test]
fn texts_that_begin_alike_are_told_apart() {
    let (mut map, mut other) = (Map::default(), std::collections::BTreeMap::new());
    let mut random = crate::values::SplitMix64::new(11);
    for step in 0..4_000_i64 {
        let key = format!("a long beginning {}", random.below(700));
        if random.below(3) > 0 {
            map.insert(Value::text(key.as_str()), Value::Signed(step));
            other.insert(key, step);
        } else {
            map.remove(&Value::text(key.as_str()));
            other.remove(&key);
        }
    }
    let entries = map.iter().map(|(key, value)| match key {
        Value::Text(key) => (key.to_string(), number(value)),
        other => panic!("{other:?}"),
    });
    assert_eq!(
        entries.collect::<Vec<_>>(),
        other.into_iter().collect::<Vec<_>>()
    );
}

/// Keys that only rise leave full nodes behind, and are all found.
#[test]
fn rising_and_falling_keys_are_found() {
    for falls in [false, true] {
        let mut map = Map::default();
        for step in 0..10_000 {
            let key = if falls { -step } else { step };
            map.insert(Value::Signed(key), Value::Signed(step));
        }
        assert_eq!(map.len(), 10_000);
        for step in 0..10_000 {
            let key = Value::Signed(if falls { -step } else { step });
            assert_eq!(map.get(&key).map(number), Some(step));
        }
    }
}
