//! The languages with a grammar here: which nodes are definitions, and how they are named.

use tree_sitter::Node;

use super::outline::MAX_NAME_BYTES;
use crate::path::WorkspacePath;

/// A language whose definitions are located by its grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Rust.
    Rust,
    /// Python.
    Python,
    /// JavaScript, JSX included.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// Go.
    Go,
    /// Java.
    Java,
    /// C.
    C,
}

/// Bytes of a name with its line ends and indentation.
const MAX_SOURCE_BYTES: usize = 4 * MAX_NAME_BYTES;

/// Names of all languages, for errors.
pub(crate) const SUPPORTED: [&str; 7] = [
    "c",
    "go",
    "java",
    "javascript",
    "python",
    "rust",
    "typescript",
];

/// A node, and its kind as it was looked up in a table: a node reads its own name whenever it is asked.
#[derive(Clone, Copy)]
pub(super) struct Kinded<'t> {
    pub(super) node: Node<'t>,
    pub(super) kind: &'t str,
}

/// What stands around a node, as the walk that came to it knows.
///
/// A tree keeps no way up: to ask a node for the one around it, or for the one before it, walks down from the root each time.
#[derive(Clone, Copy)]
pub(super) struct Above<'a, 't> {
    /// The nodes around, the nearest last.
    pub(super) nodes: &'a [Level<'t>],
    /// Whether an attribute directly before the node makes a test of it.
    pub(super) is_test: bool,
}

/// A node around, and what is known from those around it: a file may be nested so deep that no walk outward ends in time.
#[derive(Clone, Copy)]
pub(super) struct Level<'t> {
    pub(super) node: Node<'t>,
    pub(super) kind: &'t str,
    /// The kind of the first one outward, itself included, that is no wrapper.
    around: Option<&'t str>,
    is_file_scope: bool,
}

impl<'t> Level<'t> {
    /// A node directly in another.
    pub(super) fn below(above: Option<&Self>, Kinded { node, kind }: Kinded<'t>) -> Self {
        let is_wrapper = matches!(
            kind,
            "decorated_definition"
                | "export_statement"
                | "block"
                | "declaration_list"
                | "class_body"
        );
        let around = match above {
            Some(above) if is_wrapper => above.around,
            None if is_wrapper => None,
            _ => Some(kind),
        };
        let is_file_scope = match kind {
            "translation_unit" => true,
            "compound_statement" | "field_declaration_list" | "parameter_list" => false,
            _ => above.is_some_and(|above| above.is_file_scope),
        };
        Self {
            node,
            kind,
            around,
            is_file_scope,
        }
    }
}

impl<'a, 't> Above<'a, 't> {
    /// The nodes around, the nearest first.
    fn outward(&self) -> impl Iterator<Item = &'a Level<'t>> + use<'a, 't> {
        self.nodes.iter().rev()
    }

    /// The kind of the node directly around.
    fn parent(&self) -> Option<&'t str> {
        self.nodes.last().map(|level| level.kind)
    }

    /// What stands around the node directly around.
    fn of_parent(&self) -> Self {
        let count = self.nodes.len().saturating_sub(1);
        Self {
            nodes: &self.nodes[..count],
            is_test: false,
        }
    }

    /// The kind of the node around, without wrappers.
    fn around(&self) -> Option<&'t str> {
        self.nodes.last()?.around
    }
}

/// A node that is a definition.
pub(super) struct Rule {
    /// What it is.
    pub(super) kind: &'static str,
    /// Its last name; none where that is too long for one.
    pub(super) name: Option<String>,
    /// Where that name stands, if it is one token.
    pub(super) token: Option<(usize, usize)>,
}

