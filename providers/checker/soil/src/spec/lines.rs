//! Lines and words with their places.

use crate::source::Span;

/// A value with its place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it is written.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Puts a value and its place together.
    pub const fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

/// A piece of the file's text with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    pub(super) text: &'a str,
    pub(super) start: u32,
}

impl<'a> Piece<'a> {
    pub(super) const fn new(text: &'a str, start: u32) -> Self {
        Self { text, start }
    }

    pub(super) fn span(self) -> Span {
        Span::new(self.start, self.start + length(self.text))
    }

    /// Gives the piece without the whitespace around it.
    pub(super) fn trimmed(self) -> Self {
        let text = self.text.trim_start();
        let start = self.start + length(self.text) - length(text);
        Self::new(text.trim_end(), start)
    }

    /// Gives what stands behind a number of bytes.
    pub(super) fn after(self, bytes: usize) -> Self {
        Self::new(
            &self.text[bytes..],
            self.start + length(&self.text[..bytes]),
        )
    }

    /// Gives the first bytes.
    pub(super) fn before(self, bytes: usize) -> Self {
        Self::new(&self.text[..bytes], self.start)
    }

    /// Splits at the first place of a separator, which is in neither part.
    pub(super) fn split_once(self, separator: &str) -> Option<(Self, Self)> {
        let at = self.text.find(separator)?;
        Some((self.before(at), self.after(at + separator.len())))
    }

    /// Gives what stands behind a word that begins the piece, if whitespace or the end follows it.
    pub(super) fn after_word(self, word: &str) -> Option<Self> {
        let rest = self.text.strip_prefix(word)?;
        let is_word =
            rest.is_empty() || rest.starts_with(|character: char| character.is_ascii_whitespace());
        is_word.then(|| self.after(word.len()))
    }

    /// Lists the lines, each without its end.
    pub(super) fn lines(self) -> impl Iterator<Item = Self> {
        let mut start = self.start;
        self.text.split_inclusive('\n').map(move |line| {
            let piece = Self::new(line.trim_end_matches(['\n', '\r']), start);
            start += length(line);
            piece
        })
    }

    /// Lists the words between whitespace.
    pub(super) fn words(self) -> impl Iterator<Item = Self> {
        let mut rest = self.trimmed();
        std::iter::from_fn(move || {
            if rest.text.is_empty() {
                return None;
            }
            let end = rest
                .text
                .find(|character: char| character.is_ascii_whitespace());
            let end = end.unwrap_or(rest.text.len());
            let word = rest.before(end);
            rest = rest.after(end).trimmed();
            Some(word)
        })
    }

    pub(super) fn to_spanned(self) -> Spanned<String> {
        Spanned::new(self.text.to_owned(), self.span())
    }

    pub(super) fn is_blank(self) -> bool {
        self.text.trim().is_empty()
    }
}

/// Counts the bytes of a piece of a text that is at most 1 MiB long.
pub(super) fn length(text: &str) -> u32 {
    u32::try_from(text.len()).expect("a source text is at most 1 MiB long")
}

/// Says whether a text is a scalar of the frontmatter: letters, digits, `_` and `-`.
pub(super) fn is_scalar(text: &str) -> bool {
    let mut bytes = text.bytes();
    !text.is_empty()
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}
