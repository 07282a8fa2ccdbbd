//! The closed list of codes, with the column values of the diagnostic registry.

macro_rules! classes {
    ($($variant:ident $text:literal $summary:literal;)*) => {
        /// What the reader of a diagnostic does about it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum RepairClass {
            $(#[doc = concat!("`", $text, "`: ", $summary, ".")] $variant,)*
        }

        impl RepairClass {
            /// All classes in the order of the registry; the last two are reserved and used by no code.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Gives the name that stands in a document.
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

            /// Says what to do.
            pub const fn summary(self) -> &'static str {
                match self {
                    $(Self::$variant => $summary,)*
                }
            }
        }
    };
}

macro_rules! codes {
    ($($variant:ident $text:literal $source:ident $class:ident $reference:literal $kind:ident;)*) => {
        /// What a diagnostic says, for programs.
        ///
        /// Those of a host's jobs stand here too, so that one table serves every document.
        ///
        /// # Wire shape
        /// The text in kebab-case, as [`Code::text`] gives it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code {
            $(#[doc = concat!("`", $text, "`.")] $variant,)*
        }

        impl Code {
            /// All codes in the order of the registry.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Gives the code as documents show it.
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

            /// Gives who raises it.
            pub const fn source(self) -> Source {
                match self {
                    $(Self::$variant => Source::$source,)*
                }
            }

            /// Gives what to do about it.
            pub const fn repair_class(self) -> RepairClass {
                match self {
                    $(Self::$variant => RepairClass::$class,)*
                }
            }

            /// Gives the section that states the rule, `document#section`.
            pub const fn spec_ref(self) -> &'static str {
                match self {
                    $(Self::$variant => $reference,)*
                }
            }

            /// Says whether it always is a warning, which never blocks.
            pub const fn is_warning(self) -> bool {
                match self {
                    $(Self::$variant => matches!(Severity::$kind, Severity::Warning),)*
                }
            }

            /// Gives the code with this text.
            pub fn from_text(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

impl Code {
    /// Says why no edit is offered for a code that a draft can get; none where there is one, or the code is not a draft's.
    pub const fn why_no_edit(self) -> Option<&'static str> {
        Some(match self {
            Self::OperatorPolymorphic => {
                "which operation is meant is for the caller to say: a function has to come in as a parameter, which changes the signature"
            }
            Self::NonDerivable => {
                "the type has no such operation, and what takes its place is another meaning"
            }
            Self::LimitExceeded => {
                "the text is too large in a way that no single place is to blame for"
            }
            Self::ForwardReference => "the order of files is not in the text",
            _ => return None,
        })
    }
}

/// Who raises a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// The language: what `soil …` reports.
    Soil0,
    /// Everything above it: specs, configuration, locks, jobs.
    Trellis,
}

impl Source {
    /// Gives the word that stands in the registry.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Soil0 => "soil0",
            Self::Trellis => "trellis",
        }
    }
}

/// Whether a code blocks; only the table below speaks of it.
enum Severity {
    Error,
    Warning,
}

impl std::fmt::Display for Code {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.text())
    }
}

classes! {
    FixSyntax "fix-syntax" "rewrite the text so that it is read";
    SplitComparison "split-comparison" "join two comparisons with `and`, or bracket one";
    RenameBinding "rename-binding" "pick another name for the binder";
    QualifyName "qualify-name" "put the owner and `::` before the name";
    UnqualifyName "unqualify-name" "use the bare name";
    FixType "fix-type" "make expression, names and signature agree";
    AddAnnotation "add-annotation" "state the type at that place";
    FixLiteral "fix-literal" "choose a value that fits, or another type";
    ThreadCapability "thread-capability" "take the capability as a parameter, declare the effect, or drop the call";
    WidenMatch "widen-match" "add the arms that the notes show";
    RemoveRedundantArm "remove-redundant-arm" "delete the arm";
    AddRecordRest "add-record-rest" "name all fields or end with `..`";
    InsertGuard "insert-guard" "test for the failing condition first";
    NarrowDomain "narrow-domain" "call only with arguments that meet the clause";
    FixBody "fix-body" "change the body until the clause holds";
    Simplify "simplify" "use fewer steps or less memory";
    FillHole "fill-hole" "replace every hole by an expression";
    WriteDraft "write-draft" "call `write_soil` first";
    FixCall "fix-call" "repeat the call with other arguments";
    EndJob "end-job" "stop; the host goes on";
    FixSpec "fix-spec" "not the agent's: ask, or refuse";
    FixConfig "fix-config" "not the agent's: project files or installation";
    AddDecreases "add-decreases" "state a measure that falls";
    ExportTypeOrMarkAbstract "export-type-or-mark-abstract" "export the type";
}

