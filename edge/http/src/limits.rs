//! The limits of every connection.

use std::time::Duration;

/// Bytes of a request's head at most.
pub(crate) const HEAD_MAX: usize = 40 * 1024;
/// Header fields at most.
pub(crate) const FIELDS_MAX: usize = 64;
/// Bytes of a body at most (D-03).
pub(crate) const BODY_MAX: usize = 64 * 1024;
/// How long a body may take.
pub(crate) const BODY_WAIT: Duration = Duration::from_secs(10);
