//! What may leave an account, in one place (BAL-005, D-47, D-75, D-165).
//!
//! Internal transfers, moves of custody, payments by a bank, withdrawals, conversions and the balances that clients see all ask
//! [`Leave`], so a figure that is shown is the bound that is checked. The rooms say through [`Rooms`] what they keep in an account:
//! what their products bind, what transfers hold and advance, what is owed.
//!
//! Not here: what orders reserve (the desks), and who may call.
#![no_std]
extern crate alloc;

mod leave;
mod rooms;

pub use leave::{Leave, Short};
pub use rooms::{Bound, Rooms};
