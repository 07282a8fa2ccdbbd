//! Specs that no body could meet, and tests that say little.

use super::{Example, Reader};
use crate::diagnostic::Code;

macro_rules! same {
    ($blocks:literal) => {
        concat!(
            "---\nname: f\n---\nWords.\n```soil-sig\nf : (x : I64) -> I64\n```\n",
            $blocks,
            "```soil\nf : (x : I64) -> I64\nf x = x\n```\n"
        )
    };
}

macro_rules! positive {
    ($blocks:literal) => {
        concat!(
            "---\nname: f\n---\nWords.\n```soil-sig\nf : (x : I64) -> Bool\n```\n",
            $blocks,
            "```soil\nf : (x : I64) -> Bool\nf x = x > 0\n```\n"
        )
    };
}

const fn testing(code: Code, bad: &'static str, good: &'static str) -> Example {
    Example::new(code, Reader::Testing, bad, good)
}

pub(super) const ALL: &[Example] = &[
    testing(
        Code::PreflightContradiction,
        same!("```test small\n(1) => 1\n(1) => 2\n```\n"),
        same!("```test small\n(1) => 1\n(2) => 2\n```\n"),
    ),
    testing(
        Code::PreflightVacuousRequires,
        same!("```requires\nmany: x > 9\n```\n```test small xfail\n(1) => 1\n```\n"),
        same!("```requires\nmany: x > 9\n```\n```test small xfail\n(10) => 1\n```\n"),
    ),
    testing(
        Code::PreflightCaseOutsideDomain,
        same!("```requires\nmany: x > 9\n```\n```test small\n(1) => 1\n(10) => 10\n```\n"),
        same!("```requires\nmany: x > 9\n```\n```test small\n(11) => 11\n(10) => 10\n```\n"),
    ),
    testing(
        Code::PreflightTrivialEnsures,
        same!("```ensures\nsame: result == result\n```\n```test small\n(1) => 1\n```\n"),
        same!("```ensures\nsame: result == x\n```\n```test small\n(1) => 1\n```\n"),
    ),
    testing(
        Code::PreflightUnexercisedVariant,
        positive!("```test small\n(1) => true\n```\n"),
        positive!("```test small\n(1) => true\n(0) => false\n```\n"),
    ),
    testing(
        Code::ClauseVacuous,
        same!("```ensures\nany: result > x or result <= x\n```\n```test small\n(1) => 1\n```\n"),
        same!("```ensures\nsame: result == x\n```\n```test small\n(1) => 1\n```\n"),
    ),
];
