//! `soil.toml`: what a project says of itself.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::hash::Digest;
use crate::source::{FileId, Span};
use crate::syntax::token::is_ident;

/// Sections that a later version will read and this one refuses.
const RESERVED: [&str; 4] = ["trusted_packages", "deps", "build", "ci"];

/// The version of the command face that this library has.
pub const SOIL0_CLI: i64 = 1;

/// What `soil.toml` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// The definition that a program begins with: `name` or `module::name`.
    pub entrypoint: Option<String>,
    /// What the project was made with.
    pub toolchain: Toolchain,
    /// The tags that specs may have, each with what it means.
    pub tags: BTreeMap<String, String>,
}

/// What a project was made with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Toolchain {
    /// The version of the checker, with its place.
    pub trellis: Option<(String, Span)>,
    /// The hash of the skill text that agents were given.
    pub skill: Option<Digest>,
}

/// Reads `soil.toml`.
///
/// # Errors
/// Reports `config-parse` for a text that is no TOML, `config-unknown-key`, `config-bad-value` and
/// `config-reserved-section`; what is right beside them is still given.
pub fn read(file: FileId, bytes: &[u8]) -> (Config, Diagnostics) {
    let mut reader = Reader {
        file,
        config: Config::default(),
        diagnostics: Diagnostics::new(),
    };
    match std::str::from_utf8(bytes) {
        Ok(text) => reader.text(text),
        Err(error) => {
            let place = error.valid_up_to();
            reader.report(
                Code::ConfigParse,
                place..place + 1,
                "the text is not UTF-8".to_owned(),
            );
        }
    }
    (reader.config, reader.diagnostics)
}

/// Says whether the project was made with another checker than the one of this version.
///
/// A command that writes locks refuses then; one that reads runs.
pub fn check_toolchain(file: FileId, config: &Config, version: &str) -> Option<Diagnostic> {
    let (wanted, span) = config.toolchain.trellis.as_ref()?;
    let message = format!("the project is for version `{wanted}`, this is `{version}`");
    (wanted != version).then(|| Diagnostic::at(Code::ToolchainMismatch, file, *span, message))
}

struct Reader {
    file: FileId,
    config: Config,
    diagnostics: Diagnostics,
}

impl Reader {
    fn report(&mut self, code: Code, range: Range<usize>, message: String) {
        let span = span_of(range);
        self.diagnostics
            .push(Diagnostic::at(code, self.file, span, message));
    }

    fn bad_value(&mut self, key: &str, value: &Spanned<DeValue<'_>>, wanted: &str) {
        let message = format!("`{key}` has to be {wanted}");
        self.report(Code::ConfigBadValue, value.span(), message);
    }

    fn text(&mut self, text: &str) {
        let (table, errors) = DeTable::parse_recoverable(text);
        if let Some(error) = errors.first() {
            let range = error.span().unwrap_or(0..0);
            let message = error
                .message()
                .lines()
                .next()
                .unwrap_or("the text is no TOML")
                .to_owned();
            self.report(Code::ConfigParse, range, message);
            return;
        }
        for (key, value) in table.get_ref() {
            let name = key.get_ref().as_ref();
            match name {
                "entrypoint" => self.entrypoint(value),
                "toolchain" => self.section(name, value, Self::toolchain),
                "tags" => self.section(name, value, Self::tag),
                _ if RESERVED.contains(&name) => {
                    let message = format!("`{name}` is kept for a later version");
                    self.report(Code::ConfigReservedSection, key.span(), message);
                }
                _ => self.unknown_key(name, key.span()),
            }
        }
    }

    fn unknown_key(&mut self, key: &str, range: Range<usize>) {
        self.report(Code::ConfigUnknownKey, range, format!("`{key}` is no key"));
    }

