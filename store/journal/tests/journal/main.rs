//! The journal's tests, all in one program.

mod archive;
mod cache;
mod damage;
mod full_disk;
mod random;
mod recovery;
mod snapshots;
mod space;
mod support;
