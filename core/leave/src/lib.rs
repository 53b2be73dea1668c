//! The money that may leave an account, in one place (BAL-005, D-47, D-75, D-165, D-181).
//!
//! Internal transfers, moves of custody, payments by a bank, withdrawals, conversions and the balances that clients see all ask
//! [`Leave`], so a figure that is shown is the bound that is checked. The rooms say through [`Rooms`] what they keep in an account:
//! what their products bind, what transfers hold and advance, what is owed. [`Advances`] has the open advances of each group, which
//! orders and conversions read as well.
//!
//! Not here: what orders reserve (the desks), and who may call.
#![no_std]
#![cfg_attr(
    not(test),
    deny(
        clippy::expect_used,
        clippy::unwrap_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unreachable
    )
)]
extern crate alloc;

mod advances;
mod leave;
mod rooms;
mod worth;

pub use advances::{Advances, GIVEN_UP_MAX, LIMIT, Open};
pub use leave::{ALL, Free, Leave, Once, Short};
pub use rooms::{Bound, Rooms};
pub use worth::{DOLLARS, Worth};
