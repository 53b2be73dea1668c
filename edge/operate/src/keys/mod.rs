//! Keys and sessions: `key add`, `key disable`, `key list` and their like.
//!
//! The secret of a new key is in the vault before the journal names the key. A crash between the two leaves a sealed secret of no
//! key, which nobody can use; the other order could leave a key without a secret. A change reaches the gate after it is durable and
//! before it is answered. A user of a group keeps its keys by page (`own`), in the same way. Where two operators are needed, a new key is
//! disabled until another operator approves it (D-184).

pub mod add;
pub mod change;
mod draw;
pub(crate) mod expiry;
mod keeper;
pub mod list;
mod new_secret;
pub mod nonces;
mod own;
pub mod restrict;
pub mod rotate;
mod row;

pub use keeper::{Keeper, KeeperFault, Sealed};
pub use own::KeyUser;
pub(crate) use restrict::addresses;
pub(crate) use row::{role_names, shown};
