//! The sandbox's market: prices, quotes and trades as functions of the seed and of time.

pub(crate) mod asset;
pub(crate) mod flow;
pub(crate) mod ladder;
pub(crate) mod latent;
pub(crate) mod noise;
pub(crate) mod quotes;
pub(crate) mod schedule;
#[cfg(test)]
mod statistics;
pub(crate) mod walk;
