//! Leaving out where things stand on this machine: by what is known, not by the look of a word.

use serde_json::Value;

/// Replaces known directories by their names, and shortens any other absolute path to its last part.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    /// Directories and what stands in their place, the longest first.
    roots: Vec<(String, String)>,
}

impl Redactor {
    /// Makes a redactor that knows no directory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a directory, which is shown as `<name>`; the file system root is none.
    #[must_use]
    pub fn knowing(mut self, name: &str, directory: &str) -> Self {
        let directory = directory.trim_end_matches('/');
        if directory.starts_with('/') {
            self.roots.push((directory.to_owned(), format!("<{name}>")));
            self.roots
                .sort_by_key(|(directory, _)| std::cmp::Reverse(directory.len()));
        }
        self
    }

    /// Scrubs every text of a value, save JSON Pointers under a key of that name.
    pub fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(members) => {
                for (key, member) in members.iter_mut() {
                    if !is_kept(key) {
                        self.value(member);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Scrubs a text; what stands between, such as line ends, stays.
    pub fn text(&self, text: &str) -> String {
        let mut known = text.to_owned();
        for (directory, name) in &self.roots {
            known = replace_directory(&known, directory, name);
        }
        shorten(&known)
    }
}

/// Members that hold pointers into documents or contents of files, which are no places of this machine.
fn is_kept(key: &str) -> bool {
    [
        "pointer",
        "deepest",
        "text",
        "content",
        "base64",
        "excluded_text",
    ]
    .contains(&key)
}

/// Replaces a directory wherever the name does not go on.
fn replace_directory(text: &str, directory: &str, name: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(directory) {
        let behind = &rest[at + directory.len()..];
        let goes_on = behind
            .starts_with(|next: char| next.is_alphanumeric() || "_-.".contains(next))
            && !behind.starts_with(". ")
            && behind != ".";
        let is_part = rest[..at]
            .ends_with(|before: char| before.is_alphanumeric() || "_-.>".contains(before));
        out.push_str(&rest[..at]);
        out.push_str(if goes_on || is_part { directory } else { name });
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// Leaves the last part of each absolute path.
fn shorten(text: &str) -> String {
    let mut out = String::new();
    let mut before: Option<char> = None;
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if rest.starts_with("://") && before.is_some_and(|letter| letter.is_ascii_alphanumeric()) {
            let (url, behind) = rest.split_at(url_length(rest));
            out.push_str(url);
            before = url.chars().next_back();
            rest = behind;
            continue;
        }
        let path = (letter == '/' && is_boundary(before))
            .then(|| path_length(rest))
            .flatten();
        if let Some(length) = path {
            let path = rest[..length].trim_end_matches('/');
            let last = path.rsplit('/').next().unwrap_or_default();
            out.push_str(last);
            before = last.chars().next_back();
            rest = &rest[length..];
        } else {
            out.push(letter);
            before = Some(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    out
}

/// Counts the bytes of a URL behind its scheme.
fn url_length(text: &str) -> usize {
    text.find(|letter: char| {
        letter.is_whitespace() || letter.is_control() || "\"'`<>)]}".contains(letter)
    })
    .unwrap_or(text.len())
}

fn is_boundary(before: Option<char>) -> bool {
    before.is_none_or(|letter| letter.is_whitespace() || "\"'`=([{,;|&:".contains(letter))
}

/// Counts the bytes of an absolute path of at least two parts; `//`, a lone slash and a single name are none.
fn path_length(text: &str) -> Option<usize> {
    let end = text
        .find(|letter: char| {
            letter.is_whitespace() || letter.is_control() || "\"'`)]},;:|&<>".contains(letter)
        })
        .unwrap_or(text.len());
    let path = &text[..end];
    let is_path = !path.starts_with("//") && path.len() > 1;
    is_path.then_some(end)
}

#[cfg(test)]
mod tests;