impl Language {
    /// The language by name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "rust" => Self::Rust,
            "python" => Self::Python,
            "javascript" => Self::JavaScript,
            "typescript" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "go" => Self::Go,
            "java" => Self::Java,
            "c" => Self::C,
            _ => return None,
        })
    }

    /// The language that the name of a file tells.
    pub fn of_path(path: &WorkspacePath) -> Option<Self> {
        Some(match path.name().rsplit_once('.')?.1 {
            "rs" => Self::Rust,
            "py" | "pyi" => Self::Python,
            "js" | "mjs" | "cjs" | "jsx" => Self::JavaScript,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "go" => Self::Go,
            "java" => Self::Java,
            "c" | "h" => Self::C,
            _ => return None,
        })
    }

    /// Its name in documents and normal forms.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Python => "python",
            Self::JavaScript => "javascript",
            Self::TypeScript => "typescript",
            Self::Tsx => "tsx",
            Self::Go => "go",
            Self::Java => "java",
            Self::C => "c",
        }
    }

    /// Its grammar.
    pub(super) fn grammar(self) -> tree_sitter::Language {
        match self {
            Self::Rust => tree_sitter_rust::LANGUAGE.into(),
            Self::Python => tree_sitter_python::LANGUAGE.into(),
            Self::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Self::Go => tree_sitter_go::LANGUAGE.into(),
            Self::Java => tree_sitter_java::LANGUAGE.into(),
            Self::C => tree_sitter_c::LANGUAGE.into(),
        }
    }

    /// Blank lines between top-level definitions where a file shows none.
    pub(super) const fn usual_blank_lines(self, is_nested: bool) -> usize {
        match self {
            Self::Python if !is_nested => 2,
            _ => 1,
        }
    }

    /// Whether a node is a definition.
    pub(super) fn rule(self, node: Kinded<'_>, above: &Above<'_, '_>, text: &[u8]) -> Option<Rule> {
        match self {
            Self::Rust => rust(node, above, text),
            Self::Python => python(node, above, text),
            Self::JavaScript | Self::TypeScript | Self::Tsx => script(node, above, text),
            Self::Go => go(node, above, text),
            Self::Java => java(node, text),
            Self::C => c(node, above, text),
        }
    }

    /// The node whose bytes the definition is: with `export`, decorators and a statement that it does not share.
    pub(super) fn outer<'t>(node: Node<'t>, above: &Above<'_, 't>) -> Node<'t> {
        let mut outer = node;
        for Level { node, kind, .. } in above.outward() {
            let parent = *node;
            let takes = match *kind {
                "decorated_definition" | "export_statement" => true,
                "lexical_declaration" | "variable_declaration" => {
                    count(parent, "variable_declarator") == 1
                }
                "type_declaration" | "const_declaration" | "var_declaration" | "var_spec_list" => {
                    let specs = [
                        "type_spec",
                        "type_alias",
                        "const_spec",
                        "var_spec",
                        "var_spec_list",
                    ];
                    !has_token(parent, "(")
                        && specs.iter().map(|kind| count(parent, kind)).sum::<usize>() == 1
                }
                _ => false,
            };
            if !takes {
                break;
            }
            outer = parent;
        }
        outer
    }
}

/// How many nodes of a kind are directly in one, counted up to the second: a statement may hold thousands.
fn count(node: Node<'_>, kind: &str) -> usize {
    node.named_children(&mut node.walk())
        .filter(|child| child.kind() == kind)
        .take(2)
        .count()
}

fn has_token(node: Node<'_>, token: &str) -> bool {
    node.children(&mut node.walk())
        .any(|child| child.kind() == token)
}

/// The text of a node on one line; none of one that is longer than a name may be, which is not read to its end.
fn source(node: Node<'_>, text: &[u8]) -> Option<String> {
    let text = &text[node.byte_range()];
    if text.len() > MAX_SOURCE_BYTES {
        return None;
    }
    let text = String::from_utf8_lossy(text);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (text.len() <= MAX_NAME_BYTES).then_some(text)
}

fn named(kind: &'static str, node: Node<'_>, text: &[u8]) -> Option<Rule> {
    let name = node.child_by_field_name("name")?;
    Some(token(kind, name, text))
}

