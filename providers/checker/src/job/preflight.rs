//! What is wrong with a spec and its surroundings, before any model is asked.

use std::fmt::Write;

use soil::check::{CheckOptions, check};
use soil::config::check_toolchain;
use soil::diagnostic::{Code, Diagnostic, Diagnostics};
use soil::eval::{Bounds, Machine, Unit, border};
use soil::program::DefinitionId;
use soil::source::{FileId, Sources};
use soil::spec::{FunctionSpec, Spec};
use soil::syntax::tree::TypeKind;
use soil::testing::{Suite, preflight, spec_cases};
use soil::values::Generator;

use super::assembly::Assembly;
use crate::failure::Failure;
use crate::oracle::Attachment;
use crate::project::{Named, Project, SpecFile};

/// Warnings about a spec, with the texts that they speak of.
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    pub(crate) found: Diagnostics,
    pub(crate) sources: Sources,
}

/// Judges the toolchain, the spec, declared types, `soil.toml` and the decisions, each alone.
///
/// # Errors
/// `toolchain-mismatch`, and all that is wrong in these files.
pub(crate) fn surroundings(project: &Project, named: Named<'_>) -> Result<(), Failure> {
    let version = env!("CARGO_PKG_VERSION");
    if let Some(found) = check_toolchain(project.config_file, &project.config, version) {
        return Err(about(project, found.into()));
    }
    let found = reported(project, named);
    if found.is_empty() {
        Ok(())
    } else {
        Err(about(project, found))
    }
}

/// Looks for all that keeps a body from ever meeting the spec.
///
/// # Errors
/// Clauses and properties that do not check, values that cannot be drawn, and specs that no body could meet.
pub(crate) fn look(project: &Project, named: Named<'_>) -> Result<Warnings, Failure> {
    let spec_file = named.function.spec.as_ref();
    let Some((spec, function)) = spec_file.and_then(SpecFile::function) else {
        let message = format!("`{}` has no spec", named.full_name());
        return Err(Failure::usage(&message));
    };
    // No draft could be accepted where the reference cannot be asked.
    if let Some(attachment) = Attachment::of(project, named) {
        attachment.judge()?;
    }
    let Some(stub) = stub(project, named, spec, function) else {
        // Without a signature nothing can be said of types.
        return Ok(Warnings::default());
    };
    Stub {
        project,
        named,
        spec,
        function,
    }
    .look(&stub)
}

fn about(project: &Project, diagnostics: Diagnostics) -> Failure {
    Failure {
        diagnostics,
        sources: project.sources.clone(),
    }
}

/// Gives what was reported about the files that every job of the definition depends on.
fn reported(project: &Project, named: Named<'_>) -> Diagnostics {
    let types = project.modules.iter().flat_map(|one| one.types.values());
    let specs = types
        .chain(&project.spec)
        .chain(&named.module.spec)
        .chain(&named.function.spec);
    let mut files: Vec<FileId> = specs.map(|file| file.file).collect();
    files.push(project.config_file);
    let mut found = Diagnostics::new();
    for one in project.diagnostics.iter() {
        if one.file.is_some_and(|file| files.contains(&file)) {
            let mut one = one.clone();
            one.root = None;
            found.push(one);
        }
    }
    found
}

/// Makes a body that calls itself, which fits every signature and is never run.
fn stub(
    project: &Project,
    named: Named<'_>,
    spec: &Spec,
    function: &FunctionSpec,
) -> Option<String> {
    let signature = function.signature?;
    let mut ty = signature.ty;
    let mut params = String::new();
    let mut count = 0;
    while let TypeKind::Arrow { codomain, .. } = spec.tree[ty].kind {
        count += 1;
        write!(params, " stub_parameter_{count}").expect("a text takes all that is written to it");
        ty = codomain;
    }
    let name = named.name;
    let written = soil::print::ty(&spec.tree, &project.names, signature.ty);
    let body = if count == 0 {
        "?not_written".to_owned()
    } else {
        let called = called(project, named);
        format!("{called}{params}")
    };
    Some(format!("{name} : {written}\n{name}{params} = {body}\n"))
}

/// Gives the name by which a stub calls itself: with its module where another one has a function of this name.
fn called(project: &Project, named: Named<'_>) -> String {
    let mut functions = project.functions();
    let is_other =
        |other: &Named<'_>| other.name == named.name && other.module.name != named.module.name;
    if functions.any(|other| is_other(&other)) {
        return named.program_name();
    }
    named.name.to_owned()
}

