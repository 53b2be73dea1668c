//! What banks do: send money, and settle what was paid or advanced.

pub(crate) mod limit;
pub mod settle;
pub mod wire;
