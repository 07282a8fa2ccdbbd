//! Where a `.tr` file stands, and what that says of its kind and name.

use super::container::Container;

/// What a `.tr` file describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpecKind {
    /// A function.
    Function,
    /// A declared type.
    Type,
    /// A module.
    Module,
    /// The project.
    Project,
}

impl SpecKind {
    /// Gives the word that stands in a lock.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Type => "type",
            Self::Module => "module",
            Self::Project => "project",
        }
    }

    /// Gives the kind with this word.
    pub fn from_text(text: &str) -> Option<Self> {
        let all = [Self::Function, Self::Type, Self::Module, Self::Project];
        all.into_iter().find(|kind| kind.text() == text)
    }
}

/// The place of a `.tr` file in its project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location<'a> {
    /// The name of the file without its ending.
    pub stem: &'a str,
    /// The name of the folder that holds it.
    pub folder: &'a str,
    /// Whether that folder holds `soil.toml`, and so is the project's root.
    pub is_root: bool,
}

impl<'a> Location<'a> {
    /// Gives the place of a path that begins below the project's root, whose folder has a name.
    pub fn of_path(path: &'a str, root: &'a str) -> Self {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let name = folder.rsplit('/').next().unwrap_or(folder);
        Self {
            stem: file.strip_suffix(".tr").unwrap_or(file),
            folder: if folder.is_empty() { root } else { name },
            is_root: folder.is_empty(),
        }
    }

    /// Gives the kind of the file: by name for modules and projects, else by its blocks.
    pub fn kind(self, container: &Container) -> SpecKind {
        match self.stem {
            "_module" => SpecKind::Module,
            "_project" => SpecKind::Project,
            _ if container
                .fences
                .iter()
                .any(|fence| fence.info.lang == "soil-type") =>
            {
                SpecKind::Type
            }
            _ => SpecKind::Function,
        }
    }

    /// Gives the name that the frontmatter of such a file has to have.
    pub fn name(self, kind: SpecKind) -> String {
        match kind {
            SpecKind::Function => self.stem.to_owned(),
            SpecKind::Type => pascal_case(self.stem),
            SpecKind::Module | SpecKind::Project => self.folder.to_owned(),
        }
    }
}

/// Gives a name of words between `_` as one of words that each begin with a capital letter.
fn pascal_case(snake: &str) -> String {
    snake
        .split('_')
        .flat_map(|word| {
            let mut characters = word.chars();
            let first = characters.next().map(|first| first.to_ascii_uppercase());
            first.into_iter().chain(characters)
        })
        .collect()
}