fn token(kind: &'static str, name: Node<'_>, text: &[u8]) -> Rule {
    Rule {
        kind,
        name: source(name, text),
        token: Some((name.start_byte(), name.end_byte())),
    }
}

fn rust(Kinded { node, kind }: Kinded<'_>, above: &Above<'_, '_>, text: &[u8]) -> Option<Rule> {
    let kind = match kind {
        "function_item" | "function_signature_item" => match above.around() {
            Some("impl_item" | "trait_item") => "method",
            _ if above.is_test => "test",
            _ => "function",
        },
        "struct_item" => "struct",
        "enum_item" => "enum",
        "union_item" => "union",
        "trait_item" => "trait",
        "type_item" | "associated_type" => "type",
        "const_item" => "const",
        "static_item" => "static",
        "mod_item" => "module",
        "macro_definition" => "macro",
        "impl_item" => {
            let implemented = source(node.child_by_field_name("type")?, text);
            let name = match node.child_by_field_name("trait") {
                Some(of) => source(of, text)
                    .zip(implemented)
                    .map(|(of, implemented)| format!("impl {of} for {implemented}")),
                None => implemented.map(|implemented| format!("impl {implemented}")),
            };
            return Some(Rule {
                kind: "impl",
                name,
                token: None,
            });
        }
        _ => return None,
    };
    named(kind, node, text)
}

/// What a named node says of the ones behind it: whether an attribute makes a test of the next definition, or `None` where it
/// leaves that as it was.
pub(super) fn marks_test(Kinded { node, kind }: Kinded<'_>, text: &[u8]) -> Option<bool> {
    match kind {
        "attribute_item" if &text[node.byte_range()] == b"#[test]" => Some(true),
        "attribute_item" | "line_comment" | "block_comment" => None,
        _ => Some(false),
    }
}

fn python(Kinded { node, kind }: Kinded<'_>, above: &Above<'_, '_>, text: &[u8]) -> Option<Rule> {
    match kind {
        "function_definition" => {
            let is_method = above.around() == Some("class_definition");
            named(if is_method { "method" } else { "function" }, node, text)
        }
        "class_definition" => named("class", node, text),
        "expression_statement" if matches!(above.around(), Some("module" | "class_definition")) => {
            let assignment = node
                .named_child(0)
                .filter(|child| child.kind() == "assignment")?;
            let left = assignment.child_by_field_name("left")?;
            (left.kind() == "identifier").then(|| token("assignment", left, text))
        }
        _ => None,
    }
}

fn script(Kinded { node, kind }: Kinded<'_>, above: &Above<'_, '_>, text: &[u8]) -> Option<Rule> {
    match kind {
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            named("function", node, text)
        }
        "class_declaration" | "abstract_class_declaration" => named("class", node, text),
        "method_definition" | "method_signature" | "abstract_method_signature"
            if matches!(above.parent(), Some("class_body" | "interface_body")) =>
        {
            named("method", node, text)
        }
        "interface_declaration" => named("interface", node, text),
        "type_alias_declaration" => named("type", node, text),
        "enum_declaration" => named("enum", node, text),
        "internal_module" => named("module", node, text),
        "variable_declarator" => {
            let statement = above.of_parent();
            let is_module_level = matches!(
                statement.around(),
                Some("program" | "internal_module" | "statement_block")
            );
            let is_in_block = statement.parent() == Some("statement_block")
                && statement.of_parent().around() != Some("internal_module");
            if !is_module_level || is_in_block {
                return None;
            }
            let name = node
                .child_by_field_name("name")
                .filter(|name| name.kind() == "identifier")?;
            let value = node.child_by_field_name("value").map(|value| value.kind());
            let is_function = matches!(
                value,
                Some("arrow_function" | "function_expression" | "generator_function")
            );
            Some(token(
                if is_function { "function" } else { "const" },
                name,
                text,
            ))
        }
        _ => None,
    }
}

