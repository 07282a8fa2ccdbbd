//! What a run raises, and what keeps it from running.

use super::{Example, Reader};
use crate::diagnostic::Code;

const fn run(code: Code, bad: &'static str, good: &'static str) -> Example {
    Example::new(code, Reader::Run, bad, good)
}

pub(super) const ALL: &[Example] = &[
    run(
        Code::RuntimePanic,
        "f : (x : I64) -> panic I64\nf x = 100 / x\n$ f [0]\n",
        "f : (x : I64) -> I64\nf x = if x == 0 then 0 else 100 / x\n$ f [0]\n",
    ),
    run(
        Code::GuardRequires,
        "f : (x : I64) -> panic I64\nf x = 100 / x\nrequires some: x != 0\n$ f [0]\n",
        "f : (x : I64) -> panic I64\nf x = 100 / x\nrequires some: x != 0\n$ f [5]\n",
    ),
    run(
        Code::GuardEnsures,
        "f : (x : I64) -> I64\nf x = x - 1\nensures more: result > x\n$ f [5]\n",
        "f : (x : I64) -> panic I64\nf x = x + 1\nensures more: result > x\n$ f [5]\n",
    ),
    run(
        Code::FuelExhausted,
        "f : (n : I64) -> div I64\nf n = let rec go = fun k -> go k in go n\n$ f [9]\n",
        "f : (n : I64) -> I64\nf n = let rec go = fun k -> if k <= 0 then n else go (k - 1) in go n\n$ f [9]\n",
    ),
    run(
        Code::MemoryExhausted,
        concat!(
            "f : (a : I64) -> (b : I64) -> (c : I64) -> (d : I64) -> div I64\n",
            "f a b c d =\n",
            "  let rec go = fun n ->\n",
            "    let g = fun z -> a + b + c + d + n in\n",
            "    let h = fun z -> a + b + c + d + n + g 1 in\n",
            "    let i = fun z -> a + b + c + d + n + g 1 + h 1 in\n",
            "    let j = fun z -> a + b + c + d + n + g 1 + h 1 + i 1 in\n",
            "    go n\n",
            "  in\n",
            "  go a\n",
            "$ f [1, 2, 3, 4]\n",
        ),
        "f : (a : I64) -> (b : I64) -> (c : I64) -> (d : I64) -> panic I64\nf a b c d = a + b + c + d\n$ f [1, 2, 3, 4]\n",
    ),
    run(
        Code::DepthExhausted,
        "f : (n : I64) -> div panic I64\nf n = let rec go = fun k -> 1 + go k in go n\n$ f [9]\n",
        "f : (n : I64) -> panic I64\nf n = let rec go = fun k -> if k <= 0 then 0 else 1 + go (k - 1) in go n\n$ f [9]\n",
    ),
    run(
        Code::UnfilledHole,
        "f : (x : I64) -> I64\nf x = «?result»\n$ f [1]\n",
        "f : (x : I64) -> I64\nf x = x\n$ f [1]\n",
    ),
    run(
        Code::Usage,
        "f : (x : I64) -> I64\nf x = x\n$ f [1, 2]\n",
        "f : (x : I64) -> I64\nf x = x\n$ f [1]\n",
    ),
    run(
        Code::MalformedInput,
        "f : (x : I64) -> I64\nf x = x\n$ f [1.0]\n",
        "f : (x : I64) -> I64\nf x = x\n$ f [1]\n",
    ),
];
