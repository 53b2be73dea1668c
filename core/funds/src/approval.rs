//! Approved addresses: where an account may send its money, and the hold of each new entry (ADDR-008 to ADDR-019).

#[cfg(test)]
mod tests;

use crate::{Funds, Made, Sender};
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use buttonwood_access::Owner;
use buttonwood_model::{
    AccountId, BytesRef, Day, Due, GroupId, Outbox, Phase, Right, Role, Roles, Scope, Scopes, Time, commands,
    named,
};
use buttonwood_room::{Context, ContextMut};
use serde::{Deserialize, Serialize};

/// How long an entry waits after its request, in microseconds: 7 days (ADDR-010).
pub const HOLD: u64 = 7 * Day::MICROS;

/// Whose list an entry is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ApprovalScope {
    /// An account's own.
    Account(AccountId),
    /// That of a group, for all its accounts.
    Group(GroupId),
}

impl ApprovalScope {
    /// Its name on the wire (ADDR-012).
    pub const fn name(self) -> &'static str {
        match self {
            Self::Account(_) => "account",
            Self::Group(_) => "group",
        }
    }
}

/// An entry of a list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EntryRef {
    /// Whose list.
    pub scope: ApprovalScope,
    /// The name of the network, one with addresses of its own.
    pub network: String,
    /// The address in canonical spelling (D-71).
    pub canonical: String,
}

/// How far an entry has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Standing {
    /// Another user of the group must approve it first (ADDR-018).
    PendingMua,
    /// The hold of 7 days runs.
    PendingTime,
    /// It may be paid.
    Active,
}

impl Standing {
    /// Its name on the wire (ADDR-013).
    pub const fn name(self) -> &'static str {
        match self {
            Self::PendingMua => "pending-mua",
            Self::PendingTime => "pending-time",
            Self::Active => "active",
        }
    }
}

/// An approved address, or one that will be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approved {
    /// How many requests were made before it, in the whole exchange.
    pub number: u32,
    /// The address, as shown.
    pub text: String,
    /// The customer's name for it.
    pub label: String,
    /// The memo that it was requested with; empty without one. It is part of the entry where the network carries memos (D-172).
    pub memo: String,
    /// When it was requested.
    pub requested: Time,
    /// How far it has come.
    pub standing: Standing,
}

/// Every list of approved addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approvals {
    entries: BTreeMap<EntryRef, Approved>,
    /// The ends of holds.
    holds: BTreeSet<(Time, EntryRef)>,
    /// Those who ever requested an entry: they have a list for ever (D-70).
    lists: BTreeSet<ApprovalScope>,
    /// Groups whose requests another user must approve.
    multi_user: BTreeSet<GroupId>,
    /// How many requests were made.
    requests: u32,
}

impl Approvals {
    /// An entry.
    pub fn get(&self, entry: &EntryRef) -> Option<&Approved> {
        self.entries.get(entry)
    }

    /// The entries of a list on a network, by address.
    pub fn of<'a>(
        &'a self,
        scope: ApprovalScope,
        network: &'a str,
    ) -> impl Iterator<Item = &'a Approved> + 'a {
        let first = EntryRef { scope, network: network.into(), canonical: String::new() };
        let entries = self.entries.range(first..);
        let own = entries.take_while(move |(entry, _)| entry.scope == scope && entry.network == network);
        own.map(|(_, approved)| approved)
    }

    /// Whether a list has as many entries as it may have, over all networks; those that wait count too (D-185).
    fn is_full(&self, scope: ApprovalScope, most: u32) -> bool {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let first = EntryRef { scope, network: String::new(), canonical: String::new() };
        self.entries.range(first..).take_while(|(entry, _)| entry.scope == scope).take(most).count() == most
    }

    /// Whether requests of the group need another user's approval.
    pub fn is_multi_user(&self, group: GroupId) -> bool {
        self.multi_user.contains(&group)
    }
}

