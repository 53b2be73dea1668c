//! For tests that judge the exchange from outside: the words of the wire, without any of the product's code.

mod decimal;

pub use decimal::{Dec, dec};
