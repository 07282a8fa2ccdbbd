//! The codes of everything that this face refuses, each with the number that JSON-RPC gives it.

use std::fmt;

/// Why a frame or a call was refused by this face itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum McpCode {
    Parse,
    Utf8,
    Request,
    Batch,
    RequestId,
    AlreadyInitialized,
    IdActive,
    Method,
    Params,
    UnknownTool,
    Arguments,
    Task,
    Cursor,
    ProgressToken,
    RootUnknown,
    RootRequired,
    RootsInvalid,
    PathEscape,
    RootsTimeout,
    ResourceUnknown,
    ResourceGone,
    ProtocolVersion,
    WorkerLaunch,
    WorkerCrash,
    QueueFull,
    NotInitialized,
    FrameTooLarge,
    SessionLimit,
    DrainBounded,
    DrainTimeout,
    ResourceExceeded,
    Cancelled,
}

impl McpCode {
    /// Every code.
    #[cfg(test)]
    pub(crate) const ALL: &'static [Self] = &[
        Self::Parse,
        Self::Utf8,
        Self::Request,
        Self::Batch,
        Self::RequestId,
        Self::AlreadyInitialized,
        Self::IdActive,
        Self::Method,
        Self::Params,
        Self::UnknownTool,
        Self::Arguments,
        Self::Task,
        Self::Cursor,
        Self::ProgressToken,
        Self::RootUnknown,
        Self::RootRequired,
        Self::RootsInvalid,
        Self::PathEscape,
        Self::RootsTimeout,
        Self::ResourceUnknown,
        Self::ResourceGone,
        Self::ProtocolVersion,
        Self::WorkerLaunch,
        Self::WorkerCrash,
        Self::QueueFull,
        Self::NotInitialized,
        Self::FrameTooLarge,
        Self::SessionLimit,
        Self::DrainBounded,
        Self::DrainTimeout,
        Self::ResourceExceeded,
        Self::Cancelled,
    ];

    /// Returns the code as it stands in `error.data.code`.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Parse => "mcp/parse",
            Self::Utf8 => "mcp/utf8",
            Self::Request => "mcp/request",
            Self::Batch => "mcp/batch",
            Self::RequestId => "mcp/request-id",
            Self::AlreadyInitialized => "mcp/already-initialized",
            Self::IdActive => "mcp/id-active",
            Self::Method => "mcp/method",
            Self::Params => "mcp/params",
            Self::UnknownTool => "mcp/unknown-tool",
            Self::Arguments => "mcp/arguments",
            Self::Task => "mcp/task",
            Self::Cursor => "mcp/cursor",
            Self::ProgressToken => "mcp/progress-token",
            Self::RootUnknown => "mcp/root-unknown",
            Self::RootRequired => "mcp/root-required",
            Self::RootsInvalid => "mcp/roots-invalid",
            Self::PathEscape => "mcp/path-escape",
            Self::RootsTimeout => "mcp/roots-timeout",
            Self::ResourceUnknown => "mcp/resource-unknown",
            Self::ResourceGone => "mcp/resource-gone",
            Self::ProtocolVersion => "mcp/protocol-version",
            Self::WorkerLaunch => "mcp/worker-launch",
            Self::WorkerCrash => "mcp/worker-crash",
            Self::QueueFull => "mcp/queue-full",
            Self::NotInitialized => "mcp/not-initialized",
            Self::FrameTooLarge => "mcp/frame-too-large",
            Self::SessionLimit => "mcp/session-limit",
            Self::DrainBounded => "mcp/drain-bounded",
            Self::DrainTimeout => "mcp/drain-timeout",
            Self::ResourceExceeded => "mcp/resource-exceeded",
            Self::Cancelled => "mcp/cancelled",
        }
    }

    /// Returns the number of the JSON-RPC error.
    pub(crate) const fn number(self) -> i64 {
        match self {
            Self::Parse | Self::Utf8 => -32700,
            Self::Request
            | Self::Batch
            | Self::RequestId
            | Self::AlreadyInitialized
            | Self::IdActive => -32600,
            Self::Method => -32601,
            Self::Params
            | Self::UnknownTool
            | Self::Arguments
            | Self::Task
            | Self::Cursor
            | Self::ProgressToken
            | Self::RootUnknown
            | Self::RootRequired
            | Self::RootsInvalid
            | Self::PathEscape => -32602,
            Self::WorkerLaunch | Self::WorkerCrash => -32603,
            Self::QueueFull => -32000,
            Self::RootsTimeout => -32001,
            Self::NotInitialized | Self::ResourceUnknown | Self::ResourceGone => -32002,
            Self::FrameTooLarge => -32003,
            Self::SessionLimit => -32004,
            Self::DrainBounded => -32005,
            Self::DrainTimeout => -32006,
            Self::ResourceExceeded => -32007,
            Self::ProtocolVersion => -32022,
            Self::Cancelled => -32800,
        }
    }

    /// Returns whether the cause passes by itself, so that the same request may be sent again.
    pub(crate) const fn is_retryable(self) -> bool {
        matches!(self, Self::QueueFull | Self::RootsTimeout)
    }
}

impl fmt::Display for McpCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::McpCode;

    #[test]
    fn every_code_is_in_the_catalogue_and_passes_by_itself_where_that_says_so() {
        for code in McpCode::ALL {
            let text = code.as_str();
            let known: lonis::diagnostics::Code = text.parse().expect(text);
            let entry = lonis::diagnostics::entries()
                .iter()
                .find(|entry| entry.code == known)
                .expect("each code has an entry");
            assert_eq!(entry.is_retryable, code.is_retryable(), "{code}");
        }
    }

    #[test]
    fn every_code_has_its_own_name_and_a_number_of_json_rpc() {
        let names: BTreeSet<&str> = McpCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(names.len(), McpCode::ALL.len());
        for code in McpCode::ALL {
            assert!(code.as_str().starts_with("mcp/"), "{code}");
            let number = code.number();
            let is_known = (-32_700..=-32_600).contains(&number)
                || (-32_099..=-32_000).contains(&number)
                || number == -32_800;
            assert!(is_known, "{code} is {number}");
        }
    }
}
