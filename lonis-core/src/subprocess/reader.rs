//! Stdout as it is read for one mapping: bytes in, pieces out.

use lonis_schema::json::{MAX_DEPTH, Scanned};
use lonis_schema::{FrontBlock, Json, Read, ReadError, SeedBlock};

use super::decode::{Decoder, Framing};
use super::mapping::{Lines, OutputError, StdoutMapping, Text, TextEncoding};
use crate::limits::{Bound, LARGEST_BLOCK_BYTES, Limits};

/// Levels of a value that becomes the output of a block: the block, its payload and the payload's data are around it.
const MAX_OUTPUT_DEPTH: usize = MAX_DEPTH - 3;

/// Reads the stdout of one call as its mapping says.
#[derive(Debug)]
pub(crate) struct Reader {
    kind: Kind,
    /// The output that was read last, where it is no text of a block.
    output: Option<Json>,
}

#[derive(Debug)]
enum Kind {
    Blocks(Decoder),
    Values(Decoder),
    Lines(Lines),
    Text(Text),
}

/// What a reader stands at.
#[derive(Debug)]
pub(crate) enum Piece<'a> {
    /// The text of a block.
    Block(Scanned<'a>),
    /// The output of a `result` that is to be made.
    Output(Json),
}

impl Reader {
    pub(crate) fn new(mapping: StdoutMapping, encoding: TextEncoding, limits: &Limits) -> Self {
        let max_bytes = limits
            .value(Bound::MaxBlockBytes)
            .unwrap_or(LARGEST_BLOCK_BYTES);
        let max_value_bytes = usize::try_from(max_bytes).unwrap_or(usize::MAX);
        let kind = match mapping {
            StdoutMapping::Blocks => Kind::Blocks(Decoder::new(Framing::Blocks, max_value_bytes)),
            StdoutMapping::Json => Kind::Values(Decoder::with_max_depth(
                Framing::Values,
                max_value_bytes,
                MAX_OUTPUT_DEPTH,
            )),
            StdoutMapping::Lines => Kind::Lines(Lines::new(encoding, max_bytes)),
            StdoutMapping::Text => Kind::Text(Text::new(encoding)),
        };
        Self { kind, output: None }
    }

