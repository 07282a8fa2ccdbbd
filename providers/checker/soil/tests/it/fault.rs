//! Planted faults: each has a known code and a known place.

use std::ops::Range;

use soil::diagnostic::Code;
use soil::source::Span;

/// A change of an accepted text that makes it break one rule.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// What is planted.
    pub(crate) kind: &'static str,
    /// The code that it has to give.
    pub(crate) code: Code,
    /// The file among those of the program.
    pub(crate) file: usize,
    /// What is replaced.
    pub(crate) at: Span,
    /// What stands there instead.
    pub(crate) text: String,
    /// What its writer meant to stand there; none when that is what stood there before.
    pub(crate) meant: Option<String>,
    /// Whether it takes away something that the rest of the text does not tell.
    pub(crate) is_lossy: bool,
    /// Where the report has to be.
    pub(crate) place: Place,
    /// What no other fault may touch, so that the two are independent.
    pub(crate) reach: Vec<Span>,
}

/// Where the report of a fault has to be, in terms of the text before any fault.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// Exactly there.
    At(Span),
    /// At a part of what was written in.
    Inside(Range<u32>),
    /// It has to begin in there: a lost token is missed where the next one does not fit.
    From(Span),
}

impl Fault {
    /// Says whether two faults are independent of each other.
    pub(crate) fn is_apart_from(&self, other: &Self) -> bool {
        let meets = |one: &Span, two: &Span| one.start <= two.end && two.start <= one.end;
        self.file != other.file
            || !self
                .reach
                .iter()
                .any(|one| other.reach.iter().any(|two| meets(one, two)))
    }
}

/// Writes faults into the text of their file.
pub(crate) fn planted(text: &str, faults: &[&Fault]) -> String {
    let mut ordered: Vec<&&Fault> = faults.iter().collect();
    ordered.sort_by_key(|fault| fault.at.start);
    let mut changed = String::new();
    let mut from = 0;
    for fault in ordered {
        changed.push_str(&text[from..fault.at.start as usize]);
        changed.push_str(&fault.text);
        from = fault.at.end as usize;
    }
    changed.push_str(&text[from..]);
    changed
}

/// Says whether a report stands where a fault has to be found, after all faults of the file were written.
pub(crate) fn is_on(fault: &Fault, of_file: &[&Fault], found: Span) -> bool {
    let length = |fault: &Fault| i64::try_from(fault.text.len()).expect("a short text");
    let change = |fault: &Fault| length(fault) - i64::from(fault.at.end - fault.at.start);
    let shift = |offset: u32, counts: &dyn Fn(&Fault) -> bool| {
        let before = of_file.iter().filter(|other| counts(other));
        let moved = i64::from(offset) + before.map(|other| change(other)).sum::<i64>();
        u32::try_from(moved).expect("it stays in the text")
    };
    let start = |offset: u32| {
        shift(offset, &|other| {
            other.at.end <= offset && other.at.start < offset
        })
    };
    let end = |offset: u32| shift(offset, &|other| other.at.start < offset);
    match &fault.place {
        Place::At(span) => found == Span::new(start(span.start), end(span.end)),
        Place::Inside(part) => {
            let from = start(fault.at.start);
            found == Span::new(from + part.start, from + part.end)
        }
        Place::From(span) => found.start >= start(span.start) && found.start <= end(span.end),
    }
}
