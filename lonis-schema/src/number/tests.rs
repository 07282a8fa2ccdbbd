//! Values and spellings of numbers, as tables and as properties.

use super::*;
use proptest::prelude::*;

fn spelled(text: &str) -> String {
    Number::read(text).unwrap().to_string()
}

#[test]
fn canonical_spelling() {
    let cases = [
        ("0", "0"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("0e5", "0"),
        ("1e-400", "0"),
        ("-1e-400", "0"),
        ("1", "1"),
        ("-1", "-1"),
        ("1.0", "1"),
        ("-1.0", "-1"),
        ("100.0", "100"),
        ("1e2", "100"),
        ("6.4e1", "64"),
        ("0.1", "0.1"),
        ("0.10", "0.1"),
        ("1E-1", "0.1"),
        ("-0.5", "-0.5"),
        ("12.5", "12.5"),
        ("0.00001", "0.00001"),
        ("0.0000012", "1.2e-6"),
        ("0.000001", "1e-6"),
        ("-0.000012345", "-0.000012345"),
        ("9007199254740991.0", "9007199254740991"),
        ("9007199254740992", "9007199254740992"),
        ("9007199254740992.0", "9007199254740992"),
        ("-9007199254740992.0", "-9007199254740992"),
        ("9007199254740993", "9007199254740993"),
        ("9007199254740993.0", "9007199254740992"),
        ("9007199254740994.0", "9007199254740994.0"),
        ("-9007199254740994.0", "-9007199254740994.0"),
        ("1e15", "1000000000000000"),
        ("1e16", "1e+16"),
        ("1e+16", "1e+16"),
        ("9999999999999998.0", "9999999999999998.0"),
        ("10000000000000000", "10000000000000000"),
        ("10000000000000000.0", "1e+16"),
        ("12345678901234567890", "12345678901234567890"),
        ("12345678901234567890.0", "1.2345678901234567e+19"),
        ("18446744073709551615", "18446744073709551615"),
        ("18446744073709551616", "1.8446744073709552e+19"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("-9223372036854775809", "-9.223372036854776e+18"),
        ("12345678901234567890123", "1.2345678901234568e+22"),
        ("1.5e300", "1.5e+300"),
        ("5e-324", "5e-324"),
        ("4.9406564584124654e-324", "5e-324"),
        ("2.4703282292062327e-324", "0"),
        ("2.4703282292062328e-324", "5e-324"),
        ("2.2250738585072014e-308", "2.2250738585072014e-308"),
        ("2.2250738585072011e-308", "2.225073858507201e-308"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("1.7976931348623158e308", "1.7976931348623157e+308"),
        ("2.98023223876953125e-8", "2.9802322387695312e-8"),
        ("0.9323302868881393", "0.9323302868881393"),
        ("5e22", "5e+22"),
        ("9.5e-6", "9.5e-6"),
        ("123456789.125", "123456789.125"),
    ];
    for (text, expected) in cases {
        assert_eq!(spelled(text), expected, "{text}");
        assert_eq!(spelled(expected), expected, "{text} again");
    }
}

#[test]
fn refused_texts() {
    let grammar = [
        "", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "1.e5", "0x1", "1 ", " 1", "1_0",
        "NaN", "inf", "١",
    ];
    for text in grammar {
        assert!(
            matches!(Number::read(text), Err(NumberError::Grammar(_))),
            "{text}"
        );
    }
    let long = "9".repeat(400);
    for text in [
        "1e400",
        "-1e400",
        "1.7976931348623159e308",
        "1e999999999999999999999",
        &long,
    ] {
        assert!(
            matches!(Number::read(text), Err(NumberError::Overflow(_))),
            "{text}"
        );
    }
    assert_eq!(
        Number::read(&long).unwrap_err().to_string(),
        format!(
            "`{}…` is beyond the largest double, 1.7976931348623157e308",
            "9".repeat(48)
        )
    );
    assert!(matches!(
        Number::try_from(f64::NAN),
        Err(NumberError::NotFinite(_))
    ));
    assert!(matches!(
        Number::try_from(f64::NEG_INFINITY),
        Err(NumberError::NotFinite(_))
    ));
}

#[test]
fn halfway_digits_round_to_even_however_long() {
    // Halfway between 2^53 and its upper neighbour, with more digits than any fixed buffer keeps.
    let zeros = "0".repeat(900);
    assert_eq!(
        spelled(&format!("9007199254740993.{zeros}")),
        "9007199254740992"
    );
    assert_eq!(
        spelled(&format!("9007199254740993.{zeros}1")),
        "9007199254740994.0"
    );
}

#[test]
fn integers_of_any_spelling() {
    let unsigned = [
        ("64", Some(64)),
        ("64.0", Some(64)),
        ("6.4e1", Some(64)),
        ("0.5", None),
        ("-1", None),
        ("-0.0", Some(0)),
        ("1e19", Some(10_000_000_000_000_000_000)),
        ("18446744073709551615", Some(u64::MAX)),
        ("18446744073709551616", None),
        ("18446744073709549568.0", Some(18_446_744_073_709_549_568)),
        ("1e300", None),
    ];
    for (text, expected) in unsigned {
        assert_eq!(Number::read(text).unwrap().as_u64(), expected, "{text}");
    }
    let signed = [
        ("-1.0", Some(-1)),
        ("-9223372036854775808", Some(i64::MIN)),
        ("-9223372036854775808.0", Some(i64::MIN)),
        ("-9223372036854777856.0", None),
        ("9223372036854775807", Some(i64::MAX)),
        ("9223372036854775808", None),
        ("9223372036854775808.0", None),
        ("-0.5", None),
    ];
    for (text, expected) in signed {
        assert_eq!(Number::read(text).unwrap().as_i64(), expected, "{text}");
    }
}

#[test]
fn library_numbers_keep_their_value() {
    for text in [
        "0",
        "-1",
        "64.0",
        "0.1",
        "1e16",
        "18446744073709551615",
        "-9223372036854775808",
        "12345678901234567890123",
    ] {
        let number: serde_json::Number = serde_json::from_str(text).unwrap();
        assert_eq!(
            Number::try_from(&number).unwrap(),
            Number::read(text).unwrap(),
            "{text}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn spelling_is_never_longer_than_the_standard_one(bits in any::<u64>()) {
        let double = f64::from_bits(bits);
        if double.is_finite() && double != 0.0 {
            let digits = |text: &str| {
                let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
                let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
                digits.trim_matches('0').len()
            };
            let ours = Number::try_from(double).unwrap().to_string();
            prop_assert_eq!(digits(&ours), digits(&format!("{double:e}")), "{}", &ours);
            prop_assert!(ours.len() <= canonical::MAX_BYTES, "{}", ours);
        }
    }
}