    /// Takes more of stdout.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        match &mut self.kind {
            Kind::Blocks(decoder) | Kind::Values(decoder) => decoder.push(bytes),
            Kind::Lines(lines) => lines.push(bytes),
            Kind::Text(text) => text.push(bytes),
        }
    }

    /// Notes that nothing follows.
    pub(crate) fn end(&mut self) {
        match &mut self.kind {
            Kind::Blocks(decoder) | Kind::Values(decoder) => decoder.end(),
            Kind::Lines(lines) => lines.end(),
            Kind::Text(text) => text.end(),
        }
    }

    /// Goes on to the next piece; false where more bytes are needed, or where stdout is at its end.
    ///
    /// # Errors
    /// The first thing in stdout that the mapping does not allow.
    pub(crate) fn advance(&mut self) -> Result<bool, OutputError> {
        match &mut self.kind {
            Kind::Blocks(decoder) | Kind::Values(decoder) => {
                return decoder
                    .advance()
                    .map_err(|error| OutputError::of_decoder(decoder, error));
            }
            Kind::Lines(lines) => self.output = lines.next()?,
            Kind::Text(text) => self.output = text.next()?,
        }
        Ok(self.output.is_some())
    }

    /// Goes on to the next piece where that is a whole block, and reads it in one pass.
    ///
    /// Gives nothing in every other case: [`advance`](Self::advance) then finds out which.
    pub(crate) fn front_block(&mut self) -> Option<Read<SeedBlock>> {
        self.block_decoder()?.front_block()
    }

    /// Does the same with a payload that is not parsed; [`front_text`](Self::front_text) is the text it was read from.
    pub(crate) fn front_raw(&mut self) -> Option<FrontBlock> {
        self.block_decoder()?.front_raw()
    }

    /// Returns the text that begins with the block that was read last.
    pub(crate) fn front_text(&self) -> &str {
        match &self.kind {
            Kind::Blocks(decoder) => decoder.front_text(),
            Kind::Values(_) | Kind::Lines(_) | Kind::Text(_) => "",
        }
    }

    fn block_decoder(&mut self) -> Option<&mut Decoder> {
        match &mut self.kind {
            Kind::Blocks(decoder) => Some(decoder),
            Kind::Values(_) | Kind::Lines(_) | Kind::Text(_) => None,
        }
    }

    /// Takes what follows an error, for the excerpt around it.
    pub(crate) fn push_after_error(&mut self, bytes: &[u8]) {
        if let Kind::Blocks(decoder) | Kind::Values(decoder) = &mut self.kind {
            decoder.push(bytes);
        }
    }

    /// Returns an error with as much around it as was read.
    pub(crate) fn with_excerpt(&self, error: &OutputError) -> OutputError {
        match (&self.kind, error) {
            (Kind::Blocks(decoder) | Kind::Values(decoder), OutputError::Json { error, .. }) => {
                OutputError::of_decoder(decoder, error.clone())
            }
            _ => error.clone(),
        }
    }

    /// Returns the piece that the last [`advance`](Self::advance) went on to; a made output only once.
    pub(crate) fn piece(&mut self) -> Option<Piece<'_>> {
        match &self.kind {
            Kind::Blocks(decoder) => decoder.value().map(Piece::Block),
            Kind::Values(decoder) => decoder
                .value()
                .map(|value| Piece::Output(Json::from(value))),
            Kind::Lines(_) | Kind::Text(_) => self.output.take().map(Piece::Output),
        }
    }

    /// Returns the text of the block that the last [`advance`](Self::advance) went on to, without a claim on the reader.
    pub(crate) fn block(&self) -> Option<Scanned<'_>> {
        match &self.kind {
            Kind::Blocks(decoder) => decoder.value(),
            Kind::Values(_) | Kind::Lines(_) | Kind::Text(_) => None,
        }
    }

    /// Returns the error for a piece that is JSON and no block.
    pub(crate) fn not_a_block(&self, error: &ReadError) -> OutputError {
        let (number, value_offset) = match &self.kind {
            Kind::Blocks(decoder) => (decoder.values(), decoder.value_offset()),
            Kind::Values(_) | Kind::Lines(_) | Kind::Text(_) => (0, 0),
        };
        let error = error
            .clone()
            .shifted(usize::try_from(value_offset).unwrap_or(usize::MAX));
        OutputError::NotABlock {
            number,
            byte_offset: error
                .byte_offset()
                .map_or(value_offset, |offset| offset as u64),
            reason: error.to_string(),
        }
    }

    /// Returns what has begun and is not whole.
    pub(crate) fn partial(&self) -> &[u8] {
        match &self.kind {
            Kind::Blocks(decoder) | Kind::Values(decoder) => decoder.partial(),
            Kind::Lines(lines) => lines.partial(),
            Kind::Text(text) => text.partial(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MAPPINGS: [StdoutMapping; 4] = [
        StdoutMapping::Blocks,
        StdoutMapping::Json,
        StdoutMapping::Lines,
        StdoutMapping::Text,
    ];

    /// Tokens make it further into a value than bytes of any kind.
    #[rustfmt::skip]
    const TOKENS: &[&[u8]] = &[
        b"{", b"}", b"[", b"]", b",", b":", b"\"a\"", b"\"\\u00", b"\n", b"\r\n", b" ", b"1", b"-0.5e3", b"null",
        "é漢🌱".as_bytes(), b"\xff", b"\xe6\xbc", "\u{feff}".as_bytes(), b"\0",
    ];

    /// Reads an output that arrives in the given pieces.
    fn read(
        mapping: StdoutMapping,
        encoding: TextEncoding,
        pieces: &[&[u8]],
    ) -> (Vec<String>, Option<OutputError>) {
        let limits = Limits::new().with(Bound::MaxBlockBytes, 40).unwrap();
        let mut reader = Reader::new(mapping, encoding, &limits);
        let mut texts = Vec::new();
        for piece in pieces.iter().map(Some).chain([None]) {
            match piece {
                Some(bytes) => reader.push(bytes),
                None => reader.end(),
            }
            loop {
                match reader.advance() {
                    Ok(false) => break,
                    Ok(true) => texts.push(match reader.piece().unwrap() {
                        Piece::Block(block) => block.text().to_owned(),
                        Piece::Output(output) => output.text().to_owned(),
                    }),
                    Err(error) => return (texts, Some(error)),
                }
            }
        }
        (texts, None)
    }

    /// An error without the bytes around it, of which more or fewer may have come.
    fn place(error: Option<OutputError>) -> Option<OutputError> {
        error.map(|error| match error {
            OutputError::Json { error, .. } => OutputError::Json {
                error,
                excerpt: String::new(),
            },
            other => other,
        })
    }

    proptest! {
        #[test]
        fn no_output_panics_and_the_pieces_do_not_matter(
            tokens in proptest::collection::vec(proptest::sample::select(TOKENS), 0..24),
            size in 1_usize..9,
        ) {
            let bytes = tokens.concat();
            let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
            for mapping in MAPPINGS {
                for encoding in [TextEncoding::Utf8, TextEncoding::Base64, TextEncoding::Lossy] {
                    let (whole, whole_error) = read(mapping, encoding, &[&bytes]);
                    let (cut, cut_error) = read(mapping, encoding, &pieces);
                    prop_assert_eq!(&whole, &cut);
                    prop_assert_eq!(place(whole_error), place(cut_error));
                }
            }
        }
    }
}
