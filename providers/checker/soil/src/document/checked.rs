//! The documents of `infer`, `check`, `rename` and `hash`.

use super::Writer;
use super::signature::Signatures;
use crate::check::{Checked, CheckedDefinition, ObligationKind};
use crate::hash::HashedDefinition;
use crate::infer::{Fit, Hole, Inferred, declared_row};
use crate::names::ReferenceKind;
use crate::program::{DefinitionId, Program};
use crate::source::LineIndex;

/// Gives the document of a checked program in which nothing was reported.
///
/// # Wire shape
/// `{"defs":[{"name":…,"type":…,"row":…,"checks":{"termination":…,"panic_obligations":[…],"holes":[…]}}]}`; lists of
/// holes, sites and locals are left out where they are empty.
pub fn checked(checked: &Checked<'_>) -> String {
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.key("defs").array(|writer| {
            for definition in &checked.definitions {
                one(writer, checked, definition);
            }
        });
    });
    writer.finish_document()
}

/// Gives the document of one definition of a checked program.
///
/// # Wire shape
/// That of [`checked`], with one entry.
pub fn checked_definition(checked: &Checked<'_>, id: DefinitionId) -> String {
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.key("defs").array(|writer| {
            let mut definitions = checked.definitions.iter();
            if let Some(definition) = definitions.find(|definition| definition.id == id) {
                one(writer, checked, definition);
            }
        });
    });
    writer.finish_document()
}

fn one(writer: &mut Writer, checked: &Checked<'_>, definition: &CheckedDefinition) {
    let program = checked.program;
    let file = program.file_of(definition.id);
    let written = program.written(definition.id);
    let mut signatures = Signatures::new(&file.tree, &program.names);
    let source = program.sources.get(file.id);
    let lines = LineIndex::new(source.map_or(&[], |source| &source.bytes));
    writer.object(|writer| {
        writer.key("name").name(&program.names, written.name.name);
        signatures.ty(writer.key("type"), written.signature);
        signatures.row(writer.key("row"), declared_row(&file.tree, written));
        if let Some(inferred) = &definition.inferred {
            let checks = Checks {
                checked,
                lines: &lines,
            };
            checks.write(writer.key("checks"), inferred);
        }
    });
}

struct Checks<'a> {
    checked: &'a Checked<'a>,
    lines: &'a LineIndex,
}

impl Checks<'_> {
    fn write(&self, writer: &mut Writer, inferred: &Inferred) {
        writer.object(|writer| {
            writer
                .key("termination")
                .string(inferred.termination.text());
            writer.key("panic_obligations").array(|writer| {
                for obligation in &inferred.obligations {
                    writer.object(|writer| {
                        kind(writer, &obligation.kind);
                        writer.key("span").span(obligation.span, self.lines);
                        if !obligation.sites.is_empty() {
                            writer.key("sites").array(|writer| {
                                for site in &obligation.sites {
                                    writer.object(|writer| {
                                        kind(writer, &site.kind);
                                        writer.key("span").span(site.span, self.lines);
                                    });
                                }
                            });
                        }
                    });
                }
            });
            if !inferred.holes.is_empty() {
                writer.key("holes").array(|writer| {
                    for hole in &inferred.holes {
                        self.hole(writer, hole);
                    }
                });
            }
        });
    }

    fn hole(&self, writer: &mut Writer, hole: &Hole) {
        let names = &self.checked.program.names;
        writer.object(|writer| {
            writer.key("name").name(names, hole.name);
            writer.key("span").span(hole.span, self.lines);
            writer.key("ty").raw(&hole.goal);
            if !hole.in_scope.is_empty() {
                writer.key("in_scope").array(|writer| {
                    for (name, ty) in &hole.in_scope {
                        writer.object(|writer| {
                            writer.key("name").name(names, *name);
                            writer.key("ty").raw(ty);
                        });
                    }
                });
            }
            if let Some(found) = &hole.fit {
                fit(writer.key("fit"), found);
            }
        });
    }
}

/// Writes what may stand in a hole's place.
fn fit(writer: &mut Writer, fit: &Fit) {
    writer.object(|writer| {
        writer.key("row").string(&fit.row);
        writer.key("terms").array(|writer| {
            for term in &fit.terms {
                writer.object(|writer| {
                    writer.key("term").string(&term.term);
                    writer.key("ty").string(&term.ty);
                    writer.key("from").string(term.from.text());
                    if !term.holes.is_empty() {
                        writer.key("holes").array(|writer| {
                            for (name, ty) in &term.holes {
                                writer.object(|writer| {
                                    writer.key("name").string(name);
                                    writer.key("ty").string(ty);
                                });
                            }
                        });
                    }
                });
            }
        });
        writer.key("cut").boolean(fit.is_cut);
    });
}

/// Writes the member `kind`.
fn kind(writer: &mut Writer, kind: &ObligationKind) {
    let writer = writer.key("kind");
    match kind {
        ObligationKind::Overflow => writer.tag("Overflow"),
        ObligationKind::DivZero => writer.tag("DivZero"),
        ObligationKind::CalleePanic(callee) => writer.variant("CalleePanic", |writer| {
            writer.key("callee").string(callee);
        }),
    }
}

/// Gives the document of what the definitions of a program refer to.
///
/// # Wire shape
/// `{"defs":[{"name":…,"refs":{"defs":[…],"types":[…],"builtins":[…],"privates":[…]}}]}`, each list sorted.
pub fn renamed(checked: &Checked<'_>) -> String {
    let names = &checked.program.names;
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.key("defs").array(|writer| {
            for definition in &checked.definitions {
                let written = checked.program.written(definition.id);
                let references = definition.references.sorted(names);
                writer.object(|writer| {
                    writer.key("name").name(names, written.name.name);
                    writer.key("refs").object(|writer| {
                        for (key, kind) in [
                            ("defs", ReferenceKind::Definition),
                            ("types", ReferenceKind::Type),
                            ("builtins", ReferenceKind::Builtin),
                            ("privates", ReferenceKind::Private),
                        ] {
                            writer.key(key).array(|writer| {
                                for (text, reference) in &references {
                                    if reference.kind == kind {
                                        writer.string(text);
                                    }
                                }
                            });
                        }
                    });
                });
            }
        });
    });
    writer.finish_document()
}

/// Gives the document of the hashes of a program's definitions; those that could not be hashed are left out.
///
/// # Wire shape
/// `{"defs":[{"name":…,"soil_hash":…,"calls":[{"name":…,"hash":…}]}]}`
pub fn hashes(program: &Program, hashed: &[HashedDefinition]) -> String {
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.key("defs").array(|writer| {
            for definition in hashed {
                let Some(digest) = definition.soil_hash else {
                    continue;
                };
                let written = program.written(definition.id);
                writer.object(|writer| {
                    writer.key("name").name(&program.names, written.name.name);
                    writer.key("soil_hash").string(&digest.to_string());
                    writer.key("calls").array(|writer| {
                        for (name, digest) in &definition.calls {
                            writer.object(|writer| {
                                writer.key("name").string(name);
                                let digest = digest.map(|digest| digest.to_string());
                                writer
                                    .key("hash")
                                    .string(digest.as_deref().unwrap_or_default());
                            });
                        }
                    });
                });
            }
        });
    });
    writer.finish_document()
}