fn go(Kinded { node, kind }: Kinded<'_>, above: &Above<'_, '_>, text: &[u8]) -> Option<Rule> {
    let kind = match kind {
        "function_declaration" => "function",
        "type_spec" | "type_alias" => "type",
        "const_spec" if is_top_level(above) => "const",
        "var_spec" if is_top_level(above) => "var",
        "method_declaration" => {
            let mut rule = named("method", node, text)?;
            let receiver = source(node.child_by_field_name("receiver")?, text);
            rule.name = receiver.zip(rule.name).map(|(receiver, name)| {
                let inner = receiver
                    .trim_matches(['(', ')'])
                    .split('[')
                    .next()
                    .unwrap_or_default();
                let receiver = inner.rsplit([' ', '*']).next().unwrap_or_default();
                format!("{receiver}.{name}")
            });
            return Some(rule);
        }
        _ => return None,
    };
    named(kind, node, text)
}

fn is_top_level(above: &Above<'_, '_>) -> bool {
    let is_wrapper = |kind: &&str| {
        matches!(
            *kind,
            "const_declaration" | "var_declaration" | "var_spec_list"
        )
    };
    let mut kinds = above.outward().map(|level| level.kind);
    kinds.find(|kind| !is_wrapper(kind)) == Some("source_file")
}

fn java(Kinded { node, kind }: Kinded<'_>, text: &[u8]) -> Option<Rule> {
    let kind = match kind {
        "class_declaration" => "class",
        "interface_declaration" | "annotation_type_declaration" => "interface",
        "enum_declaration" => "enum",
        "record_declaration" => "record",
        "method_declaration" => "method",
        "constructor_declaration" | "compact_constructor_declaration" => "constructor",
        "field_declaration" | "constant_declaration" => {
            return named("field", node.child_by_field_name("declarator")?, text);
        }
        _ => return None,
    };
    named(kind, node, text)
}

fn c(Kinded { node, kind }: Kinded<'_>, above: &Above<'_, '_>, text: &[u8]) -> Option<Rule> {
    let with_body = |kind| {
        node.child_by_field_name("body")?;
        named(kind, node, text)
    };
    match kind {
        "function_definition" => Some(token("function", declared(node)?.0, text)),
        "struct_specifier" => with_body("struct").filter(|_| stands_alone(above)),
        "union_specifier" => with_body("union").filter(|_| stands_alone(above)),
        "enum_specifier" => with_body("enum").filter(|_| stands_alone(above)),
        "type_definition" => Some(token("typedef", declared(node)?.0, text)),
        "preproc_def" | "preproc_function_def" => named("macro", node, text),
        "declaration" if is_file_scope(above) => {
            let (name, is_function) = declared(node)?;
            Some(token(
                if is_function {
                    "declaration"
                } else {
                    "variable"
                },
                name,
                text,
            ))
        }
        _ => None,
    }
}

/// Whether a specifier is a statement of its own.
fn stands_alone(above: &Above<'_, '_>) -> bool {
    let is_part = matches!(
        above.parent(),
        None | Some("declaration" | "type_definition" | "field_declaration")
    );
    !is_part && is_file_scope(above)
}

fn is_file_scope(above: &Above<'_, '_>) -> bool {
    above.nodes.last().is_some_and(|level| level.is_file_scope)
}

/// The declared name, and whether it is a function's.
fn declared(node: Node<'_>) -> Option<(Node<'_>, bool)> {
    let mut declarator = node.child_by_field_name("declarator")?;
    let mut is_function = false;
    loop {
        match declarator.kind() {
            "identifier" | "type_identifier" | "primitive_type" | "field_identifier" => {
                return Some((declarator, is_function));
            }
            "function_declarator" => is_function = true,
            "pointer_declarator" if is_function => is_function = false,
            _ => {}
        }
        declarator = declarator
            .child_by_field_name("declarator")
            .or_else(|| declarator.named_child(0))?;
    }
}
