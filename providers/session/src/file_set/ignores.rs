//! Ignore rules of git as they hold in one directory: its own and those above it, those of the repository, those of the user.

use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Rules that hold in a directory; cheap to hand on to those below it.
#[derive(Debug, Clone, Default)]
pub(super) struct Ignores {
    /// The innermost rules.
    own: Option<Arc<Level>>,
    /// `info/exclude` and the user's file, the stronger first.
    general: Arc<[Gitignore]>,
    folds_case: bool,
}

#[derive(Debug)]
struct Level {
    rules: Gitignore,
    /// Bytes of the path from the root of the walk up to the directory of these rules, its slash included.
    skip: usize,
    above: Option<Arc<Level>>,
}

impl Ignores {
    /// The rules of a repository before any directory adds its own: texts of `info/exclude` and of the user's file.
    pub(super) fn new(texts: &[String], folds_case: bool) -> Self {
        Self {
            own: None,
            general: texts.iter().map(|text| rules(text, folds_case)).collect(),
            folds_case,
        }
    }

    /// Adds the `.gitignore` of a directory, whose path has `skip` bytes with its slash.
    pub(super) fn with(&self, text: &str, skip: usize) -> Self {
        let rules = rules(text, self.folds_case);
        if rules.is_empty() {
            return self.clone();
        }
        Self {
            own: Some(Arc::new(Level {
                rules,
                skip,
                above: self.own.clone(),
            })),
            general: Arc::clone(&self.general),
            folds_case: self.folds_case,
        }
    }

    /// Whether the rules leave out a path whose directories they do not leave out.
    ///
    /// `top` is the number of bytes up to the top of the repository, its slash included.
    pub(super) fn ignore(&self, path: &str, top: usize, is_directory: bool) -> bool {
        let mut level = self.own.as_deref();
        while let Some(Level { rules, skip, above }) = level {
            match rules.matched(Path::new(&path[*skip..]), is_directory) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => level = above.as_deref(),
            }
        }
        for rules in &*self.general {
            match rules.matched(Path::new(&path[top..]), is_directory) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }
}

fn rules(text: &str, folds_case: bool) -> Gitignore {
    let mut builder = GitignoreBuilder::new("");
    // The setting only says how the lines after it are read; it cannot fail.
    let _ = builder.case_insensitive(folds_case);
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for line in text.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        // git passes over a line that it cannot read, too.
        let _ = builder.add_line(None, &literal_braces(line));
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Escapes braces, which mean nothing to git and alternatives to the matcher.
fn literal_braces(line: &str) -> std::borrow::Cow<'_, str> {
    if !line.contains(['{', '}']) {
        return line.into();
    }
    let mut text = String::with_capacity(line.len() + 4);
    let mut in_class = false;
    let mut escaped = false;
    for character in line.chars() {
        match character {
            _ if escaped => {}
            '[' => in_class = true,
            ']' => in_class = false,
            '{' | '}' if !in_class => text.push('\\'),
            _ => {}
        }
        escaped = character == '\\' && !escaped;
        text.push(character);
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_rule_that_matches_decides() {
        let general = ["*.log\n".to_owned(), "*.tmp\n!keep.log\n".to_owned()];
        let outer = Ignores::new(&general, false).with("build/\n/only\n*.o\n", 0);
        let inner = outer.with("!special.o\n# c\n\\#x\n", "a/".len());
        for (path, is_directory, expected) in [
            ("x.log", false, true),
            ("keep.log", false, true),
            ("x.tmp", false, true),
            ("build", true, true),
            ("build", false, false),
            ("only", false, true),
            ("a/only", false, false),
            ("a/x.o", false, true),
            ("a/special.o", false, false),
            ("a/#x", false, true),
        ] {
            assert_eq!(inner.ignore(path, 0, is_directory), expected, "{path}");
        }
        assert!(outer.ignore("special.o", 0, false));
    }

    #[test]
    fn braces_stand_for_themselves() {
        let rules = Ignores::new(&["{a,b}\n[{]x\n".to_owned()], false);
        assert!(rules.ignore("{a,b}", 0, false) && rules.ignore("{x", 0, false));
        assert!(!rules.ignore("a", 0, false));
    }
}
