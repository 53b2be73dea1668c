//! The checker is itself checked: legal histories told by hand and made at random are explained, and each way of lying
//! to a client is noticed.

mod illegal;
mod legal;
mod random;
mod told;
