//! The rules of the wire contract that can be held at compile time, each as a check of one text.
//!
//! They are those of the schema crate, which stands above this one; its tests compare the two.

/// The kinds that the wire contract defines itself, which a payload of one's own must not use.
pub(crate) const SEED_KINDS: [&str; 14] = [
    "message",
    "question",
    "answer",
    "decision",
    "action",
    "assumption",
    "summary",
    "evidence",
    "definition",
    "capability",
    "intent",
    "plan",
    "result",
    "outcome",
];

/// Characters of an id, and of a schema reference.
pub(crate) const MAX_REFERENCE_CHARS: usize = 1024;
/// Characters of a description.
pub(crate) const MAX_DESCRIPTION_CHARS: usize = 4096;
/// Characters of a kind, of a version and of one capability word.
pub(crate) const MAX_NAME_CHARS: usize = 256;
/// Capability words of a contract.
pub(crate) const MAX_CAPABILITIES: usize = 64;

/// Whether this is a tool id: two or more segments joined by `:`, none empty, no control character.
pub(crate) fn is_tool_id(text: &str) -> bool {
    text.contains(':')
        && text.split(':').all(|segment| !segment.is_empty())
        && !text.chars().any(char::is_control)
        && fits(text, MAX_REFERENCE_CHARS)
}

/// Whether this is a schema version: `<name>/v<N>`, N without a leading zero.
pub(crate) fn is_schema_version(text: &str) -> bool {
    let Some((name, version)) = text.rsplit_once('/') else {
        return false;
    };
    let Some(digits) = version.strip_prefix('v') else {
        return false;
    };
    let is_name = |letter: char| {
        letter.is_ascii_lowercase() || letter.is_ascii_digit() || "._-".contains(letter)
    };
    !name.is_empty()
        && name.chars().all(is_name)
        && !digits.is_empty()
        && digits.chars().all(|digit| digit.is_ascii_digit())
        && !digits.starts_with('0')
}

/// Whether this is a kind or a namespace: `[a-z0-9_]+`, joined by `.`.
pub(crate) fn is_kind(text: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty()
            && word.chars().all(|letter| {
                letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_'
            })
    };
    text.split('.').all(is_word)
}

/// Whether a text has at most so many characters.
pub(crate) fn fits(text: &str, limit: usize) -> bool {
    text.chars().nth(limit).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_id_has_two_segments_and_none_is_empty() {
        for text in ["a:b", "acme:kv:get", "a.b:c d", "ä:ö"] {
            assert!(is_tool_id(text), "{text}");
        }
        let long = format!("a:{}", "b".repeat(1023));
        for text in [
            "", "bad", "a::b", ":a", "a:", ":", "a:b\n", "a:\u{85}", &long,
        ] {
            assert!(!is_tool_id(text), "{text}");
        }
        assert!(is_tool_id(&long[..1024]));
    }

    #[test]
    fn a_schema_version_is_a_name_and_a_number() {
        for text in ["lonis.tool/v1", "a/v10", "a_b-c.9/v99999999999999999999999"] {
            assert!(is_schema_version(text), "{text}");
        }
        for text in [
            "", "v1", "/v1", "a/v", "a/v0", "a/v01", "a/1", "A/v1", "a/b/v1", "a/v1 ", "a/V1",
        ] {
            assert!(!is_schema_version(text), "{text}");
        }
    }

    #[test]
    fn a_kind_is_lowercase_words_joined_by_dots() {
        for text in ["a", "acme.kv", "0", "_", "a_1.b"] {
            assert!(is_kind(text), "{text}");
        }
        for text in ["", ".", "a.", ".a", "a..b", "A", "a-b", "ä", "a b"] {
            assert!(!is_kind(text), "{text}");
        }
    }
}
