//! Definitions: located by their names through a grammar, edited as bytes, checked by parsing again.
//!
//! Nothing is formatted and nothing is resolved: the text that was sent is written, and the rest of the file keeps its
//! bytes. Languages without a grammar here are located by a tool of the policy, behind [`Locate`].

mod edit;
mod judge;
mod language;
mod outline;
mod rename;
mod select;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use tree_sitter::Tree;

pub use language::Language;
pub(crate) use outline::MAX_NAMES;
pub use outline::{Cut, Definition, MAX_PARSED_BYTES, Names, Outline};

use super::document::{DefinitionEdit, Target};
use super::engine::{Compiled, Rules, Stop};
use super::failure::Failure;
use super::files::Files;
use super::splice::Splice;
use super::work::WorkFile;
use crate::path::WorkspacePath;
pub(crate) use judge::more_errors;
pub(crate) use outline::span;
pub(crate) use rename::rename;

/// Finds the definitions of a language that has no grammar here, by the tool that the policy names.
pub trait Locate {
    /// The language that the name of a file tells, if a tool is named for it.
    fn language_of(&self, path: &WorkspacePath) -> Option<String>;

    /// The definitions of a text in byte offsets; none where no tool is named for the language.
    ///
    /// # Errors
    /// What the tool said.
    fn locate(
        &self,
        language: &str,
        path: &WorkspacePath,
        text: &str,
    ) -> Option<Result<Vec<Located>, String>>;
}

/// One definition as a tool answers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// Names from the outermost.
    pub path: Vec<String>,
    /// What it is.
    pub kind: String,
    /// Its bytes.
    pub range: Range<usize>,
}

/// The language of one file, and how its definitions are found.
pub(super) enum Reader<'r> {
    Grammar(Language),
    Tool(&'r dyn Locate, String),
}

impl<'r> Reader<'r> {
    fn of(rules: &Rules<'r>, path: &WorkspacePath, named: Option<&str>) -> Result<Self, Failure> {
        let grammar = named.map_or_else(|| Language::of_path(path), Language::named);
        if let Some(language) = grammar {
            return Ok(Self::Grammar(language));
        }
        let tool = rules.locate.and_then(|locate| {
            let language = named
                .map(str::to_owned)
                .or_else(|| locate.language_of(path))?;
            Some(Self::Tool(locate, language))
        });
        tool.ok_or_else(|| {
            let extension = path
                .name()
                .rsplit_once('.')
                .map_or(path.name(), |(_, extension)| extension);
            unsupported(named.unwrap_or(extension))
        })
    }

    fn name(&self) -> &str {
        match self {
            Self::Grammar(language) => language.name(),
            Self::Tool(_, language) => language,
        }
    }

    fn outline(&self, path: &WorkspacePath, text: &[u8]) -> Result<Outline, Failure> {
        match self {
            Self::Grammar(language) => Outline::of(*language, text)?.whole(),
            Self::Tool(locate, language) => {
                let text = std::str::from_utf8(text).map_err(|error| Failure::NotText {
                    offset: error.valid_up_to(),
                    reason: "a byte that is not UTF-8",
                })?;
                let located = locate
                    .locate(language, path, text)
                    .ok_or_else(|| unsupported(language))?;
                let located = located.map_err(|reason| Failure::FormatParse {
                    format: "source",
                    span: span(text.as_bytes(), &(0..0)),
                    reason,
                    unpaired: None,
                })?;
                from_tool(text, located).whole()
            }
        }
    }

    /// What is kept of an outline of the file as it will be.
    fn parsed(&self, outline: Outline) -> Option<Parsed> {
        match self {
            Self::Grammar(language) => Parsed::of(*language, Arc::new(outline)),
            Self::Tool(..) => None,
        }
    }

    fn outline_after(
        &self,
        path: &WorkspacePath,
        before: (&Outline, &[u8]),
        splices: &[Splice],
        after: &[u8],
    ) -> Result<Outline, Failure> {
        match self {
            Self::Grammar(language) => {
                let outline = before.0.after(*language, before.1, splices, after)?;
                outline.whole()
            }
            Self::Tool(..) => self.outline(path, after),
        }
    }
}

fn unsupported(language: &str) -> Failure {
    Failure::LanguageUnsupported {
        language: language.to_owned(),
        supported: language::SUPPORTED.map(str::to_owned).to_vec(),
    }
}

