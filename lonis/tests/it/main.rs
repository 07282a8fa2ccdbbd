//! The derives, as users of the facade meet them.

mod capabilities;
mod dependents;
mod examples;
mod payload;
mod rules;
mod ui;