impl Funds {
    /// Whether the account or its group ever requested the approval of an address, on any network (D-70).
    pub fn has_list(&self, account: AccountId, group: GroupId) -> bool {
        let lists = &self.approvals.lists;
        lists.contains(&ApprovalScope::Account(account)) || lists.contains(&ApprovalScope::Group(group))
    }

    /// The memos that an address may be paid with, by the active entries of the lists that serve the account: its own first, then its
    /// group's. A network with a parent uses the parent's lists (D-63). An empty memo stands for none; a network that carries none has
    /// only that one (D-172).
    pub fn approved_memos(
        &self,
        account: AccountId,
        group: GroupId,
        network: &str,
        canonical: &str,
    ) -> impl Iterator<Item = &str> {
        let serving = self.networks.serving(network).map(|(_, serving)| serving);
        let memo = |scope| {
            let (network, canonical) = (serving?.name.clone(), canonical.into());
            let approved = self.approvals.get(&EntryRef { scope, network, canonical })?;
            let memo = if serving?.carries_memos() { approved.memo.as_str() } else { "" };
            (approved.standing == Standing::Active).then_some(memo)
        };
        [memo(ApprovalScope::Account(account)), memo(ApprovalScope::Group(group))].into_iter().flatten()
    }
}

/// A command of this module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Request the approval of an address.
    RequestApproval(Arc<Request>),
    /// Remove an address from a list.
    RemoveApproval(Arc<EntryRef>),
    /// Approve or reject, as another user of a multi-user group does.
    DecideApproval(Arc<EntryRef>, bool),
    /// Set whether requests of a group need another user's approval.
    SetMultiUser(GroupId, bool),
    /// The hold of an entry is over.
    EndApprovalHold(Box<EntryRef>),
    /// End the hold of an entry before its time: a control call of a sandbox, which no operator of a venue can make (D-298).
    WaiveApprovalHold(Box<EntryRef>),
}

// A removal reduces risk: fewer addresses may be paid.
commands!(Command, "funds", {
    RequestApproval { 0: request } = "request_approval" 1: client(Self::RIGHT) neither,
    RemoveApproval { 0: entry } = "remove_approval" 1: client(Self::RIGHT) reduces,
    DecideApproval { 0: entry, 1: approve } = "decide_approval" 1: exchange neither,
    SetMultiUser { 0: group, 1: on } = "set_multi_user" 1: exchange neither,
    EndApprovalHold { 0: entry } = "end_approval_hold" 1: exchange neither,
    WaiveApprovalHold { 0: entry } = "waive_approval_hold" 1: exchange neither,
});

impl Command {
    /// The rights that a key needs to request and remove entries (ADDR-008, ADDR-016).
    pub const RIGHT: Right =
        Right { roles: Roles::of(&[Role::FundManager]), scopes: Scopes::of(&[Scope::AddressesCreate]) };
}

/// A request for the approval of an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The entry.
    pub entry: EntryRef,
    /// The address, as shown.
    pub text: String,
    /// The customer's name for it.
    pub label: String,
    /// The memo; empty without one.
    pub memo: String,
}

/// An event of this module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// An entry was requested; it starts with this standing.
    ApprovalRequested(Request, Standing),
    /// An entry moved to this standing.
    ApprovalMoved(EntryRef, Standing),
    /// An entry was removed or rejected.
    ApprovalRemoved(EntryRef),
    /// A group became or ceased to be one with several users.
    MultiUserSet(GroupId, bool),
}

named!(Event, "funds", {
    ApprovalRequested { 0: request, 1: standing } = "approval_requested" 1,
    ApprovalMoved { 0: entry, 1: standing } = "approval_moved" 1,
    ApprovalRemoved { 0: entry } = "approval_removed" 1,
    MultiUserSet { 0: group, 1: on } = "multi_user_set" 1,
});

