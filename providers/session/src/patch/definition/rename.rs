//! Renaming a definition: every equal identifier token, in its file and in those that are named.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};
use tree_sitter::Node;

use super::Reader;
use super::edit::Source;
use super::language::Language;
use super::outline::{Outline, descend, span};
use super::select;
use crate::identity::Identity;
use crate::patch::document::{Action, DefinitionChange, Op};
use crate::patch::engine::{Rules, Stop};
use crate::patch::failure::{Failure, Site};
use crate::patch::files::Files;
use crate::patch::splice::{Splice, spliced};
use crate::patch::steps;
use crate::path::WorkspacePath;

/// Nodes in which a name is brought in from elsewhere.
const IMPORTS: &[&str] = &[
    "import_statement",
    "import_from_statement",
    "import_declaration",
    "use_declaration",
    "import_spec",
    "import_clause",
    "import_specifier",
];

/// Sites that a report lists.
const MAX_SITES: usize = 20;

/// What a rename does.
pub(crate) struct Renamed {
    /// Splices of each file.
    pub(crate) splices: Vec<(WorkspacePath, Vec<Splice>)>,
    /// Further members of the normal form.
    pub(crate) members: Value,
}

/// One file in which a name is replaced.
type Given = (WorkspacePath, Arc<[u8]>, Identity);

/// Compiles a rename; the first file is the one of the definition.
pub(crate) fn rename<F: Files>(
    rules: &Rules<'_>,
    files: &F,
    op: &Op,
    given: &[Given],
) -> Result<Renamed, Stop> {
    let Action::Definition(edit) = &op.action else {
        unreachable!("the engine sends renames alone here");
    };
    let DefinitionChange::Rename { target, to, .. } = &edit.change else {
        unreachable!("the engine sends renames alone here");
    };
    let (path, text, _) = &given[0];
    let reader = Reader::of(rules, path, edit.language.as_deref())?;
    let Reader::Grammar(language) = &reader else {
        return Err(super::unsupported(reader.name()).into());
    };
    let outline = Outline::of(*language, text)?.whole()?;
    let definition = select::select(&outline, text, target, || {
        select::elsewhere(files, path, target)
    })?;
    let Some(name) = definition.name.clone() else {
        return Err(Failure::DefinitionMissing {
            target: format!("{} (it has no name of its own)", target.label()),
            nearest: Vec::new(),
            elsewhere: Vec::new(),
        }
        .into());
    };
    let from = text[name.clone()].to_vec();
    let mut sites = Vec::new();
    let mut splices = Vec::new();
    for (index, (path, text, _)) in given.iter().enumerate() {
        let language = Language::of_path(path).unwrap_or(*language);
        let own = (index == 0).then_some(name.start);
        let beside = match own {
            Some(_) => None,
            None => Some(Outline::of(language, text)?.whole()?),
        };
        let outline = beside.as_ref().unwrap_or(&outline);
        let definitions = outline.definitions.iter();
        let names = Names {
            path,
            text,
            outline,
            own,
            defined: definitions
                .filter_map(|definition| Some(definition.name.as_ref()?.start))
                .collect(),
        };
        splices.push((path.clone(), names.collect(&from, to, &mut sites)));
        names.check(&splices[index].1, language)?;
    }
    if !sites.is_empty() {
        return Err(conflict(&from, to, sites).into());
    }
    let source = Source {
        reader: &reader,
        path,
        text,
        outline: &outline,
    };
    let edits: Vec<Value> = given
        .iter()
        .zip(&splices)
        .flat_map(|((path, _, pre), (_, splices))| {
            splices.iter().map(move |splice| {
                json!({ "path": path, "pre": format!("blob:{pre}"), "start": splice.start, "end": splice.end })
            })
        })
        .collect();
    let members = json!({ "language": language.name(), "target": source.normal(definition), "to": to, "edits": edits });
    Ok(Renamed { splices, members })
}

/// The names that would mix: the new one where it stands already, else the old one.
fn conflict(from: &[u8], to: &str, sites: Vec<Site>) -> Failure {
    let is_new = sites.iter().any(|site| site.role == "identifier");
    let binding = if is_new {
        to.to_owned()
    } else {
        String::from_utf8_lossy(from).into_owned()
    };
    Failure::RenameConflict { binding, sites }
}

struct Names<'a> {
    path: &'a WorkspacePath,
    text: &'a [u8],
    outline: &'a Outline,
    /// Where the name of the definition itself stands.
    own: Option<usize>,
    /// Where the names of all definitions start.
    defined: HashSet<usize>,
}

