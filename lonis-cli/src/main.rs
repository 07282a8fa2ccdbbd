//! Entry point.

#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the command line names it once there is one")
)]
mod conform;

fn main() {}