/// Why a command of this module is refused. The variants are in the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// The list is not the caller's, or there is no such account or group.
    Foreign,
    /// The account is closed.
    Closed,
    /// No network has this name, or it uses the lists of another (D-63).
    NoNetwork,
    /// The list has the address already.
    Duplicate,
    /// The list has this many entries, the most that it may have (D-185).
    Full(u32),
    /// The list does not have the address.
    NotListed,
    /// Another user must approve the entry first, so it cannot be removed (ADDR-017).
    AwaitsUser,
    /// No other user needs to approve the entry any more.
    Decided,
    /// The hold is not over.
    NotDue,
    /// The entry is active already: it has no hold.
    NoHold,
}

/// Decides a command.
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Funds>,
    sender: Sender<'_>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<Made, Reject> {
    out.push_named(&crate::Infrequent::from(event_of(context, sender, command)?));
    Ok(Made::Nothing)
}

/// The event of a command.
fn event_of(context: &Context<'_, Funds>, sender: Sender<'_>, command: &Command) -> Result<Event, Reject> {
    Ok(match command {
        Command::RequestApproval(request) => decide_request(context, sender, request)?,
        Command::RemoveApproval(entry) => {
            check_owner(context, sender, entry.scope)?;
            match standing(context, entry)? {
                Standing::PendingMua => return Err(Reject::AwaitsUser),
                Standing::PendingTime | Standing::Active => Event::ApprovalRemoved(EntryRef::clone(entry)),
            }
        }
        Command::DecideApproval(entry, approve) => {
            check_owner(context, own(sender)?, entry.scope)?;
            decide_pending(context, entry, *approve)?
        }
        Command::SetMultiUser(group, on) => {
            check_owner(context, own(sender)?, ApprovalScope::Group(*group))?;
            Event::MultiUserSet(*group, *on)
        }
        Command::EndApprovalHold(entry) => {
            own(sender)?;
            let approved = context.room.approvals().get(entry).ok_or(Reject::NotListed)?;
            if approved.standing != Standing::PendingTime || context.time < approved.requested.plus(HOLD) {
                return Err(Reject::NotDue);
            }
            Event::ApprovalMoved(EntryRef::clone(entry), Standing::Active)
        }
        Command::WaiveApprovalHold(entry) => {
            check_owner(context, own(sender)?, entry.scope)?;
            match standing(context, entry)? {
                Standing::PendingMua => return Err(Reject::AwaitsUser),
                Standing::Active => return Err(Reject::NoHold),
                Standing::PendingTime => Event::ApprovalMoved(EntryRef::clone(entry), Standing::Active),
            }
        }
    })
}

