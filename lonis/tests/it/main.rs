//! The facade and its derives, as users meet them.

mod api;
mod capabilities;
mod dependents;
mod examples;
mod payload;
mod rules;
mod ui;
