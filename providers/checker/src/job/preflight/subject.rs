//! One spec in a program that has something for its body.

use std::collections::HashSet;

use soil::check::Checked;
use soil::diagnostic::{Code, Diagnostic, Diagnostics};
use soil::eval::{Machine, Unit, border};
use soil::names::Referent;
use soil::program::DefinitionId;
use soil::source::{FileId, Span};
use soil::spec::{FunctionSpec, Spec};
use soil::testing::{Suite, SuiteError, preflight, spec_cases};
use soil::values::Generator;

use crate::oracle::Attachment;
use crate::project::{Assembled, Named, Project};

/// A spec that is looked at.
pub(super) struct Subject<'p> {
    pub(super) project: &'p Project,
    pub(super) named: Named<'p>,
    /// The text of the spec among those of the project.
    pub(super) file: FileId,
    pub(super) spec: &'p Spec,
    pub(super) function: &'p FunctionSpec,
}

/// What is wrong with a spec, and what is worth knowing, placed in the texts of the project.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) errors: Diagnostics,
    pub(super) warnings: Diagnostics,
    /// Whether the body has or reaches a hole, so that its cases were not looked at.
    pub(super) is_unfilled: bool,
}

impl Found {
    /// Leaves out what cases came to in a requires that runs something wrong: that says nothing of the cases.
    pub(super) fn trusted(
        mut self,
        checked: &Checked<'_>,
        target: DefinitionId,
        wrong: &HashSet<FileId>,
    ) -> Self {
        if wrong.is_empty() || !runs_wrong(checked, target, wrong) {
            return self;
        }
        let mut kept = Diagnostics::new();
        for one in self.errors.iter() {
            let is_of_run = matches!(
                one.code,
                Code::PreflightCaseOutsideDomain | Code::PreflightVacuousRequires
            );
            if !is_of_run {
                kept.push(one.clone());
            }
        }
        self.errors = kept;
        self
    }
}

/// Says whether a requires of a definition runs a definition of one of these files.
fn runs_wrong(checked: &Checked<'_>, target: DefinitionId, wrong: &HashSet<FileId>) -> bool {
    let program = checked.program;
    let guards = program.guards.iter();
    let own = guards.filter(|guard| guard.definition == target);
    let clauses = own.flat_map(|guard| &guard.requires);
    let mut open: Vec<DefinitionId> = clauses.filter_map(|clause| clause.check).collect();
    let mut seen: HashSet<DefinitionId> = open.iter().copied().collect();
    while let Some(id) = open.pop() {
        if wrong.contains(&program.file_of(id).id) {
            return true;
        }
        let lists = [&checked.definitions, &checked.lowered];
        let found = lists.into_iter().find_map(|list| {
            let position = list.binary_search_by_key(&id, |one| one.id).ok()?;
            Some(&list[position].references)
        });
        let references = found.map(|found| found.sorted(&program.names));
        for (_, reference) in references.unwrap_or_default() {
            if let Referent::Definition(called) = reference.referent
                && seen.insert(called)
            {
                open.push(called);
            }
        }
    }
    false
}

impl<'p> Subject<'p> {
    /// Takes the spec of a function; none where there is none that reads.
    pub(super) fn of(project: &'p Project, named: Named<'p>) -> Option<Self> {
        let file = named.function.spec.as_ref()?;
        let (spec, function) = file.function()?;
        Some(Self {
            project,
            named,
            file: file.file,
            spec,
            function,
        })
    }

    /// Gives the place of the signature in the spec.
    pub(super) fn signature_span(&self) -> Option<Span> {
        let signature = self.function.signature?;
        Some(self.spec.tree[signature.ty].span)
    }

    /// Looks for all that keeps a body from ever meeting the spec, in a program that says nothing against it.
    pub(super) fn found(
        &self,
        assembled: &Assembled,
        unit: &Unit<'_>,
        machine: &mut Machine<'_, '_>,
        target: DefinitionId,
    ) -> Found {
        let program = &assembled.program;
        let mut found = Found::default();
        if let Some(attachment) = Attachment::of(self.project, self.named)
            && let Err(failure) = attachment.refuse_capabilities(&border(machine, program, target))
        {
            found.errors.append(failure.diagnostics);
        }
        self.ungenerable(assembled, machine, target, &mut found);
        let cases = spec_cases(self.function, &self.named.program_name());
        let suite = cases
            .map_err(|error| Some(error.to_string()))
            .and_then(|cases| {
                Suite::prepare(machine, unit, program, &cases).map_err(|error| match error {
                    SuiteError::Malformed { .. } => Some(error.to_string()),
                    SuiteError::Unfilled { .. } => None,
                })
            });
        match suite {
            Ok(suite) => {
                for one in preflight(machine, unit, program, target, &suite) {
                    self.add(one, &mut found);
                }
            }
            Err(None) => found.is_unfilled = true,
            Err(Some(message)) => {
                self.add(Diagnostic::new(Code::TrTestSyntax, message), &mut found);
            }
        }
        found
    }

    /// Looks for properties whose values cannot be drawn: an error for those of the spec, a warning for derived ones.
    fn ungenerable(
        &self,
        assembled: &Assembled,
        machine: &mut Machine<'_, '_>,
        target: DefinitionId,
        found: &mut Found,
    ) {
        let program = &assembled.program;
        for property in &program.properties {
            let is_own = match property.derived_from {
                Some(id) => id == target,
                None => assembled.spec_of(program.file_of(property.check).id) == Some(self.file),
            };
            if !is_own {
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
            let one = self.placed(Diagnostic::new(Code::TestUngenerableType, message));
            if property.derived_from.is_some() {
                found.warnings.push(one);
            } else {
                found.errors.push(one);
            }
        }
    }

    fn add(&self, one: Diagnostic, found: &mut Found) {
        let list = if one.code.is_warning() {
            &mut found.warnings
        } else {
            &mut found.errors
        };
        list.push(self.placed(one));
    }

    /// Lets a report without a place speak of the spec.
    fn placed(&self, mut one: Diagnostic) -> Diagnostic {
        one.file = one.file.or(Some(self.file));
        one
    }
}
