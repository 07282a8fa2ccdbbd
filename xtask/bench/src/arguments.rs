//! What a run is asked for.

use std::path::PathBuf;

/// The options of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arguments {
    pub(crate) quick: bool,
    pub(crate) json: bool,
    pub(crate) strict: bool,
    /// Groups to run; all, if none is named.
    pub(crate) groups: Vec<String>,
    /// Parts of the names of the cases to run; all, if none is named.
    pub(crate) cases: Vec<String>,
    pub(crate) given: Given,
}

/// Programs that were built or installed for the run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    pub(crate) lonis: Option<PathBuf>,
    pub(crate) published: Option<PathBuf>,
    pub(crate) checker: Option<PathBuf>,
    /// The folder that `ruff` and `pyrefly` are installed into.
    pub(crate) linters: Option<PathBuf>,
}

impl Arguments {
    pub(crate) fn read(words: &[String]) -> Result<Self, String> {
        let mut read = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || {
                let value = words.next().cloned();
                value.ok_or_else(|| format!("`{word}` needs a value"))
            };
            match word.as_str() {
                "--quick" => read.quick = true,
                "--json" => read.json = true,
                "--strict" => read.strict = true,
                "--group" => read.groups.push(value()?),
                "--case" => read.cases.push(value()?),
                "--lonis" => read.given.lonis = Some(value()?.into()),
                "--published" => read.given.published = Some(value()?.into()),
                "--checker" => read.given.checker = Some(value()?.into()),
                "--linters" => read.given.linters = Some(value()?.into()),
                _ => return Err(format!("no option is called `{word}`")),
            }
        }
        Ok(read)
    }
}
