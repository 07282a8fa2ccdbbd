//! The canonical spelling of integers and doubles.

/// Longest spelling: sign, seventeen digits, point, and four zeros or an exponent of four characters.
pub(super) const MAX_BYTES: usize = 25;

/// Decimal exponents that are written without `e`.
const PLAIN_EXPONENTS: std::ops::RangeInclusive<i32> = -5..=15;

/// Most digits that a shortest spelling of a double needs.
const MAX_DIGITS: usize = 17;

/// A finite double above zero as `d.ddd × 10^exponent`, in the fewest digits that read back to it.
struct Decimal {
    digits: [u8; MAX_DIGITS],
    length: usize,
    exponent: i32,
}

pub(super) fn write_integer(mut value: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + u8::try_from(value % 10).expect("a remainder by ten is a digit");
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[first..]);
}

/// Writes a finite double that is not zero.
pub(super) fn write_double(value: f64, out: &mut Vec<u8>) {
    if value.is_sign_negative() {
        out.push(b'-');
    }
    let decimal = Decimal::shortest(value.abs());
    let digits = &decimal.digits[..decimal.length];
    if PLAIN_EXPONENTS.contains(&decimal.exponent) {
        write_plain(digits, decimal.exponent, out);
    } else {
        write_scientific(digits, decimal.exponent, out);
    }
}

fn write_plain(digits: &[u8], exponent: i32, out: &mut Vec<u8>) {
    let Ok(exponent) = usize::try_from(exponent) else {
        let zeros = exponent.unsigned_abs() as usize - 1;
        out.extend_from_slice(b"0.");
        out.resize(out.len() + zeros, b'0');
        out.extend_from_slice(digits);
        return;
    };
    let whole = exponent + 1;
    if let Some((integer, fraction)) = digits
        .split_at_checked(whole)
        .filter(|(_, fraction)| !fraction.is_empty())
    {
        out.extend_from_slice(integer);
        out.push(b'.');
        out.extend_from_slice(fraction);
    } else {
        out.extend_from_slice(digits);
        out.resize(out.len() + whole - digits.len(), b'0');
        out.extend_from_slice(b".0");
    }
}

fn write_scientific(digits: &[u8], exponent: i32, out: &mut Vec<u8>) {
    out.push(digits[0]);
    if digits.len() > 1 {
        out.push(b'.');
        out.extend_from_slice(&digits[1..]);
    }
    out.push(b'e');
    out.push(if exponent < 0 { b'-' } else { b'+' });
    write_integer(u64::from(exponent.unsigned_abs()), out);
}

impl Decimal {
    /// Takes the digits from `ryu`, whose own choice of spelling is undone: only the digits are a promise of the algorithm.
    fn shortest(value: f64) -> Self {
        let mut buffer = ryu::Buffer::new();
        let text = buffer.format_finite(value);
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let exponent: i32 = exponent.parse().expect("ryu writes a decimal exponent");
        let point = mantissa.find('.').unwrap_or(mantissa.len());

        let mut decimal = Self {
            digits: [b'0'; MAX_DIGITS],
            length: 0,
            exponent: 0,
        };
        let mut leading = 0;
        let mut zeros = 0;
        for byte in mantissa.bytes().filter(|&byte| byte != b'.') {
            match byte {
                b'0' if decimal.length == 0 => leading += 1,
                // Zeros at the end are no digits of the value, so they wait for another digit.
                b'0' => zeros += 1,
                _ => {
                    decimal.length += zeros;
                    zeros = 0;
                    decimal.digits[decimal.length] = byte;
                    decimal.length += 1;
                }
            }
        }
        let first_digit = i32::try_from(point).expect("a mantissa is short") - 1 - leading;
        decimal.exponent = first_digit + exponent;
        decimal
    }
}
