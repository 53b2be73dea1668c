//! The core's tests, all in one program but for that of allocations, which counts with an allocator of its own.

mod approved_groups;
mod auctions;
mod banks;
mod bounds;
mod careful;
mod clearing;
mod connections;
mod feeds;
mod fees;
mod identity;
mod keys;
mod laws;
mod liquidations;
mod operations;
mod oracle;
mod perpetual_figures;
mod perpetuals;
mod predictions;
mod prefetch;
mod refused;
mod replay;
mod rewards;
mod scenarios;
mod spot_margin;
mod stage;
mod staking;
