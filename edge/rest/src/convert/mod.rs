//! Conversions with the house: wraps and instant orders.

pub(crate) mod execute;
pub(crate) mod quote;
pub(crate) mod wrap;

/// The text in a refusal for a field that is absent.
const MISSING: &str = "(missing)";