/// A spec that is looked at with a stub for its body.
struct Stub<'p> {
    project: &'p Project,
    named: Named<'p>,
    spec: &'p Spec,
    function: &'p FunctionSpec,
}

impl Stub<'_> {
    fn look(&self, text: &str) -> Result<Warnings, Failure> {
        let assembly = Assembly::of(self.project, self.named, text)?;
        let program = &assembly.assembled.program;
        let sources = assembly.assembled.sources().clone();
        let checked = check(program, CheckOptions::default());
        let mut found = assembly.assembled.placed(&checked.diagnostics);
        found.append(assembly.assembled.diagnostics.clone());
        let found = self.own(&assembly, &found);
        if !found.is_empty() {
            return Err(Failure {
                diagnostics: found,
                sources,
            });
        }
        let mut warnings = Warnings {
            found: Diagnostics::new(),
            sources: sources.clone(),
        };
        let refused = |diagnostics| Failure {
            diagnostics,
            sources: sources.clone(),
        };
        let Some(target) = assembly.target() else {
            return Ok(warnings);
        };
        let unit = Unit::compile(&checked);
        let mut machine = Machine::new(&unit, Bounds::default());
        if let Some(attachment) = Attachment::of(self.project, self.named) {
            attachment.refuse_capabilities(&border(&mut machine, program, target))?;
        }
        let mut errors = self.ungenerable(&assembly, &mut machine, target, &mut warnings);
        let cases = spec_cases(self.function, &assembly.program_name);
        let suite = cases.map_err(|error| error.to_string()).and_then(|cases| {
            let suite = Suite::prepare(&mut machine, &unit, program, &cases);
            suite.map_err(|error| error.to_string())
        });
        match suite {
            Ok(suite) => {
                for one in preflight(&mut machine, &unit, program, target, &suite) {
                    let list = if one.code.is_warning() {
                        &mut warnings.found
                    } else {
                        &mut errors
                    };
                    list.push(self.placed(&assembly, one));
                }
            }
            // A definition without parameters has a hole for its stub, and its cases are looked at when they run.
            Err(_)
                if unit
                    .entry(target)
                    .is_some_and(|entry| unit.unfilled(entry).is_some()) => {}
            Err(message) => {
                let one = Diagnostic::new(Code::TrTestSyntax, message);
                errors.push(self.placed(&assembly, one));
            }
        }
        if errors.is_empty() {
            Ok(warnings)
        } else {
            Err(refused(errors))
        }
    }

    /// Looks for properties whose values cannot be drawn: an error for those of the spec, a warning for derived ones.
    fn ungenerable(
        &self,
        assembly: &Assembly,
        machine: &mut Machine<'_, '_>,
        target: DefinitionId,
        warnings: &mut Warnings,
    ) -> Diagnostics {
        let program = &assembly.assembled.program;
        let mut errors = Diagnostics::new();
        for property in &program.properties {
            if property.derived_from.is_some_and(|id| id != target) {
                continue;
            }
            let mut generator = Generator::new(0);
            let forms = border(machine, program, property.check).params;
            let mut prepared = forms
                .iter()
                .map(|form| generator.prepare(machine.forms(), *form));
            let Some(error) = prepared.find_map(Result::err) else {
                continue;
            };
            let message = format!("`{}`: {error}", property.name);
            let one = Diagnostic::new(Code::TestUngenerableType, message);
            let one = self.placed(assembly, one);
            if property.derived_from.is_some() {
                warnings.found.push(one);
            } else {
                errors.push(one);
            }
        }
        errors
    }

    /// Keeps the reports that are about the spec and what it names; those about the stub are about its signature.
    fn own(&self, assembly: &Assembly, found: &Diagnostics) -> Diagnostics {
        let stub = assembly.draft_file();
        let spec = assembly.assembled.project_file(self.spec.file);
        let mut kept = Diagnostics::new();
        for one in found.iter() {
            let mut one = one.clone();
            one.root = None;
            if one.file == stub {
                one.file = Some(spec);
                one.span = self
                    .function
                    .signature
                    .map(|signature| self.spec.tree[signature.ty].span);
                one.edits.clear();
                one.notes.retain(|note| note.file != stub);
                one.params = None;
            } else if one.file != Some(spec) && one.code != Code::StateCycle {
                // What is wrong in a callee's body is that definition's own matter.
                continue;
            }
            kept.push(one);
        }
        kept
    }

    /// Lets a report without a place speak of the spec.
    fn placed(&self, assembly: &Assembly, mut one: Diagnostic) -> Diagnostic {
        let spec = assembly.assembled.project_file(self.spec.file);
        one.file = one.file.or(Some(spec));
        one
    }
}
