//! Faults on real kernels and disks. The real binary is killed, starved, cut off and damaged while a load records all
//! its answers from outside. After every restart an oracle checks that all of them still hold.
//!
//! Each family of faults has a file ([`kill`], [`calls`], [`power`], [`eio`], [`full`], [`pause`], [`clock`],
//! [`two`], [`damage`], [`rollback`], [`backup`], [`keys`], [`people`], [`withdrawals`], [`offbook`], [`predictions`]); [`unsynced`] tests the
//! sweep itself. [`sweep`] runs the families round by round, each round from its own seed. [`points`] lists the calls that [`calls`]
//! strikes. [`load`], [`memory`] and [`oracle`] are the outside record of facts. [`tools`] finds what this machine lacks; what needs it is skipped by name.
//!
//! Not here: faults of a simulated disk, where every crash state can be enumerated.

pub mod backup;
pub mod base;
pub mod calls;
pub mod clock;
pub mod damage;
pub mod disk;
pub mod draw;
pub mod eio;
pub mod full;
pub mod keys;
pub mod kill;
pub mod lane;
pub mod load;
pub mod memory;
pub mod offbook;
pub mod oracle;
pub mod pause;
pub mod people;
pub mod points;
pub mod power;
pub mod predictions;
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
pub mod withdrawals;