/// Definitions that a tool answered; those whose range is none of the text are left out.
fn from_tool(text: &str, located: Vec<Located>) -> Outline {
    let mut cut = None;
    let definition = |located: Located| {
        text.get(located.range.clone())
            .filter(|bytes| !bytes.is_empty() && !located.path.is_empty())?;
        let Some(path) = Names::of(&located.path) else {
            cut.get_or_insert(Cut::nested(located.path.len())).omitted += 1;
            return None;
        };
        Some(Definition {
            path,
            kind: Cow::Owned(located.kind),
            core: located.range.clone(),
            range: located.range,
            name: None,
            body: None,
            shares_statement: false,
            declarator: None,
        })
    };
    let mut definitions: Vec<Definition> = located.into_iter().filter_map(definition).collect();
    definitions.sort_by_key(|definition| {
        (
            definition.range.start,
            std::cmp::Reverse(definition.range.end),
        )
    });
    Outline {
        definitions,
        errors: Vec::new(),
        cut,
        tree: None,
    }
}

/// What was parsed of a file that an op changes.
#[derive(Debug, Clone)]
pub(crate) struct Parsed {
    language: Language,
    /// The tree, told of all splices since.
    tree: Tree,
    /// The outline, as long as nothing was spliced since.
    outline: Option<Arc<Outline>>,
}

impl Parsed {
    fn of(language: Language, outline: Arc<Outline>) -> Option<Self> {
        Some(Self {
            language,
            tree: outline.tree.clone()?,
            outline: Some(outline),
        })
    }

    /// Takes splices of the bytes that were parsed.
    pub(crate) fn edit(&mut self, before: &[u8], splices: &[Splice]) {
        if !splices.is_empty() {
            self.tree = outline::edited(&self.tree, before, splices);
            self.outline = None;
        }
    }
}

/// The outline of a file as it is now, parsed where no op before has done it.
pub(crate) fn read(
    rules: &Rules<'_>,
    path: &WorkspacePath,
    file: &mut WorkFile,
    named: Option<&str>,
) -> Result<Arc<Outline>, Failure> {
    let reader = Reader::of(rules, path, named)?;
    let Reader::Grammar(language) = &reader else {
        return reader.outline(path, &file.bytes).map(Arc::new);
    };
    let known = file.parsed.as_ref();
    let known = known.filter(|parsed| parsed.language == *language);
    if let Some(outline) = known.and_then(|parsed| parsed.outline.as_ref()) {
        return Ok(Arc::clone(outline));
    }
    let tree = known.map(|parsed| &parsed.tree);
    let outline = Arc::new(Outline::parse(*language, &file.bytes, tree)?.whole()?);
    file.parsed = Parsed::of(*language, Arc::clone(&outline));
    Ok(outline)
}

/// Compiles an edit of one definition.
pub(crate) fn compile<F: Files>(
    rules: &Rules<'_>,
    files: &F,
    path: &WorkspacePath,
    text: &[u8],
    outline: &Outline,
    edit: &DefinitionEdit,
) -> Result<Compiled, Stop> {
    let reader = Reader::of(rules, path, edit.language.as_deref())?;
    let source = edit::Source {
        reader: &reader,
        path,
        text,
        outline,
    };
    source.compile(files, &edit.change)
}

/// The bytes of a definition to which a search is limited.
pub(crate) fn scope<F: Files>(
    files: &F,
    path: &WorkspacePath,
    text: &[u8],
    outline: &Outline,
    target: &Target,
) -> Result<Range<usize>, Stop> {
    let definition = select::select(outline, text, target, || {
        select::elsewhere(files, path, target)
    })?;
    Ok(definition.range.clone())
}

/// The definitions of a file, for reports; none where it has no grammar here.
pub(crate) fn outline(path: &WorkspacePath, text: &[u8]) -> Vec<Definition> {
    let outline = Language::of_path(path).and_then(|language| Outline::of(language, text).ok());
    outline.map_or_else(Vec::new, |outline| outline.definitions)
}

/// The names of the innermost definition around an offset.
pub(crate) fn enclosing(definitions: &[Definition], offset: usize) -> Option<String> {
    let around = definitions
        .iter()
        .filter(|definition| definition.range.contains(&offset));
    around
        .min_by_key(|definition| definition.range.len())
        .map(|definition| definition.path.to_string())
}
