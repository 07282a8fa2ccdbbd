//! The member `params` of a rich diagnostic.

use super::Writer;
use super::places::{Places, clipped};
use crate::diagnostic::{
    ArityCall, Candidate, Difference, EffectParams, EffectStep, MismatchParams, NameParams, Params,
    PathStep,
};
use crate::source::FileId;

/// The most steps of a path in a document.
const MAX_STEPS: usize = 8;

/// The most candidates in a document.
const MAX_CANDIDATES: usize = 3;

/// Writes the facts of a diagnostic, whose own file needs no naming.
pub(super) fn write(
    writer: &mut Writer,
    params: &Params,
    places: &mut Places<'_>,
    own: Option<FileId>,
) {
    writer.object(|writer| match params {
        Params::Mismatch(params) => mismatch(writer, params, places, own),
        Params::Effect(params) => effect(writer, params, places, own),
        Params::Names(params) => names(writer, params),
        Params::Match(params) => texts(writer, "missing", &params.missing),
        Params::Redundant(params) => {
            writer.key("covered_by").array(|writer| {
                for span in &params.covered_by {
                    if let Some(file) = own {
                        places.span(writer, file, *span);
                    }
                }
            });
        }
        Params::Limit(params) => {
            writer.key("limit").string(params.limit);
            writer.key("max").number(params.max);
            writer.key("seen").number(params.seen);
        }
        Params::Incomplete(params) => {
            writer.key("checked").number(params.checked);
            writer.key("total").number(params.total);
            if let Some(limit) = params.limit {
                writer.key("limit").string(limit);
            }
        }
        Params::Clause { label, kind } => {
            writer.key("label").string(&clipped(label));
            writer.key("kind").string(kind);
        }
    });
}

fn texts(writer: &mut Writer, key: &str, texts: &[String]) {
    writer.key(key).array(|writer| {
        for text in texts {
            writer.string(&clipped(text));
        }
    });
}

fn mismatch(
    writer: &mut Writer,
    params: &MismatchParams,
    places: &mut Places<'_>,
    own: Option<FileId>,
) {
    writer.key("expected").string(&clipped(&params.expected));
    writer.key("actual").string(&clipped(&params.actual));
    if let Some(differs) = &params.differs {
        difference(writer, differs);
    }
    if !params.path.is_empty() {
        writer.key("path").array(|writer| {
            for step in params.path.iter().take(MAX_STEPS) {
                path_step(writer, step, places, own);
            }
        });
    }
    let elided = params.elided + params.path.len().saturating_sub(MAX_STEPS);
    if elided > 0 {
        writer.key("elided").number(elided as u64);
    }
    if let Some(call) = &params.call {
        arity(writer, call);
    }
}

fn difference(writer: &mut Writer, differs: &Difference) {
    writer.key("differs").object(|writer| {
        writer.key("at").string(&clipped(&differs.at));
        writer.key("expected").string(&clipped(&differs.expected));
        writer.key("actual").string(&clipped(&differs.actual));
    });
}

fn path_step(writer: &mut Writer, step: &PathStep, places: &mut Places<'_>, own: Option<FileId>) {
    writer.object(|writer| {
        writer.key("side").string(step.side.text());
        places.other_file(writer, step.file, own);
        if let Some(file) = step.file.or(own) {
            places.span(writer.key("span"), file, step.span);
        }
        writer.key("why").string(step.why.text());
    });
}

fn arity(writer: &mut Writer, call: &ArityCall) {
    writer.key("call").object(|writer| {
        writer.key("signature").string(&clipped(&call.signature));
        texts(writer, "given", &call.given);
        texts(writer, "missing", &call.missing);
    });
}

fn effect(
    writer: &mut Writer,
    params: &EffectParams,
    places: &mut Places<'_>,
    own: Option<FileId>,
) {
    writer.key("effect").string(&params.effect);
    writer.key("declared").string(&clipped(&params.declared));
    writer.key("chain").array(|writer| {
        for step in params.chain.iter().take(MAX_STEPS) {
            effect_step(writer, step, places, own);
        }
    });
}

fn effect_step(
    writer: &mut Writer,
    step: &EffectStep,
    places: &mut Places<'_>,
    own: Option<FileId>,
) {
    writer.object(|writer| {
        writer.key("callee").string(&clipped(&step.callee));
        if let Some(file) = step.file.or(own) {
            places.span(writer.key("span"), file, step.span);
        }
        places.other_file(writer, step.file, own);
    });
}

fn names(writer: &mut Writer, params: &NameParams) {
    writer.key("candidates").array(|writer| {
        for candidate in params.candidates.iter().take(MAX_CANDIDATES) {
            self::candidate(writer, candidate);
        }
    });
    if let Some(elsewhere) = &params.elsewhere {
        writer.key("elsewhere").string(&clipped(elsewhere));
    }
}

fn candidate(writer: &mut Writer, candidate: &Candidate) {
    writer.object(|writer| {
        writer.key("name").string(&candidate.name);
        writer.key("ty").string(&clipped(&candidate.ty));
        writer.key("from").string(candidate.from.text());
    });
}