/// The sender, if no key sends the command.
fn own(sender: Sender<'_>) -> Result<Sender<'_>, Reject> {
    match sender {
        Sender::Exchange => Ok(sender),
        Sender::Key(_) => Err(Reject::Foreign),
    }
}

/// A master key acts on its group's list and on those of the group's accounts, any other key on its account's (ADDR-015).
fn check_owner(context: &Context<'_, Funds>, sender: Sender<'_>, scope: ApprovalScope) -> Result<(), Reject> {
    let exists = match scope {
        ApprovalScope::Account(account) => context.account(account).is_some(),
        ApprovalScope::Group(group) => context.access.group(group).is_some(),
    };
    let owner = match sender {
        Sender::Exchange => return if exists { Ok(()) } else { Err(Reject::Foreign) },
        Sender::Key(caller) => context.access.rights_of(caller.session).map(|(owner, _)| owner),
    };
    let is_own = match (scope, owner) {
        (ApprovalScope::Account(account), Some(owner)) => context.access.owns(owner, account),
        (ApprovalScope::Group(group), Some(Owner::Group(own))) => group == own,
        (ApprovalScope::Group(_), Some(Owner::Account(_))) | (_, None) => false,
    };
    if exists && is_own { Ok(()) } else { Err(Reject::Foreign) }
}

fn decide_request(
    context: &Context<'_, Funds>,
    sender: Sender<'_>,
    request: &Request,
) -> Result<Event, Reject> {
    let entry = &request.entry;
    check_owner(context, sender, entry.scope)?;
    let group = match entry.scope {
        ApprovalScope::Account(account) if context.access.is_closed(account) => return Err(Reject::Closed),
        ApprovalScope::Account(account) => context.account(account).and_then(|account| account.group),
        ApprovalScope::Group(group) => Some(group),
    };
    let network = context.room.networks().find(&entry.network).map(|(_, network)| network);
    if !network.is_some_and(|network| network.parent.is_empty()) {
        return Err(Reject::NoNetwork);
    }
    let approvals = context.room.approvals();
    if approvals.get(entry).is_some() {
        return Err(Reject::Duplicate);
    }
    let most = context.room.limits().approved_addresses;
    if approvals.is_full(entry.scope, most) {
        return Err(Reject::Full(most));
    }
    let waits = group.is_some_and(|group| approvals.is_multi_user(group));
    let standing = if waits { Standing::PendingMua } else { Standing::PendingTime };
    Ok(Event::ApprovalRequested(request.clone(), standing))
}

/// Another user approves or rejects. The hold counts from the request (ADDR-018).
fn decide_pending(context: &Context<'_, Funds>, entry: &EntryRef, approve: bool) -> Result<Event, Reject> {
    let approved = context.room.approvals().get(entry).ok_or(Reject::NotListed)?;
    match approved.standing {
        // Without a user who must decide, a rejection is a removal by an operator.
        Standing::PendingMua | Standing::PendingTime | Standing::Active if !approve => {
            Ok(Event::ApprovalRemoved(entry.clone()))
        }
        Standing::PendingTime | Standing::Active => Err(Reject::Decided),
        Standing::PendingMua => {
            let is_over = context.time >= approved.requested.plus(HOLD);
            let standing = if is_over { Standing::Active } else { Standing::PendingTime };
            Ok(Event::ApprovalMoved(entry.clone(), standing))
        }
    }
}

fn standing(context: &Context<'_, Funds>, entry: &EntryRef) -> Result<Standing, Reject> {
    context.room.approvals().get(entry).map(|approved| approved.standing).ok_or(Reject::NotListed)
}

/// The next hold that ends.
pub(crate) fn next_due(funds: &Funds) -> Option<Due<Command>> {
    let (time, entry) = funds.approvals.holds.first()?;
    let command = Command::EndApprovalHold(Box::new(entry.clone()));
    Some(Due::step(*time, Phase::Transfers, command))
}

/// Applies an event.
pub(crate) fn evolve(books: &mut ContextMut<'_, Funds>, event: Event) {
    let approvals = &mut books.room.approvals;
    match event {
        Event::ApprovalRequested(Request { entry, text, label, memo }, standing) => {
            let number = approvals.requests;
            approvals.requests = number.saturating_add(1);
            approvals.lists.insert(entry.scope);
            let approved = Approved { number, text, label, memo, requested: books.time, standing };
            approvals.hold(&entry, &approved);
            approvals.entries.insert(entry, approved);
        }
        Event::ApprovalMoved(entry, standing) => {
            let approved = approvals.entries.get_mut(&entry).expect("the decision found the entry");
            approved.standing = standing;
            let approved = approved.clone();
            approvals.hold(&entry, &approved);
        }
        Event::ApprovalRemoved(entry) => {
            let removed = approvals.entries.remove(&entry).expect("the decision found the entry");
            approvals.holds.remove(&(removed.requested.plus(HOLD), entry));
        }
        Event::MultiUserSet(group, true) => {
            approvals.multi_user.insert(group);
        }
        Event::MultiUserSet(group, false) => {
            approvals.multi_user.remove(&group);
        }
    }
}

impl Approvals {
    /// Notes the end of an entry's hold, while one runs.
    fn hold(&mut self, entry: &EntryRef, approved: &Approved) {
        let end = (approved.requested.plus(HOLD), entry.clone());
        match approved.standing {
            Standing::PendingTime => self.holds.insert(end),
            Standing::PendingMua | Standing::Active => self.holds.remove(&end),
        };
    }
}
