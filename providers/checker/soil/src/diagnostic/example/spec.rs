//! `.tr` files, settings and locks.

use super::{Example, Reader};
use crate::diagnostic::Code;

const FUNCTION: Reader = Reader::Spec("m/f.tr");
const TYPE: Reader = Reader::Spec("m/level.tr");
const MODULE: Reader = Reader::Spec("m/_module.tr");

macro_rules! function {
    ($blocks:literal) => {
        concat!("---\nname: f\n---\nWords.\n", $blocks)
    };
}

macro_rules! tested {
    ($blocks:literal) => {
        concat!(
            "---\nname: f\n---\nWords.\n",
            $blocks,
            "```test small\n(1) => 1\n```\n"
        )
    };
}

macro_rules! declared {
    ($declaration:literal) => {
        concat!(
            "---\nname: Level\n---\nWords.\n```soil-type\n",
            $declaration,
            "\n```\n"
        )
    };
}

macro_rules! module {
    ($blocks:literal) => {
        concat!("---\nname: m\n---\nWords.\n", $blocks)
    };
}

const fn spec(code: Code, reader: Reader, bad: &'static str, good: &'static str) -> Example {
    Example::new(code, reader, bad, good)
}

pub(super) const ALL: &[Example] = &[
    spec(
        Code::TrMissingFrontmatter,
        FUNCTION,
        "«Words.»\n```test small\n(1) => 1\n```\n",
        "---\nname: f\n---\nWords.\n```test small\n(1) => 1\n```\n",
    ),
    spec(
        Code::TrFrontmatterSyntax,
        FUNCTION,
        "---\nname: f\ntags: «a»\n---\nWords.\n```test small\n(1) => 1\n```\n",
        "---\nname: f\ntags: [a]\n---\nWords.\n```test small\n(1) => 1\n```\n",
    ),
    spec(
        Code::TrUnknownFrontmatterKey,
        FUNCTION,
        "---\nname: f\n«owner»: me\n---\nWords.\n```test small\n(1) => 1\n```\n",
        "---\nname: f\n---\nWords.\n```test small\n(1) => 1\n```\n",
    ),
    spec(
        Code::TrMissingName,
        FUNCTION,
        "«---\ntags: [a]\n---»\nWords.\n```test small\n(1) => 1\n```\n",
        "---\nname: f\ntags: [a]\n---\nWords.\n```test small\n(1) => 1\n```\n",
    ),
    spec(
        Code::TrNameMismatch,
        FUNCTION,
        "---\nname: «g»\n---\nWords.\n```test small\n(1) => 1\n```\n",
        "---\nname: f\n---\nWords.\n```test small\n(1) => 1\n```\n",
    ),
    spec(
        Code::TrProjectLocation,
        Reader::Place,
        "deeper/_project.tr",
        "_project.tr",
    ),
    spec(
        Code::TrBlockInfo,
        FUNCTION,
        function!("```«test»\n(1) => 1\n```\n"),
        function!("```test small\n(1) => 1\n```\n"),
    ),
    spec(
        Code::TrBlockKind,
        FUNCTION,
        tested!("```«exports»\nf\n```\n"),
        tested!("```text\nf\n```\n"),
    ),
    spec(
        Code::TrBlockCount,
        FUNCTION,
        tested!("```allow\npartial\n```\n```«allow»\nunsafe\n```\n"),
        tested!("```allow\npartial unsafe\n```\n"),
    ),
    spec(
        Code::TrMissingProse,
        FUNCTION,
        "---\nname: f\n---\n# A heading\n```test small\n(1) => 1\n```\n",
        "---\nname: f\n---\nWords.\n```test small\n(1) => 1\n```\n",
    ),
    spec(
        Code::TrMissingTestBlock,
        FUNCTION,
        function!("```allow\npartial\n```\n"),
        tested!("```allow\npartial\n```\n"),
    ),
    spec(
        Code::TrDuplicateTestName,
        FUNCTION,
        function!("```test small\n(1) => 1\n```\n```test «small»\n(2) => 2\n```\n"),
        tested!("```test large\n(2) => 2\n```\n"),
    ),
    spec(
        Code::TrUnnamedParams,
        FUNCTION,
        tested!("```soil-sig\nf : «I64» -> I64\n```\n```requires\nsome: x > 0\n```\n"),
        tested!("```soil-sig\nf : (x : I64) -> I64\n```\n```requires\nsome: x > 0\n```\n"),
    ),
    spec(
        Code::TrSigSyntax,
        FUNCTION,
        tested!("```soil-sig\nf «(»x : I64)\n```\n"),
        tested!("```soil-sig\nf : (x : I64) -> I64\n```\n"),
    ),
    spec(
        Code::TrPredicateSyntax,
        FUNCTION,
        tested!("```soil-sig\nf : (x : I64) -> I64\n```\n```ensures\n«same»\n```\n"),
        tested!("```soil-sig\nf : (x : I64) -> I64\n```\n```ensures\nsame: result == x\n```\n"),
    ),
    spec(
        Code::TrTestSyntax,
        FUNCTION,
        function!("```test small\n(1) «= 1»\n```\n"),
        function!("```test small\n(1) => 1\n```\n"),
    ),
    spec(
        Code::TrPanicWithoutRow,
        FUNCTION,
        function!("```soil-sig\nf : (x : I64) -> I64\n```\n```test small\n(0) => «panic»\n```\n"),
        function!(
            "```soil-sig\nf : (x : I64) -> panic I64\n```\n```test small\n(0) => panic\n```\n"
        ),
    ),
    spec(
        Code::TrPropertySyntax,
        FUNCTION,
        function!("```property same\nforall «x I64»\nf x == x\n```\n"),
        function!("```property same\nforall x : I64\nf x == x\n```\n"),
    ),
    spec(
        Code::UnsupportedWhereFilter,
        FUNCTION,
        function!("```property same\nforall x : I64 «where» x > 0\nf x == x\n```\n"),
        function!("```property same\nforall x : I64\nx > 0 implies f x == x\n```\n"),
    ),
    spec(
        Code::TrCramSyntax,
        FUNCTION,
        function!("```cram shown\n«cat x»\n```\n"),
        function!("```cram shown\n$ cat x\n```\n"),
    ),
    spec(
        Code::TrReferenceSyntax,
        FUNCTION,
        tested!("```reference\n«f.py»\n```\n"),
        tested!("```reference\nf.py::f\n```\n"),
    ),
    spec(
        Code::TrAllowUnknown,
        FUNCTION,
        tested!("```allow\n«everything»\n```\n"),
        tested!("```allow\npartial\n```\n"),
    ),
    spec(
        Code::TrTypeSyntax,
        TYPE,
        "---\nname: Level\n---\nWords.\n```soil-type\ntype Level = |\n«»```\n",
        declared!("type Level = | Low | High"),
    ),
    spec(
        Code::TrIgnoredDefault,
        TYPE,
        declared!("type Level = { a : I64, b : I64 ignored = «c» }"),
        declared!("type Level = { a : I64, b : I64 ignored = a }"),
    ),
    spec(
        Code::TrExportsSyntax,
        MODULE,
        module!("```exports\n«f g»\n```\n"),
        module!("```exports\nf\ng\n```\n"),
    ),
    spec(
        Code::TrDecisionsSyntax,
        MODULE,
        module!("```exports\nf\n```\n```decisions\n«all times are utc»\n```\n"),
        module!("```exports\nf\n```\n```decisions\nutc: all times are utc\n```\n"),
    ),
    spec(
        Code::TrUndeclaredTag,
        FUNCTION,
        "---\nname: f\ntags: [«new»]\n---\nWords.\n```test small\n(1) => 1\n```\n",
        "---\nname: f\ntags: [a]\n---\nWords.\n```test small\n(1) => 1\n```\n",
    ),
    spec(
        Code::ConfigParse,
        Reader::Settings,
        "entrypoint = «»",
        "entrypoint = \"m::main\"\n",
    ),
    spec(
        Code::ConfigUnknownKey,
        Reader::Settings,
        "«name» = \"p\"\n",
        "[tags]\na = \"what is new\"\n",
    ),
    spec(
        Code::ConfigBadValue,
        Reader::Settings,
        "entrypoint = «1»\n",
        "entrypoint = \"main\"\n",
    ),
    spec(
        Code::ConfigReservedSection,
        Reader::Settings,
        "[«deps»]\njson = 1\n",
        "[tags]\njson = \"reads JSON\"\n",
    ),
    spec(
        Code::ToolchainMismatch,
        Reader::Settings,
        "[toolchain]\ntrellis = «\"0.0.1\"»\n",
        "[toolchain]\nsoil0_cli = 1\n",
    ),
    spec(
        Code::LockMalformed,
        Reader::Lock,
        "  \"name\": 1,\n",
        "  \"name\": \"f\",\n",
    ),
    spec(
        Code::LockFormat,
        Reader::Lock,
        "  \"lock_format\": 2,\n",
        "  \"lock_format\": 1,\n",
    ),
    spec(
        Code::LockKindShape,
        Reader::LockWriter,
        "      \"test\": null,\n",
        "      \"test\": \"sha256:0000000000000000000000000000000000000000000000000000000000000000\",\n",
    ),
    spec(
        Code::LockAcceptedUntested,
        Reader::LockWriter,
        "  \"tests\": [],\n",
        "  \"tests\": [{ \"name\": \"small#1\", \"tier\": \"expect\", \"mode\": \"sandboxed\", \"origin\": \"spec\", \"result\": \"pass\" }],\n",
    ),
    spec(
        Code::LockOracleUnaccepted,
        Reader::LockWriter,
        concat!(
            "  \"oracles\": [{ \"kind\": \"definition\", \"name\": \"draft\", ",
            "\"formal_hash\": \"sha256:0000000000000000000000000000000000000000000000000000000000000000\" }],\n"
        ),
        "  \"oracles\": [],\n",
    ),
];
