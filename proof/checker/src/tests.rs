//! Tests of the checker itself: it explains legal histories, written by hand and generated, and notices every kind of
//! wrong reply.

mod illegal;
mod keys;
mod legal;
mod random;
mod told;
