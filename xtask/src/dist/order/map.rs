//! What stands where in a program, as its linker tells it.

use std::collections::BTreeMap;
use std::path::Path;

use crate::command::Failure;

/// What the linker put into a program, by address.
#[derive(Debug)]
pub(super) struct Map {
    sections: Vec<Section>,
    /// How many sections have a name, once what differs from one build to the next is taken from it.
    counts: BTreeMap<String, usize>,
}

/// A part of an object file that stays together, mostly one function.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Section {
    start: u64,
    end: u64,
    /// The file that it comes from, where that is a member of a library of the system.
    member: Option<String>,
    name: String,
}

impl Map {
    /// Reads a map of code in the form of LLD: addresses, size and alignment, then `FILE:(SECTION)`.
    pub(super) fn read(text: &str) -> Result<Self, Failure> {
        let mut sections: Vec<Section> = text.lines().filter_map(Section::read).collect();
        if sections.is_empty() {
            let message = "the linker's map names no function: an order is written with `rust-lld`";
            return Err(Failure::Found(message.to_owned()));
        }
        sections.sort_unstable_by_key(|section| section.start);
        let mut counts = BTreeMap::new();
        for section in &sections {
            *counts.entry(section.lasting_name()).or_default() += 1;
        }
        Ok(Self { sections, counts })
    }

    /// Returns the place and the section of an address.
    pub(super) fn at(&self, address: u64) -> Option<(usize, &Section)> {
        let after = self
            .sections
            .partition_point(|section| section.start <= address);
        let at = after.checked_sub(1)?;
        let section = &self.sections[at];
        (address < section.end).then_some((at, section))
    }
}

impl Section {
    fn read(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let mut hex = || u64::from_str_radix(words.next()?, 16).ok();
        let (start, _, size) = (hex()?, hex()?, hex()?);
        let (_alignment, place) = (words.next()?, words.next()?);
        let (file, name) = place.strip_suffix(')')?.rsplit_once(":(")?;
        let is_code = name == ".text" || name.starts_with(".text.");
        (is_code && size > 0).then(|| Self {
            start,
            end: start + size,
            member: member(file),
            name: name.to_owned(),
        })
    }

    pub(super) fn bytes(&self) -> u64 {
        self.end - self.start
    }

    /// What a linker script calls it; `None` for what has no name of its own.
    pub(super) fn pattern(&self, map: &Map) -> Option<String> {
        if let Some(member) = &self.member {
            return Some(format!("*{member}({})", self.name));
        }
        let lasting = self.lasting_name();
        // Functions of one name for several types differ in nothing but the part that is left out.
        match map.counts.get(&lasting) {
            _ if self.name == ".text" => None,
            Some(1) => Some(format!("*({lasting})")),
            _ => Some(format!("*({})", self.name)),
        }
    }

    /// Its name without the digest at the end, which a new version of a crate or of the compiler changes.
    fn lasting_name(&self) -> String {
        const DIGEST_BYTES: usize = "17h0123456789abcdefE".len();
        let at = self.name.len().saturating_sub(DIGEST_BYTES);
        match self.name.split_at_checked(at) {
            Some((front, digest)) if digest.starts_with("17h") && digest.ends_with('E') => {
                format!("{front}17h*E")
            }
            _ => self.name.clone(),
        }
    }
}

/// The name of a member of the C library, as a linker script has it; other files have their functions apart.
fn member(file: &str) -> Option<String> {
    let (archive, member) = file.strip_suffix(')')?.rsplit_once('(')?;
    let archive = Path::new(archive);
    let name = archive.file_name()?.to_str()?;
    (archive.extension()? == "a").then(|| format!("{name}:{member}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
             VMA              LMA     Size Align Out     In      Symbol
          445780           445780   88bd68    64 .text
          445780           445780       2b    16         /usr/lib/crt1.o:(.text)
          4457c0           4457c0       10    16         /t/lonis.o:(.text._ZN5lonis4main17h0123456789abcdefE)
          4457c0           4457c0       10     1                 lonis::main
          4457d0           4457d0       20    16         /t/lonis.o:(.text._ZN4grow17haaaaaaaaaaaaaaaaE)
          4457f0           4457f0       20    16         /t/lonis.o:(.text._ZN4grow17hbbbbbbbbbbbbbbbbE)
          445810           445810        8    16         /usr/lib/libc.a(getenv.o):(.text)
          445818           445818        8    16         /t/lonis.o:(.rodata.x)
";

    #[test]
    fn addresses_lead_to_patterns_that_outlive_a_build() {
        let map = Map::read(TEXT).expect("a map");
        let pattern = |address| map.at(address)?.1.pattern(&map);
        let cases = [
            (0x0044_5780, None),
            (0x0044_57bf, None),
            (0x0044_57c0, Some("*(.text._ZN5lonis4main17h*E)")),
            (0x0044_57cf, Some("*(.text._ZN5lonis4main17h*E)")),
            (0x0044_57f8, Some("*(.text._ZN4grow17hbbbbbbbbbbbbbbbbE)")),
            (0x0044_5810, Some("*libc.a:getenv.o(.text)")),
            (0x0044_5818, None),
        ];
        for (address, expected) in cases {
            assert_eq!(pattern(address).as_deref(), expected, "{address:x}");
        }
        assert!(Map::read("Archive member included").is_err());
    }
}
