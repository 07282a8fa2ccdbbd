//! The codes of the catalog as an enum, so that a code which the catalog does not hold cannot be emitted.

include!("generated/codes.in");
