//! The acts of banks: they send money, and settle payments and advances.

pub(crate) mod limit;
pub mod settle;
pub mod wire;
