//! The client ids of requests that move money: one space of ids for each account, across all products, for
//! ever (D-78, D-104).
//!
//! A client that got no reply sends its request again under the same id. The room that took the request compares the terms and gives the
//! same reply; the same id with other terms, or with another kind of request, is refused.

use crate::Access;
use alloc::string::String;
use buttonwood_model::AccountId;
use serde::{Deserialize, Serialize};

/// The request that a client id stands for, by its number in the room that took it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// A transfer, by its `eid`.
    Transfer(u64),
    /// A clearing order.
    Clearing(u64),
    /// A stake.
    Stake(u64),
    /// A request to redeem a stake.
    Unstake(u64),
}

impl Access {
    /// The request that an account's client id stands for; none for an id that was not used, and for the empty one.
    pub fn client_id(&self, account: AccountId, id: &str) -> Option<Request> {
        if id.is_empty() {
            return None;
        }
        self.client_ids.get(&(account, String::from(id))).copied()
    }

    /// Notes that an account's client id stands for a request from now on. The empty id stands for none.
    pub fn use_client_id(&mut self, account: AccountId, id: &str, request: Request) {
        if !id.is_empty() {
            self.client_ids.entry((account, String::from(id))).or_insert(request);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_stands_for_one_request_of_one_account() {
        let (one, other) = (AccountId(3), AccountId(4));
        let mut access = Access::default();
        access.use_client_id(one, "mine", Request::Transfer(7));
        access.use_client_id(one, "mine", Request::Stake(8));
        access.use_client_id(one, "", Request::Clearing(9));
        assert_eq!(access.client_id(one, "mine"), Some(Request::Transfer(7)));
        assert_eq!([access.client_id(other, "mine"), access.client_id(one, "")], [None, None]);
    }
}
