//! Faults on real kernels and disks: the real binary is killed, starved, cut off and damaged while a load records from
//! outside what it was told, and an oracle asks after every restart whether all of that is still so.
//!
//! One file a family of faults ([`kill`], [`calls`], [`power`], [`eio`], [`full`], [`pause`], [`clock`], [`two`],
//! [`damage`], [`rollback`]), and [`unsynced`], by which the sweep is put to the test itself; [`sweep`] runs them round
//! by round, each from its own seed. [`points`] are the calls that [`calls`] strikes. [`load`], [`memory`] and [`oracle`] are the outside ledger of facts. [`tools`] says
//! what this machine lacks, and what is therefore skipped by name.
//!
//! Not here: faults of a simulated disk, where every crash state can be enumerated.

pub mod base;
pub mod calls;
pub mod clock;
pub mod damage;
pub mod disk;
pub mod draw;
pub mod eio;
pub mod full;
pub mod kill;
pub mod lane;
pub mod load;
pub mod memory;
pub mod oracle;
pub mod pause;
pub mod points;
pub mod power;
pub mod record;
pub mod rollback;
pub mod round;
pub mod settings;
pub mod sweep;
pub mod tools;
pub mod trace;
pub mod two;
pub mod unsynced;
pub mod volume;
