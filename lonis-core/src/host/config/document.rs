//! Walking a TOML document key by key, so that every error has its place and an unknown key its nearest known one.

use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::ConfigError;
use crate::nearest::nearest;

/// A parsed file and what is needed to speak of places in it.
pub(super) struct Document<'a> {
    file: &'a Path,
    text: &'a str,
    home: Option<&'a Path>,
    table: Spanned<DeTable<'a>>,
}

/// One table of the document, and which of its keys were asked for.
pub(super) struct Section<'d> {
    document: &'d Document<'d>,
    key: String,
    name: String,
    span: Range<usize>,
    table: &'d DeTable<'d>,
    known: Vec<&'static str>,
}

/// A value with its place and its dotted key.
pub(super) struct Value<'d> {
    document: &'d Document<'d>,
    key: String,
    span: Range<usize>,
    found: &'d DeValue<'d>,
}

impl<'a> Document<'a> {
    pub(super) fn parse(
        file: &'a Path,
        text: &'a str,
        home: Option<&'a Path>,
    ) -> Result<Self, ConfigError> {
        let table = DeTable::parse(text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let message = match text.get(span.clone()) {
                Some(seen) if is_short(seen) => format!("{}: `{seen}`", error.message()),
                _ => error.message().to_owned(),
            };
            error_at(file, text, span.start, &message)
        })?;
        Ok(Self {
            file,
            text,
            home,
            table,
        })
    }

    pub(super) fn root(&'a self) -> Section<'a> {
        Section {
            document: self,
            key: String::new(),
            name: String::new(),
            span: 0..0,
            table: self.table.get_ref(),
            known: Vec::new(),
        }
    }

    fn error(&self, span: &Range<usize>, key: &str, message: &str) -> ConfigError {
        let mut error = error_at(self.file, self.text, span.start, message);
        error.key = Some(key.into());
        error
    }
}

/// Whether what the parser did not like can be shown in its message.
fn is_short(seen: &str) -> bool {
    const MAX_SHOWN_CHARS: usize = 64;
    !seen.trim().is_empty()
        && seen.chars().count() <= MAX_SHOWN_CHARS
        && !seen.contains(char::is_control)
}

fn error_at(file: &Path, text: &str, offset: usize, message: &str) -> ConfigError {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    ConfigError {
        line: Some(place(before.matches('\n').count())),
        column: Some(place(before[line_start..].chars().count())),
        ..ConfigError::of_file(file, message.replace('\n', "; "))
    }
}

/// Counted from 1; a file has at most a mebibyte, so that this holds every place in it.
fn place(before: usize) -> u32 {
    u32::try_from(before).map_or(u32::MAX, |before| before.saturating_add(1))
}

impl<'d> Section<'d> {
    /// The name of the table in the one above it: `A` of `[providers.A]`.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Where the table's name stands in the file, to tell which of two was written first.
    pub(super) fn offset(&self) -> usize {
        self.span.start
    }

