//! Times and sizes on the command line: a bare number in the base unit, or a number with its unit.

/// Milliseconds of a time such as `500`, `500ms`, `2s`, `1.5m`, `1h`.
pub(crate) fn millis(text: &str) -> Result<u64, String> {
    scaled(
        text,
        &[("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)],
    )
}

/// Bytes of a size such as `4096`, `64KiB`, `1.5MiB`, `1GiB`.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    scaled(
        text,
        &[
            ("KiB", 1 << 10),
            ("MiB", 1 << 20),
            ("GiB", 1 << 30),
            ("B", 1),
        ],
    )
}

fn scaled(text: &str, units: &[(&str, u64)]) -> Result<u64, String> {
    let (number, factor) = units
        .iter()
        .find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)))
        .unwrap_or((text, 1));
    exact(number.trim_end(), factor).ok_or_else(|| {
        let names: Vec<&str> = units.iter().map(|(unit, _)| *unit).collect();
        format!(
            "wanted is a whole number below 2^64, or a number with one of {} behind it",
            names.join(", ")
        )
    })
}

/// The product when it is whole and fits, without a detour through floating point.
fn exact(number: &str, factor: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty()
        || !digits(whole)
        || !digits(fraction)
        || fraction.len() > 9
        || number.ends_with('.')
    {
        return None;
    }
    let scale = 10_u128.pow(u32::try_from(fraction.len()).ok()?);
    let value =
        whole.parse::<u128>().ok()?.checked_mul(scale)? + fraction.parse::<u128>().unwrap_or(0);
    let product = value.checked_mul(u128::from(factor))?;
    if product % scale == 0 {
        u64::try_from(product / scale).ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (text, wanted) in [
            ("500", 500),
            ("500ms", 500),
            ("2s", 2_000),
            ("1.5m", 90_000),
            ("1h", 3_600_000),
            ("0", 0),
        ] {
            assert_eq!(millis(text), Ok(wanted), "{text}");
        }
        for bad in [
            "",
            "s",
            "-1",
            "1.5",
            "1.",
            ".5s",
            "1d",
            "1e3",
            "99999999999999999999h",
            "0.0001s",
            "1 0s",
        ] {
            assert!(millis(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes() {
        for (text, wanted) in [
            ("4096", 4096),
            ("64KiB", 65_536),
            ("1.5MiB", 1_572_864),
            ("1 GiB", 1 << 30),
            ("7B", 7),
        ] {
            assert_eq!(bytes(text), Ok(wanted), "{text}");
        }
        for bad in ["1KB", "KiB", "1.0001KiB"] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
    }
}