    fn section(
        &mut self,
        name: &str,
        value: &Spanned<DeValue<'_>>,
        entry: impl Fn(&mut Self, &str, Range<usize>, &Spanned<DeValue<'_>>),
    ) {
        let Some(table) = value.get_ref().as_table() else {
            return self.bad_value(name, value, "a table");
        };
        for (key, value) in table {
            entry(self, key.get_ref(), key.span(), value);
        }
    }

    fn entrypoint(&mut self, value: &Spanned<DeValue<'_>>) {
        let is_name = |text: &&str| match text.split_once("::") {
            Some((module, name)) => is_ident(module) && is_ident(name),
            None => is_ident(text),
        };
        match value.get_ref().as_str().filter(is_name) {
            Some(text) => self.config.entrypoint = Some(text.to_owned()),
            None => self.bad_value("entrypoint", value, "the name of a definition"),
        }
    }

    fn toolchain(&mut self, key: &str, range: Range<usize>, value: &Spanned<DeValue<'_>>) {
        let text = value.get_ref().as_str();
        match key {
            "trellis" => match text.filter(|text| !text.is_empty()) {
                Some(text) => {
                    self.config.toolchain.trellis = Some((text.to_owned(), span_of(value.span())));
                }
                None => self.bad_value(key, value, "a version"),
            },
            "soil0_cli" => {
                let number = value.get_ref().as_integer();
                let number = number
                    .and_then(|number| i64::from_str_radix(number.as_str(), number.radix()).ok());
                if number != Some(SOIL0_CLI) {
                    self.bad_value(key, value, "1");
                }
            }
            "skill" => match text.and_then(|text| Digest::parse(text).ok()) {
                Some(digest) => self.config.toolchain.skill = Some(digest),
                None => self.bad_value(key, value, "a hash"),
            },
            _ => self.unknown_key(key, range),
        }
    }

    fn tag(&mut self, key: &str, range: Range<usize>, value: &Spanned<DeValue<'_>>) {
        let is_scalar = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if key.is_empty() || !key.bytes().all(is_scalar) {
            let message =
                format!("the tag `{key}` has other characters than letters, digits, `_` and `-`");
            return self.report(Code::ConfigBadValue, range, message);
        }
        match value.get_ref().as_str() {
            Some(text) => {
                self.config.tags.insert(key.to_owned(), text.to_owned());
            }
            None => self.bad_value(key, value, "a text"),
        }
    }
}

fn span_of(range: Range<usize>) -> Span {
    let offset = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
    Span::new(offset(range.start), offset(range.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<(&'static str, &str)> {
        let (_, diagnostics) = read(FileId::new(0), text.as_bytes());
        let shown = diagnostics.iter().map(|diagnostic| {
            let span = diagnostic.span.expect("each has a place");
            (
                diagnostic.code.text(),
                text.get(span.range()).unwrap_or("-"),
            )
        });
        shown.collect()
    }

    #[test]
    fn a_whole_file() {
        let digest = Digest::of(["skill"]);
        let text = format!(
            "entrypoint = \"m::main\"\n[toolchain]\ntrellis = \"0.3.0\"\nsoil0_cli = 1\nskill = \"{digest}\"\n[tags]\na-b = \"A and b\"\n"
        );
        let (config, diagnostics) = read(FileId::new(0), text.as_bytes());
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        assert_eq!(config.entrypoint.as_deref(), Some("m::main"));
        assert_eq!(config.toolchain.skill, Some(digest));
        assert_eq!(config.tags.get("a-b").map(String::as_str), Some("A and b"));
        assert_eq!(check_toolchain(FileId::new(0), &config, "0.3.0"), None);
        let other = check_toolchain(FileId::new(0), &config, "0.4.0").expect("it is another one");
        assert_eq!(other.code, Code::ToolchainMismatch);
        assert_eq!(read(FileId::new(0), b"").0, Config::default());
    }

    #[test]
    fn rejections() {
        let cases: &[(&str, &[(&str, &str)])] = &[
            ("a = ", &[("config-parse", "")]),
            ("name = 1", &[("config-unknown-key", "name")]),
            (
                "[toolchain]\npython = 1",
                &[("config-unknown-key", "python")],
            ),
            ("[deps]\nx = 1", &[("config-reserved-section", "deps")]),
            ("ci = true", &[("config-reserved-section", "ci")]),
            ("entrypoint = 1", &[("config-bad-value", "1")]),
            ("entrypoint = \"A\"", &[("config-bad-value", "\"A\"")]),
            ("toolchain = 1", &[("config-bad-value", "1")]),
            ("[toolchain]\nsoil0_cli = 2", &[("config-bad-value", "2")]),
            (
                "[toolchain]\nskill = \"sha256:0\"",
                &[("config-bad-value", "\"sha256:0\"")],
            ),
            ("[toolchain]\ntrellis = 1", &[("config-bad-value", "1")]),
            ("[tags]\na = 1", &[("config-bad-value", "1")]),
            (
                "[tags]\n\"a b\" = \"x\"",
                &[("config-bad-value", "\"a b\"")],
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(codes(text), *expected, "{text}");
        }
        let (_, diagnostics) = read(FileId::new(0), b"\xff");
        assert_eq!(diagnostics.len(), 1);
    }
}
