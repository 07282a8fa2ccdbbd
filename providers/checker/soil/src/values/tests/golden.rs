//! The first values of each type, which only change together with the generator's name.

use super::*;

const EXPECTED: &str = include_str!("soil-gen-1.txt");

const PINNED: &[&str] = &[
    "I64",
    "U64",
    "I32",
    "U32",
    "I16",
    "U16",
    "I8",
    "U8",
    "BigInt",
    "F64",
    "Utf8",
    "Bytes",
    "Unit",
    "Bool",
    "Option I64",
    "Result Utf8 Bool",
    "List I64",
    "Map U8 Bool",
    "FsError",
    "Pair Bool",
    "Shape",
    "Tree Bool",
    "Growing U8",
    "Names",
];

/// How many values of each type are pinned.
const COUNT: usize = 32;

fn drawn() -> String {
    let mut lines = format!("{GENERATOR}\n");
    with_forms(|forms, names| {
        for ty in PINNED {
            let form = form(forms, names, ty);
            let mut generator = Generator::new(1);
            lines.push_str("# ");
            lines.push_str(ty);
            lines.push('\n');
            for _ in 0..COUNT {
                let value = generator.draw(forms, form).expect("the type has values");
                lines.push_str(&text(forms, form, &value));
                lines.push('\n');
            }
        }
    });
    lines
}

#[test]
fn the_first_values_are_the_pinned_ones() {
    let drawn = drawn();
    if std::env::var_os("LONIS_BLESS").is_some() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/src/values/tests/soil-gen-1.txt"
        );
        std::fs::write(path, &drawn).expect("the fixture can be written");
        return;
    }
    for (number, (line, expected)) in drawn.lines().zip(EXPECTED.lines()).enumerate() {
        assert_eq!(line, expected, "line {}", number + 1);
    }
    assert_eq!(drawn.lines().count(), EXPECTED.lines().count());
}

#[test]
fn types_without_values_are_refused() {
    let cases = [
        ("Endless", Ungenerable::Endless),
        ("Token", Ungenerable::Kind),
        ("Option Clock", Ungenerable::Kind),
        ("List Token", Ungenerable::Kind),
    ];
    with_forms(|forms, names| {
        for (ty, expected) in cases {
            let form = form(forms, names, ty);
            let drawn = Generator::new(1).draw(forms, form);
            assert_eq!(drawn.err(), Some(expected), "{ty}");
        }
        let variable = forms.variable();
        let drawn = Generator::new(1).draw(forms, variable);
        assert_eq!(drawn.err(), Some(Ungenerable::Kind));
    });
}

#[test]
fn every_drawn_value_reads_back() {
    with_forms(|forms, names| {
        for ty in PINNED {
            let form = form(forms, names, ty);
            let mut generator = Generator::new(77);
            for _ in 0..200 {
                let value = generator.draw(forms, form).expect("the type has values");
                let written = text(forms, form, &value);
                let again = read_text(forms, form, &written).expect("canonical text reads");
                assert_eq!(text(forms, form, &again), written);
            }
        }
    });
}