    /// The table's own place, for errors about its name.
    pub(super) fn place(&self) -> Value<'d> {
        const EMPTY: &DeValue<'static> = &DeValue::Boolean(false);
        Value {
            document: self.document,
            key: self.key.clone(),
            span: self.span.clone(),
            found: EMPTY,
        }
    }

    /// An error about the table as a whole.
    pub(super) fn error(&self, message: &str) -> ConfigError {
        self.document.error(&self.span, &self.key, message)
    }

    /// The value of a key, which is known from here on.
    pub(super) fn get(&mut self, key: &'static str) -> Option<Value<'d>> {
        self.known.push(key);
        let (_, value) = self
            .table
            .iter()
            .find(|(name, _)| name.get_ref().as_ref() == key)?;
        Some(Value {
            document: self.document,
            key: self.joined(key),
            span: value.span(),
            found: value.get_ref(),
        })
    }

    /// The value of a key, read by `read`; `None` when it is not there.
    pub(super) fn read<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(Value<'d>) -> Result<T, ConfigError>,
    ) -> Result<Option<T>, ConfigError> {
        self.get(key).map(read).transpose()
    }

    /// The value of a key that has to be there.
    pub(super) fn require(&mut self, key: &'static str) -> Result<Value<'d>, ConfigError> {
        if let Some(value) = self.get(key) {
            return Ok(value);
        }
        // A misspelt key is the likelier slip, and the more useful thing to be told.
        if let Some(name) = self
            .table
            .keys()
            .find(|name| !nearest(name.get_ref().as_ref(), [key], 1).is_empty())
        {
            return Err(self.unknown(name));
        }
        let message = format!("the key `{key}` is missing");
        Err(self.document.error(&self.span, &self.joined(key), &message))
    }

    /// A table below this one.
    pub(super) fn section(
        &mut self,
        key: &'static str,
    ) -> Result<Option<Section<'d>>, ConfigError> {
        self.read(key, |value| value.section(key))
    }

    /// The tables below a table, in the order of the file: `[providers.A]`, `[providers.B]`.
    pub(super) fn sections(&mut self, key: &'static str) -> Result<Vec<Section<'d>>, ConfigError> {
        let Some(outer) = self.section(key)? else {
            return Ok(Vec::new());
        };
        outer
            .entries()
            .into_iter()
            .map(|(name, value)| value.section(name))
            .collect()
    }

    /// Every member of the table, whatever its key, in the order of the file.
    pub(super) fn entries(&self) -> Vec<(&'d str, Value<'d>)> {
        let mut entries: Vec<(&'d str, Value<'d>)> = self
            .table
            .iter()
            .map(|(name, value)| {
                let text: &'d str = name.get_ref().as_ref();
                let value = Value {
                    document: self.document,
                    key: self.joined(text),
                    span: name.span(),
                    found: value.get_ref(),
                };
                (text, value)
            })
            .collect();
        entries.sort_by_key(|(_, value)| value.span.start);
        entries
    }

    /// Refuses every key that was not asked for.
    pub(super) fn finish(&self) -> Result<(), ConfigError> {
        let unknown = self
            .table
            .keys()
            .filter(|name| !self.known.contains(&name.get_ref().as_ref()))
            .min_by_key(|name| name.span().start);
        unknown.map_or(Ok(()), |name| Err(self.unknown(name)))
    }

    fn unknown(&self, name: &Spanned<DeString<'d>>) -> ConfigError {
        let key = name.get_ref().as_ref();
        let message = format!("the key `{key}` is not known here");
        let mut error = self
            .document
            .error(&name.span(), &self.joined(key), &message);
        let hint = match nearest(key, self.known.iter().copied(), 1).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known here: {}", self.known.join(", ")),
        };
        error.hint = Some(hint.into());
        error
    }

    fn joined(&self, key: &str) -> String {
        // A name such as `acme:kv` or `a.b` is quoted, as it has to be in the file.
        let bare = key
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-');
        let key = if bare && !key.is_empty() {
            key.to_owned()
        } else {
            format!("\"{key}\"")
        };
        if self.key.is_empty() {
            key
        } else {
            format!("{}.{key}", self.key)
        }
    }
}

impl<'d> Value<'d> {
    pub(super) fn error(&self, message: &str) -> ConfigError {
        self.document.error(&self.span, &self.key, message)
    }

    fn wrong(&self, wanted: &str) -> ConfigError {
        self.error(&format!(
            "`{}` is {wanted}, here it is {}",
            self.key,
            kind(self.found)
        ))
    }

