//! Floats as canonical text.

/// Gives the shortest text that reads back as the same float; infinities and NaN are strings.
pub fn float_text(value: f64) -> String {
    if value.is_nan() {
        return "\"NaN\"".to_owned();
    }
    if value.is_infinite() {
        let text = if value > 0.0 { "\"Inf\"" } else { "\"-Inf\"" };
        return text.to_owned();
    }
    ryu::Buffer::new().format_finite(value).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pinned spellings, which differ from those of JSON libraries and of the host language.
    const TABLE: &str = include_str!("float/table.txt");

    #[test]
    fn spellings_are_the_pinned_ones() {
        let mut count = 0;
        for line in TABLE.lines() {
            let (bits, text) = line.split_once(' ').expect("two columns");
            let bits = u64::from_str_radix(bits, 16).expect("hex digits");
            assert_eq!(float_text(f64::from_bits(bits)), text);
            count += 1;
        }
        assert!(count >= 20, "{count}");
    }

    proptest::proptest! {
        #[test]
        fn finite_floats_read_back(bits: u64) {
            let value = f64::from_bits(bits);
            if value.is_finite() {
                let text = float_text(value);
                proptest::prop_assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(bits));
                let is_marked = text.contains('.') || text.contains('e');
                proptest::prop_assert!(is_marked, "{}", text);
            }
        }
    }
}
