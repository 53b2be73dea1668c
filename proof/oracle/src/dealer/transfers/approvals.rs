//! Deposit addresses, and approved ones with their holds.

use super::{Dealer, own};
use crate::worlds::NETS;
use buttonwood_engine::funds::address::{Command as Address, NewAddress};
use buttonwood_engine::funds::approval::{Command as Approval, Request};
use buttonwood_engine::funds::{ApprovalScope, EntryRef};
use buttonwood_engine::{Command, State};
use buttonwood_model::GroupId;
use std::sync::Arc;

/// Addresses outside of the exchange; few, so that they repeat.
const OUTSIDE: u64 = 2;

impl Dealer {
    /// A network, sometimes none that is known.
    pub(super) fn some_network(&mut self) -> String {
        if self.dice.once_in(24) {
            return "nowhere".to_owned();
        }
        let at = self.dice.below(u64::try_from(NETS.len()).unwrap());
        NETS[usize::try_from(at).unwrap()].name.to_owned()
    }

    /// An address outside of the exchange.
    pub(super) fn outside(&mut self) -> String {
        format!("outside {}", self.dice.below(OUTSIDE))
    }

    /// A deposit address, often of a number that was not issued; sometimes with a memo too many or too few.
    pub(super) fn address(&mut self, state: &State) -> Command {
        let (account, network) = (self.some_funder(), self.some_network());
        let fresh = u32::try_from(state.funds().addresses().len()).unwrap() + 1;
        let number = if self.dice.once_in(6) { u32::try_from(self.dice.below(4)).unwrap() } else { fresh };
        let has_memo = (network == "cosmos") != self.dice.once_in(12);
        let text = match self.dice.below(12) {
            0 => "inside 1".to_owned(),
            _ if network == "cosmos" => "inside".to_owned(),
            _ => format!("inside {number}"),
        };
        let new = NewAddress {
            account,
            network,
            number,
            canonical: text.clone(),
            text,
            memo: if has_memo { format!("memo {number}") } else { String::new() },
            label: String::new(),
        };
        self.by_client(state, account, Address::IssueAddress(Arc::new(new)).into())
    }

    /// A list: of an account, or of the first group.
    fn some_list(&mut self, state: &State) -> ApprovalScope {
        let account = self.some_funder();
        let group = state.access().account(account).and_then(|account| account.group);
        match group {
            Some(group) if self.dice.once_in(3) => ApprovalScope::Group(group),
            _ if self.dice.once_in(40) => ApprovalScope::Group(GroupId(99)),
            _ => ApprovalScope::Account(account),
        }
    }

    /// A request, a removal, a decision, a setting, or an end of a hold at any time, by the clock or before it.
    pub(super) fn approval(&mut self, state: &State) -> Command {
        let scope = self.some_list(state);
        let kind = self.dice.below(24);
        let (network, outside) = (self.some_network(), self.outside());
        let listed = state.funds().approvals().of(scope, &network).next().map(|known| known.text.clone());
        // A request is for any address, the rest for one that is listed, if any.
        let canonical = listed.filter(|_| kind >= 13).unwrap_or(outside);
        let entry = EntryRef { scope, network, canonical };
        let account = match scope {
            ApprovalScope::Account(account) => account,
            ApprovalScope::Group(group) => {
                state.access().accounts_of(group).next().map_or(self.keys[0].account, |(first, _)| first)
            }
        };
        match kind {
            0..13 => {
                let text = entry.canonical.clone();
                // Some have a memo, also where there is none.
                let memo = if kind < 6 { "note".to_owned() } else { String::new() };
                let request = Request { entry, text, label: "label".to_owned(), memo };
                self.by_client(state, account, Approval::RequestApproval(Arc::new(request)).into())
            }
            13..15 => self.by_client(state, account, Approval::RemoveApproval(Arc::new(entry)).into()),
            15..20 => own(Approval::DecideApproval(Arc::new(entry), !self.dice.once_in(3)).into()),
            20..22 => {
                let groups = u64::try_from(state.access().groups().len()).unwrap();
                let group = GroupId(u32::try_from(self.dice.below(groups + 1)).unwrap());
                own(Approval::SetMultiUser(group, self.dice.once_in(2)).into())
            }
            22 => own(Approval::EndApprovalHold(Box::new(entry)).into()),
            _ => own(Approval::WaiveApprovalHold(Box::new(entry)).into()),
        }
    }
}