    /// The same place again, for an error about what the value turned out to be.
    pub(super) fn place(&self) -> Value<'d> {
        Value {
            document: self.document,
            key: self.key.clone(),
            span: self.span.clone(),
            found: self.found,
        }
    }

    pub(super) fn is_table(&self) -> bool {
        matches!(self.found, DeValue::Table(_))
    }

    pub(super) fn is_array(&self) -> bool {
        matches!(self.found, DeValue::Array(_))
    }

    pub(super) fn section(self, name: &str) -> Result<Section<'d>, ConfigError> {
        let DeValue::Table(table) = self.found else {
            return Err(self.wrong("a table"));
        };
        Ok(Section {
            document: self.document,
            key: self.key,
            name: name.to_owned(),
            span: self.span,
            table,
            known: Vec::new(),
        })
    }

    pub(super) fn string(self) -> Result<String, ConfigError> {
        let DeValue::String(text) = self.found else {
            return Err(self.wrong("a string"));
        };
        if text.contains('\0') {
            return Err(self.error(&format!("`{}` holds a NUL character", self.key)));
        }
        Ok(text.as_ref().to_owned())
    }

    pub(super) fn boolean(self) -> Result<bool, ConfigError> {
        let DeValue::Boolean(value) = self.found else {
            return Err(self.wrong("a boolean"));
        };
        Ok(*value)
    }

    pub(super) fn integer(self, range: RangeInclusive<u64>) -> Result<u64, ConfigError> {
        let DeValue::Integer(value) = self.found else {
            return Err(self.wrong("an integer"));
        };
        let seen = u64::from_str_radix(value.as_str(), value.radix()).ok();
        seen.filter(|seen| range.contains(seen)).ok_or_else(|| {
            let (low, high) = range.into_inner();
            self.error(&format!(
                "`{}` is {low} to {high}, here it is {}",
                self.key,
                value.as_str()
            ))
        })
    }

    /// One of some words.
    pub(super) fn word<T: Copy>(self, words: &[(&str, T)]) -> Result<T, ConfigError> {
        let DeValue::String(text) = self.found else {
            return Err(self.wrong("a string"));
        };
        words
            .iter()
            .find(|(word, _)| *word == text.as_ref())
            .map(|(_, meaning)| *meaning)
            .ok_or_else(|| {
                let listed: Vec<String> =
                    words.iter().map(|(word, _)| format!("`{word}`")).collect();
                self.error(&format!(
                    "`{}` is one of {}, here it is `{}`",
                    self.key,
                    listed.join(", "),
                    text.as_ref()
                ))
            })
    }

    /// The elements of an array, each with its place.
    pub(super) fn elements(self) -> Result<Vec<Value<'d>>, ConfigError> {
        let DeValue::Array(array) = self.found else {
            return Err(self.wrong("an array"));
        };
        Ok(array
            .iter()
            .enumerate()
            .map(|(at, value)| Value {
                document: self.document,
                key: format!("{}[{at}]", self.key),
                span: value.span(),
                found: value.get_ref(),
            })
            .collect())
    }

    pub(super) fn strings(self) -> Result<Vec<String>, ConfigError> {
        self.elements()?.into_iter().map(Value::string).collect()
    }

    /// A path: `~/` at its start is the home folder, a relative one starts at the file's folder.
    pub(super) fn path(self) -> Result<PathBuf, ConfigError> {
        let place = self.place();
        place.resolve(&self.string()?)
    }

    /// The value as JSON, which has no dates.
    pub(super) fn json(&self) -> Result<serde_json::Value, ConfigError> {
        self.to_json(self.found)
    }

    fn to_json(&self, value: &DeValue<'_>) -> Result<serde_json::Value, ConfigError> {
        Ok(match value {
            DeValue::String(text) => text.as_ref().into(),
            DeValue::Boolean(value) => (*value).into(),
            DeValue::Integer(value) => i64::from_str_radix(value.as_str(), value.radix())
                .map_err(|_| {
                    self.error(&format!("`{}` does not fit into 64 bits", value.as_str()))
                })?
                .into(),
            DeValue::Float(value) => value
                .as_str()
                .parse::<f64>()
                .map_or(serde_json::Value::Null, Into::into),
            DeValue::Datetime(_) => {
                return Err(self.error(&format!("`{}` holds a date, which JSON has not", self.key)));
            }
            DeValue::Array(array) => array
                .iter()
                .map(|element| self.to_json(element.get_ref()))
                .collect::<Result<_, _>>()?,
            DeValue::Table(table) => table
                .iter()
                .map(|(name, value)| {
                    Ok((
                        name.get_ref().as_ref().to_owned(),
                        self.to_json(value.get_ref())?,
                    ))
                })
                .collect::<Result<serde_json::Map<_, _>, ConfigError>>()?
                .into(),
        })
    }

    /// The document's own way with paths, for texts that are a path only sometimes.
    pub(super) fn resolve(&self, text: &str) -> Result<PathBuf, ConfigError> {
        self.document
            .resolve(text)
            .map_err(|message| self.error(&message))
    }
}

impl Document<'_> {
    fn resolve(&self, text: &str) -> Result<PathBuf, String> {
        if text.is_empty() {
            return Err("a path is empty".to_owned());
        }
        if let Some(below) = text.strip_prefix("~/") {
            let home = self
                .home
                .ok_or_else(|| format!("`{text}` starts at `HOME`, which is not set"))?;
            return Ok(home.join(below));
        }
        let folder = self.file.parent().unwrap_or(Path::new("/"));
        Ok(folder.join(text))
    }
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}