impl Names<'_> {
    fn collect(&self, from: &[u8], to: &str, sites: &mut Vec<Site>) -> Vec<Splice> {
        let mut splices = Vec::new();
        let Some(tree) = &self.outline.tree else {
            return splices;
        };
        // A node of the tree knows those above it only by a search from the root.
        let mut above = Vec::new();
        descend(&mut tree.root_node().walk(), |node, is_entered| {
            if !is_entered {
                above.pop();
                return false;
            }
            if node.child_count() > 0 {
                above.push(node);
                return true;
            }
            if node.kind().ends_with("identifier") {
                let name = &self.text[node.byte_range()];
                let role = if name == to.as_bytes() {
                    Some("identifier")
                } else if name == from {
                    splices.push(Splice::new(node.byte_range(), to));
                    let is_own = self.own == Some(node.start_byte());
                    // Of more than a report lists, nothing is asked.
                    let is_asked = !is_own && sites.len() < MAX_SITES;
                    is_asked.then(|| self.role(node, &above)).flatten()
                } else {
                    None
                };
                if let Some(role) = role.filter(|_| sites.len() < MAX_SITES) {
                    sites.push(self.site(node, role));
                }
            }
            false
        });
        splices
    }

    fn site(&self, node: Node<'_>, role: &'static str) -> Site {
        let span = span(self.text, &node.byte_range());
        Site {
            file: self.path.to_string(),
            line: span.start_line,
            column: span.start_column,
            role,
        }
    }

    /// What a name binds here, if it binds anything.
    ///
    /// `above` are the nodes around it, the nearest last.
    fn role(&self, node: Node<'_>, above: &[Node<'_>]) -> Option<&'static str> {
        let start = node.start_byte();
        if self.defined.contains(&start) {
            return Some("definition");
        }
        let direct = above.last();
        let field_holds = |parent: Node<'_>, field: &str| {
            steps::count(parent.child_count() as usize);
            parent
                .child_by_field_name(field)
                .is_some_and(|held| held.start_byte() <= start && start < held.end_byte())
        };
        for parent in above.iter().rev().take(6).copied() {
            steps::count(1);
            match parent.kind() {
                kind if IMPORTS.contains(&kind) => return Some("import"),
                "parameter"
                | "typed_parameter"
                | "parameter_declaration"
                | "formal_parameter"
                | "required_parameter"
                | "optional_parameter"
                | "closure_parameters"
                | "lambda_parameters"
                    if !field_holds(parent, "type") && !field_holds(parent, "value") =>
                {
                    return Some("parameter");
                }
                "parameters" | "formal_parameters" | "inferred_parameters"
                    if direct == Some(&parent) =>
                {
                    return Some("parameter");
                }
                "default_parameter" | "typed_default_parameter" if field_holds(parent, "name") => {
                    return Some("parameter");
                }
                "let_declaration" | "let_condition" | "for_expression"
                    if field_holds(parent, "pattern") =>
                {
                    return Some("local");
                }
                "assignment"
                | "for_statement"
                | "for_in_clause"
                | "for_in_statement"
                | "short_var_declaration"
                | "range_clause"
                    if field_holds(parent, "left")
                        && direct.is_some_and(|direct| {
                            !matches!(direct.kind(), "attribute" | "subscript" | "call")
                        }) =>
                {
                    return Some("local");
                }
                "variable_declarator" | "var_spec" | "const_spec"
                    if field_holds(parent, "name") =>
                {
                    return Some("local");
                }
                "init_declarator" if field_holds(parent, "declarator") => return Some("local"),
                "block" | "statement_block" | "compound_statement" | "declaration_list"
                | "arguments" | "argument_list" => return None,
                _ => {}
            }
        }
        None
    }

    /// Parses the file again: a rename adds no syntax error.
    fn check(&self, splices: &[Splice], language: Language) -> Result<(), Failure> {
        let text = spliced(self.text, splices);
        let after = self.outline.after(language, self.text, splices, &text)?;
        if after.errors.len() <= self.outline.errors.len() {
            return Ok(());
        }
        let spans = |text: &[u8], outline: &Outline| {
            outline
                .errors
                .iter()
                .take(MAX_SITES)
                .map(|error| span(text, error))
                .collect()
        };
        Err(Failure::SyntaxRegression {
            reason: "the new name adds syntax errors".to_owned(),
            before: spans(self.text, self.outline),
            after: spans(&text, &after),
            unpaired: None,
        })
    }
}
