//! The token that ends questions, made when the first one is asked.

use std::fmt;
use std::sync::Arc;

use crate::process::CancelToken;

/// What gives the token of a question; it is called only where a program is about to be started.
#[derive(Clone)]
pub(crate) struct TokenSource(Arc<dyn Fn() -> CancelToken + Send + Sync>);

impl TokenSource {
    /// A source that makes its token on demand.
    pub(crate) fn new(make: impl Fn() -> CancelToken + Send + Sync + 'static) -> Self {
        Self(Arc::new(make))
    }

    /// A source of a token that is there already.
    pub(crate) fn of(token: CancelToken) -> Self {
        Self::new(move || token.clone())
    }

    /// Returns the token.
    pub(crate) fn token(&self) -> CancelToken {
        (self.0)()
    }
}

impl fmt::Debug for TokenSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TokenSource")
            .finish_non_exhaustive()
    }
}