codes! {
    UnterminatedString "unterminated-string" Soil0 FixSyntax "soil-syntax-spec#1" Error;
    BadEscape "bad-escape" Soil0 FixSyntax "soil-syntax-spec#1" Error;
    EscapeNotScalar "escape-not-scalar" Soil0 FixSyntax "soil-syntax-spec#1" Error;
    StrayCharacter "stray-character" Soil0 FixSyntax "soil-syntax-spec#1" Error;
    ParseExpected "parse-expected" Soil0 FixSyntax "soil-syntax-spec#3" Error;
    DuplicateField "duplicate-field" Soil0 FixSyntax "soil-syntax-spec#3.4" Error;
    MisplacedPrivateDef "misplaced-private-def" Soil0 FixSyntax "soil-syntax-spec#2" Error;
    MultipleDefs "multiple-defs" Soil0 FixSyntax "soil-syntax-spec#2" Error;
    DraftCommentsDropped "draft-comments-dropped" Trellis FixSyntax "soil-syntax-spec#9" Warning;
    NonassocComparison "nonassoc-comparison" Soil0 SplitComparison "soil-syntax-spec#4" Error;
    NameMismatch "name-mismatch" Soil0 RenameBinding "soil-syntax-spec#3.1" Error;
    WildcardInLetRec "wildcard-in-let-rec" Soil0 RenameBinding "soil-syntax-spec#3.3" Error;
    Shadowing "shadowing" Soil0 RenameBinding "soil-syntax-spec#5.1" Error;
    AmbiguousConstructor "ambiguous-constructor" Soil0 QualifyName "soil-syntax-spec#5.9" Error;
    AmbiguousName "ambiguous-name" Soil0 QualifyName "soil-syntax-spec#5.10" Error;
    NeedlessQualification "needless-qualification" Soil0 UnqualifyName "soil-syntax-spec#5.9" Error;
    TypeMismatch "type-mismatch" Soil0 FixType "soil-syntax-spec#5" Error;
    UnknownField "unknown-field" Soil0 FixType "soil-syntax-spec#5" Error;
    UnknownName "unknown-name" Soil0 FixType "soil-syntax-spec#5.10" Error;
    UnknownQualified "unknown-qualified" Soil0 FixType "soil-syntax-spec#5.10" Error;
    PrivateCrossModule "private-cross-module" Soil0 FixType "soil-syntax-spec#5.10" Error;
    UnknownType "unknown-type" Soil0 FixType "soil-syntax-spec#3.2" Error;
    UnknownConstructor "unknown-constructor" Soil0 FixType "soil-syntax-spec#5.9" Error;
    NonDerivable "non-derivable" Soil0 FixType "soil-syntax-spec#5.8" Error;
    DraftSignatureMismatch "draft-signature-mismatch" Trellis FixType "tr-grammar#3.1" Error;
    AnnotationNeeded "annotation-needed" Soil0 AddAnnotation "soil-syntax-spec#5" Error;
    OperatorPolymorphic "operator-polymorphic" Soil0 AddAnnotation "soil-syntax-spec#5.4" Error;
    LiteralOutOfRange "literal-out-of-range" Soil0 FixLiteral "soil-syntax-spec#1" Error;
    EffectViolation "effect-violation" Soil0 ThreadCapability "soil0-cli#8.5" Error;
    NonExhaustiveMatch "non-exhaustive-match" Soil0 WidenMatch "soil-syntax-spec#5.2" Error;
    RedundantArm "redundant-arm" Soil0 RemoveRedundantArm "soil-syntax-spec#5.2" Error;
    MissingRecordRest "missing-record-rest" Soil0 AddRecordRest "soil-syntax-spec#3.4" Error;
    RuntimePanic "runtime-panic" Soil0 InsertGuard "soil0-cli#8.6" Error;
    GuardRequires "guard-requires" Soil0 NarrowDomain "tr-grammar#3.2" Error;
    GuardEnsures "guard-ensures" Soil0 FixBody "tr-grammar#3.2" Error;
    FuelExhausted "fuel-exhausted" Soil0 Simplify "soil0-cli#8.6" Error;
    MemoryExhausted "memory-exhausted" Soil0 Simplify "soil0-cli#8.6" Error;
    DepthExhausted "depth-exhausted" Soil0 Simplify "soil0-cli#8.6" Error;
    LimitExceeded "limit-exceeded" Soil0 Simplify "soil0-cli#8.5" Error;
    UnfilledHole "unfilled-hole" Soil0 FillHole "soil0-cli#8.6" Error;
    NoDraft "no-draft" Trellis WriteDraft "trellis-daemon#3.2" Error;
    Usage "usage" Soil0 FixCall "soil0-cli#1" Error;
    CheckIncomplete "check-incomplete" Trellis FixCall "soil0-cli#8.5" Error;
    UnknownDecision "unknown-decision" Trellis FixCall "trellis-daemon#3.5" Error;
    UnknownSpecRef "unknown-spec-ref" Trellis FixCall "trellis-daemon#7" Error;
    BundlePath "bundle-path" Trellis FixCall "trellis-daemon#3.1" Error;
    BundleNotFound "bundle-not-found" Trellis FixCall "trellis-daemon#3.1" Error;
    QuestionWriteConflict "question-write-conflict" Trellis FixCall "trellis-daemon#8" Error;
    JobNotRunning "job-not-running" Trellis EndJob "trellis-daemon#2" Error;
    JobCapExceeded "job-cap-exceeded" Trellis EndJob "trellis-daemon#2" Error;
    JobInvalidated "job-invalidated" Trellis EndJob "trellis-daemon#4.1" Error;
    JobQuestionOpen "job-question-open" Trellis EndJob "trellis-daemon#8" Error;
    JobStaleQuestion "job-stale-question" Trellis EndJob "trellis-daemon#8" Error;
    TrMissingFrontmatter "tr-missing-frontmatter" Trellis FixSpec "tr-grammar#1" Error;
    TrFrontmatterSyntax "tr-frontmatter-syntax" Trellis FixSpec "tr-grammar#1" Error;
    TrUnknownFrontmatterKey "tr-unknown-frontmatter-key" Trellis FixSpec "tr-grammar#1" Error;
    TrMissingName "tr-missing-name" Trellis FixSpec "tr-grammar#1" Error;
    TrBlockInfo "tr-block-info" Trellis FixSpec "tr-grammar#1" Error;
    TrBlockKind "tr-block-kind" Trellis FixSpec "tr-grammar#1" Error;
    TrBlockCount "tr-block-count" Trellis FixSpec "tr-grammar#1" Error;
    TrNameMismatch "tr-name-mismatch" Trellis FixSpec "tr-grammar#6" Error;
    TrMissingProse "tr-missing-prose" Trellis FixSpec "tr-grammar#6" Error;
    TrMissingTestBlock "tr-missing-test-block" Trellis FixSpec "tr-grammar#6" Error;
    TrDuplicateTestName "tr-duplicate-test-name" Trellis FixSpec "tr-grammar#6" Error;
    TrProjectLocation "tr-project-location" Trellis FixSpec "tr-grammar#6" Error;
    TrUnnamedParams "tr-unnamed-params" Trellis FixSpec "tr-grammar#3.1" Error;
    TrSigSyntax "tr-sig-syntax" Trellis FixSpec "tr-grammar#3.1" Error;
    TrPredicateSyntax "tr-predicate-syntax" Trellis FixSpec "tr-grammar#2.3" Error;
    TrTestSyntax "tr-test-syntax" Trellis FixSpec "tr-grammar#3.3" Error;
    TrPanicWithoutRow "tr-panic-without-row" Trellis FixSpec "tr-grammar#3.3" Error;
    TrPropertySyntax "tr-property-syntax" Trellis FixSpec "tr-grammar#3.4" Error;
    UnsupportedWhereFilter "unsupported-where-filter" Trellis FixSpec "tr-grammar#3.4" Error;
    TestUngenerableType "test-ungenerable-type" Trellis FixSpec "tr-grammar#3.4" Error;
    PropertyRarelyApplies "property-rarely-applies" Trellis FixSpec "tr-grammar#3.4" Warning;
    TrCramSyntax "tr-cram-syntax" Trellis FixSpec "tr-grammar#3.5" Error;
    TrReferenceSyntax "tr-reference-syntax" Trellis FixSpec "tr-grammar#3.6" Error;
    TrAllowUnknown "tr-allow-unknown" Trellis FixSpec "tr-grammar#3.7" Error;
    TrTypeSyntax "tr-type-syntax" Trellis FixSpec "tr-grammar#4.1" Error;
    TrIgnoredDefault "tr-ignored-default" Trellis FixSpec "tr-grammar#4.1" Error;
    UnsupportedInvariantProperty "unsupported-invariant-property" Trellis FixSpec "tr-grammar#4.2" Warning;
    ClauseVacuous "clause-vacuous" Trellis FixSpec "tr-grammar#3.2" Warning;
    TrExportsSyntax "tr-exports-syntax" Trellis FixSpec "tr-grammar#5.1" Error;
    TrDecisionsSyntax "tr-decisions-syntax" Trellis FixSpec "tr-grammar#5.2" Error;
    StateCycle "state-cycle" Trellis FixSpec "design#3.8" Error;
    PreflightContradiction "preflight-contradiction" Trellis FixSpec "design#4.5" Error;
    PreflightVacuousRequires "preflight-vacuous-requires" Trellis FixSpec "design#4.5" Error;
    PreflightCaseOutsideDomain "preflight-case-outside-domain" Trellis FixSpec "design#4.5" Error;
    PreflightTrivialEnsures "preflight-trivial-ensures" Trellis FixSpec "design#4.5" Error;
    PreflightUnexercisedVariant "preflight-unexercised-variant" Trellis FixSpec "design#4.5" Warning;
    Io "io" Soil0 FixConfig "soil0-cli#2" Error;
    Internal "internal" Soil0 FixConfig "soil0-cli#2" Error;
    MalformedInput "malformed-input" Soil0 FixConfig "soil0-cli#1" Error;
    ForwardReference "forward-reference" Soil0 FixConfig "soil0-cli#7" Error;
    Unimplemented "unimplemented" Trellis FixConfig "trellis-daemon#6" Error;
    ConfigNoRoot "config-no-root" Trellis FixConfig "soil-toml#1" Error;
    ConfigIo "config-io" Trellis FixConfig "soil-toml#1" Error;
    ConfigParse "config-parse" Trellis FixConfig "soil-toml#1" Error;
    ConfigUnknownKey "config-unknown-key" Trellis FixConfig "soil-toml#1" Error;
    ConfigBadValue "config-bad-value" Trellis FixConfig "soil-toml#2" Error;
    ToolchainMismatch "toolchain-mismatch" Trellis FixConfig "soil-toml#2.1" Error;
    ConfigReservedSection "config-reserved-section" Trellis FixConfig "soil-toml#3" Error;
    LockMalformed "lock-malformed" Trellis FixConfig "lock-schema#1" Error;
    LockFormat "lock-format" Trellis FixConfig "lock-schema#1" Error;
    LockKindShape "lock-kind-shape" Trellis FixConfig "lock-schema#1" Error;
    LockAcceptedUntested "lock-accepted-untested" Trellis FixConfig "lock-schema#8" Error;
    LockOracleUnaccepted "lock-oracle-unaccepted" Trellis FixConfig "lock-schema#8" Error;
    TrUndeclaredTag "tr-undeclared-tag" Trellis FixConfig "tr-grammar#1" Error;
    BudgetTooSmall "budget-too-small" Trellis FixConfig "trellis-daemon#5" Error;
    OracleError "oracle-error" Trellis FixConfig "tr-grammar#3.6" Error;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_unique_and_read_back() {
        for code in Code::ALL {
            assert_eq!(Code::from_text(code.text()), Some(*code));
        }
        assert_eq!(Code::from_text("no-such-code"), None);
    }
}
