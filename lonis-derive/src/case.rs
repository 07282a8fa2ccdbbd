//! Casing of kind names: the one rule that turns a variant's name into its kind.

/// Returns the snake case form of a variant's name.
///
/// A boundary stands before a capital that follows a lowercase letter or a digit, and before the last capital of a run
/// that is followed by a lowercase letter.
pub(crate) fn snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::with_capacity(name.len() + 4);
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|index| letters[index]);
        if letter.is_ascii_uppercase() && is_boundary(before, letters.get(at + 1).copied()) {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

/// Whether a capital between these two letters begins a word.
fn is_boundary(before: Option<char>, after: Option<char>) -> bool {
    let follows_small =
        before.is_some_and(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit());
    let ends_run = before.is_some_and(|letter| letter.is_ascii_uppercase())
        && after.is_some_and(|letter| letter.is_ascii_lowercase());
    follows_small || ends_run
}

#[cfg(test)]
mod tests {
    use super::snake;

    #[test]
    fn a_variant_name_becomes_snake_case() {
        let cases = [
            ("Search", "search"),
            ("ProbeList", "probe_list"),
            ("HTTPServer", "http_server"),
            ("Sha256Sum", "sha256_sum"),
            ("HTTP2Server", "http2_server"),
            ("ID", "id"),
            ("UserID", "user_id"),
            ("IDs", "i_ds"),
            ("V1", "v1"),
            ("A1B", "a1_b"),
            ("ABCDef", "abc_def"),
            ("X", "x"),
            ("foo_bar", "foo_bar"),
            ("Foo_Bar", "foo_bar"),
            ("FOO_BAR", "foo_bar"),
            ("_Hidden", "_hidden"),
        ];
        for (name, expected) in cases {
            assert_eq!(snake(name), expected, "{name}");
        }
    }
}
