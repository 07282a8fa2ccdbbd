//! Lexer, parser, names, types and matches.

use super::{Example, Reader};
use crate::diagnostic::Code;

const fn draft(code: Code, bad: &'static str, good: &'static str) -> Example {
    Example::new(code, Reader::Draft, bad, good)
}

/// More brackets than may be nested.
const DEEP: &str = concat!(
    "f : I64\nf = ",
    "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((",
    "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((",
    "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((",
    "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((",
    "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((",
    "«1»\n",
);

pub(super) const ALL: &[Example] = &[
    draft(
        Code::UnterminatedString,
        "f : Utf8\nf = «\"open\n»",
        "f : Utf8\nf = \"closed\"\n",
    ),
    draft(
        Code::BadEscape,
        "f : Utf8\nf = \"it«\\'»s\"\n",
        "f : Utf8\nf = \"it's\"\n",
    ),
    draft(
        Code::EscapeNotScalar,
        "f : Utf8\nf = \"«\\u{d800}»\"\n",
        "f : Utf8\nf = \"\\u{d7ff}\"\n",
    ),
    draft(
        Code::StrayCharacter,
        "f : Bool -> Bool\nf x = «!»x\n",
        "f : Bool -> Bool\nf x = not x\n",
    ),
    draft(
        Code::ParseExpected,
        "f : I64 -> I64\nf x = (x + 1\n«»",
        "f : I64 -> I64\nf x = (x + 1)\n",
    ),
    draft(
        Code::NonassocComparison,
        "f : I64 -> Bool\nf x = 0 < x «<» 9\n",
        "f : I64 -> Bool\nf x = 0 < x and x < 9\n",
    ),
    draft(
        Code::NameMismatch,
        "«g» : I64 -> I64\ng x = x\n",
        "f : I64 -> I64\nf x = x\n",
    ),
    draft(
        Code::WildcardInLetRec,
        "f : I64\nf = let rec «_» = fun x -> x in 1\n",
        "f : I64\nf = let _ = fun x -> x in 1\n",
    ),
    draft(
        Code::MultipleDefs,
        "f : I64\nf = 1\n\n«g» : I64\ng = 2\n",
        "f : I64\nf = 1\n",
    ),
    draft(
        Code::MisplacedPrivateDef,
        "«_f» : I64\n_f = 1\n",
        "f : I64\nf = 1\n",
    ),
    Example::new(
        Code::MisplacedPrivateDef,
        Reader::Private,
        "«half» : I64 -> I64\nhalf x = x / 2\n",
        "_half : I64 -> I64\n_half x = x / 2\n",
    ),
    draft(
        Code::DuplicateField,
        "f : Point\nf = { x = 1, y = 2, «x» = 3 }\n",
        "f : Point\nf = { x = 1, y = 2 }\n",
    ),
    draft(
        Code::Shadowing,
        "f : I64 -> I64\nf x = let «x» = 2 in x\n",
        "f : I64 -> I64\nf x = let y = 2 in x + y\n",
    ),
    draft(
        Code::UnknownName,
        "f : List I64 -> I64\nf items = list_len «itms»\n",
        "f : List I64 -> I64\nf items = list_len items\n",
    ),
    draft(
        Code::UnknownType,
        "f : «Levle» -> I64\nf x = 1\n",
        "f : Level -> I64\nf x = 1\n",
    ),
    draft(
        Code::UnknownQualified,
        "f : I64 -> Bool\nf x = «I64::eqq» x x\n",
        "f : I64 -> Bool\nf x = I64::eq x x\n",
    ),
    draft(
        Code::UnknownConstructor,
        "f : Level\nf = «Hihg»\n",
        "f : Level\nf = High\n",
    ),
    draft(
        Code::AmbiguousConstructor,
        "f : Level\nf = «Low»\n",
        "f : Level\nf = Level::Low\n",
    ),
    draft(
        Code::AmbiguousName,
        "f : I64\nf = «twin»\n",
        "f : I64\nf = left::twin\n",
    ),
    draft(
        Code::NeedlessQualification,
        "f : Level\nf = «Level::High»\n",
        "f : Level\nf = High\n",
    ),
    draft(
        Code::PrivateCrossModule,
        "f : I64\nf = «_hidden»\n",
        "f : I64\nf = left::twin\n",
    ),
    draft(
        Code::ForwardReference,
        "f : I64\nf = «later»\n",
        "f : I64\nf = right::twin\n",
    ),
    draft(
        Code::TypeMismatch,
        "f : F64 -> F64\nf x = if x < «1» then x else 2.0\n",
        "f : F64 -> F64\nf x = if x < 1.0 then x else 2.0\n",
    ),
    draft(
        Code::EffectViolation,
        "f : Clock -> I64\nf c = «clock_now c»\n",
        "f : Clock -> io I64\nf c = clock_now c\n",
    ),
    draft(
        Code::OperatorPolymorphic,
        "f : a -> a -> Bool\nf x y = «x == y»\n",
        "f : (same : a -> a -> Bool) -> a -> a -> Bool\nf same x y = same x y\n",
    ),
    draft(
        Code::NonDerivable,
        "f : Handle -> Handle -> Bool\nf x y = «x < y»\n",
        "f : Handle -> Handle -> Bool\nf x y = x == y\n",
    ),
    draft(
        Code::AnnotationNeeded,
        "f : I64\nf = let p = «{ x = 1, y = 2 }» in 1\n",
        "f : I64\nf = let p = ({ x = 1, y = 2 } : Point) in p.x\n",
    ),
    draft(
        Code::UnknownField,
        "f : Point -> I64\nf p = p.«z»\n",
        "f : Point -> I64\nf p = p.x\n",
    ),
    draft(
        Code::LiteralOutOfRange,
        "f : U8\nf = «256»\n",
        "f : U8\nf = 255\n",
    ),
    draft(
        Code::NonExhaustiveMatch,
        "f : Option I64 -> I64\nf x =\n  «match x with\n  | None -> 0»\n",
        "f : Option I64 -> I64\nf x =\n  match x with\n  | None -> 0\n  | Some y -> y\n",
    ),
    draft(
        Code::RedundantArm,
        "f : I64 -> I64\nf x =\n  match x with\n  | y -> y\n  | «1» -> 2\n",
        "f : I64 -> I64\nf x =\n  match x with\n  | 1 -> 2\n  | y -> y\n",
    ),
    draft(
        Code::MissingRecordRest,
        "f : Point -> I64\nf p =\n  match p with\n  | «{ x }» -> x\n",
        "f : Point -> I64\nf p =\n  match p with\n  | { x, .. } -> x\n",
    ),
    draft(Code::LimitExceeded, DEEP, "f : I64\nf = (1)\n"),
];
