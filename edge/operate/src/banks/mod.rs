//! What banks do: send money, and settle what was paid or advanced.

pub mod settle;
pub mod wire;
