//! Names of files as a diff writes them.

/// Prefixes of the two sides, as git writes them by default, by its setting for mnemonics, and reversed.
const PREFIXES: [(&str, &str); 8] = [
    ("a/", "b/"),
    ("i/", "w/"),
    ("c/", "i/"),
    ("c/", "w/"),
    ("o/", "w/"),
    ("b/", "a/"),
    ("w/", "i/"),
    ("1/", "2/"),
];

/// The name behind `--- ` or `+++ `; none for the empty side.
///
/// Gives an error for a quoted name that is not UTF-8 or does not end.
pub(super) fn of_side(text: &str) -> Result<Option<String>, &'static str> {
    let text = text.trim_end_matches(['\n', '\r']);
    let name = if text.starts_with('"') {
        quoted(text)?.0
    } else {
        // A time, or nothing, stands behind a tab.
        text.split('\t').next().unwrap_or_default().to_owned()
    };
    Ok((name != "/dev/null").then_some(name))
}

/// Takes the prefixes of both sides off.
pub(super) fn without_prefixes(
    old: Option<String>,
    new: Option<String>,
) -> (Option<String>, Option<String>) {
    let fits = |(left, right): &&(&str, &str)| {
        let starts = |name: &Option<String>, prefix: &str| {
            name.as_ref().is_none_or(|name| name.starts_with(prefix))
        };
        starts(&old, left) && starts(&new, right)
    };
    let Some((left, right)) = PREFIXES.iter().find(fits) else {
        return (old, new);
    };
    let strip = |name: Option<String>, prefix: &str| {
        name.map(|name| name.strip_prefix(prefix).unwrap_or(&name).to_owned())
    };
    (strip(old, left), strip(new, right))
}

/// Both names of a `diff --git` line, where they can be told apart.
pub(super) fn of_header(text: &str) -> Option<(String, String)> {
    let text = text.trim_end_matches(['\n', '\r']);
    if text.starts_with('"') {
        let (old, rest) = quoted(text).ok()?;
        let new = match rest.strip_prefix(' ')? {
            name if name.starts_with('"') => quoted(name).ok()?.0,
            name => name.to_owned(),
        };
        return stripped(old, new);
    }
    if let Some(at) = text.find(" \"") {
        return stripped(text[..at].to_owned(), quoted(&text[at + 1..]).ok()?.0);
    }
    // Without quotes a name may hold spaces: both sides are the same name then.
    let mut spaces = text.match_indices(' ').map(|(at, _)| at);
    spaces.find_map(|at| {
        let (old, new) = stripped(text[..at].to_owned(), text[at + 1..].to_owned())?;
        (old == new).then_some((old, new))
    })
}

/// Whether a name that a diff writes with or without a prefix is this one.
pub(super) fn is_written(written: &str, name: &str) -> bool {
    let mut prefixes = PREFIXES.iter().flat_map(|(left, right)| [left, right]);
    written == name || prefixes.any(|prefix| written.strip_prefix(*prefix) == Some(name))
}

/// Whether a `diff --git` line can be read as these two names.
pub(super) fn header_says(text: &str, old: &str, new: &str) -> bool {
    let text = text.trim_end_matches(['\n', '\r']);
    let both = |left: &str, right: &str| is_written(left, old) && is_written(right, new);
    let unquoted = |name: &str| {
        if !name.starts_with('"') {
            return Some(name.to_owned());
        }
        let (name, rest) = quoted(name).ok()?;
        rest.is_empty().then_some(name)
    };
    if text.starts_with('"') {
        let Ok((left, rest)) = quoted(text) else {
            return false;
        };
        let right = rest.strip_prefix(' ').and_then(unquoted);
        return right.is_some_and(|right| both(&left, &right));
    }
    let mut spaces = text.match_indices(' ').map(|(at, _)| at);
    spaces.any(|at| unquoted(&text[at + 1..]).is_some_and(|right| both(&text[..at], &right)))
}

fn stripped(old: String, new: String) -> Option<(String, String)> {
    let (old, new) = without_prefixes(Some(old), Some(new));
    old.zip(new)
}

/// A name of an extended header line, quoted or not.
pub(super) fn of_line(text: &str) -> Result<String, &'static str> {
    let text = text.trim_end_matches(['\n', '\r']);
    if text.starts_with('"') {
        Ok(quoted(text)?.0)
    } else {
        Ok(text.to_owned())
    }
}

/// A name in the quotes of C, and what stands behind it.
fn quoted(text: &str) -> Result<(String, &str), &'static str> {
    const UNENDED: &str = "a quoted name does not end";
    let bytes = text.as_bytes();
    let mut name = Vec::new();
    let mut at = 1;
    loop {
        match bytes.get(at).ok_or(UNENDED)? {
            b'"' => break,
            b'\\' => {
                let escaped = *bytes.get(at + 1).ok_or(UNENDED)?;
                at += 1;
                match escaped {
                    b'0'..=b'3' => {
                        let digits = bytes.get(at..at + 3).ok_or(UNENDED)?;
                        let digits = std::str::from_utf8(digits).unwrap_or_default();
                        let byte = u8::from_str_radix(digits, 8);
                        name.push(byte.map_err(|_| "a quoted name holds an unknown escape")?);
                        at += 2;
                    }
                    _ => name.push(unescaped(escaped)?),
                }
            }
            byte => name.push(*byte),
        }
        at += 1;
    }
    let name = String::from_utf8(name).map_err(|_| "a quoted name is not UTF-8")?;
    Ok((name, &text[at + 1..]))
}

const fn unescaped(escaped: u8) -> Result<u8, &'static str> {
    Ok(match escaped {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        b'"' => b'"',
        b'\\' => b'\\',
        _ => return Err("a quoted name holds an unknown escape"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_git_writes_them() {
        for (side, expected) in [
            ("a/x\n", Ok(Some("a/x"))),
            ("a/x y\t\n", Ok(Some("a/x y"))),
            ("x\t2020-01-01 00:00:00\r\n", Ok(Some("x"))),
            ("/dev/null\n", Ok(None)),
            ("\"a/\\303\\244\\t\\\"\"\n", Ok(Some("a/\u{e4}\t\""))),
            ("\"a/\\377\"\n", Err("a quoted name is not UTF-8")),
            ("\"a", Err("a quoted name does not end")),
            ("\"a\\", Err("a quoted name does not end")),
            ("\"a\\q\"", Err("a quoted name holds an unknown escape")),
        ] {
            assert_eq!(
                of_side(side),
                expected.map(|name| name.map(str::to_owned)),
                "{side}"
            );
        }
        for (header, expected) in [
            ("a/x b/x", Some(("x", "x"))),
            ("a/x y b/x y", Some(("x y", "x y"))),
            ("x x", Some(("x", "x"))),
            ("i/x w/x", Some(("x", "x"))),
            (
                "\"a/\\303\\244\" \"b/\\303\\244\"",
                Some(("\u{e4}", "\u{e4}")),
            ),
            ("a/x \"b/\\ty\"", Some(("x", "\ty"))),
            ("a/x b/y", None),
        ] {
            let expected =
                expected.map(|(old, new): (&str, &str)| (old.to_owned(), new.to_owned()));
            assert_eq!(of_header(header), expected, "{header}");
        }
    }
}
