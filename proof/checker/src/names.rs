//! The placement of each order id, collected from all replies before the search. This finds ids that were given
//! twice, and ids of orders that no client sent, for any order of events.

use std::collections::{BTreeMap, HashMap};

use crate::lost;
use crate::operation::{History, Operation, Request};
use crate::reply::Reply;

/// Why a history is not searched.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// No order of events explains it; the reason.
    Illegal(String),
    /// It lacks data that the search needs.
    Unfit(String),
}

/// Ids of orders and the placements they belong to.
#[derive(Debug, Default)]
pub(crate) struct Names {
    placements: BTreeMap<u64, usize>,
    ids: HashMap<usize, u64>,
    /// When an order whose own reply was lost was first shown.
    shown: HashMap<usize, u64>,
}

/// A mention of an order in a reply: its id, the client order id if shown, and the operation.
struct Mention<'h> {
    id: u64,
    client_id: Option<&'h str>,
    at: usize,
}

impl Names {
    /// Collects the mentions of all replies.
    pub(crate) fn gather(history: &History) -> Result<Self, Trouble> {
        let mut names = Self::default();
        for (at, operation) in history.operations.iter().enumerate() {
            if let (Request::Place(_), Some((_, Reply::Order(order)))) =
                (&operation.request, &operation.answer)
            {
                names.bind(order.id, at)?;
            }
        }
        let lost = lost(history)?;
        let mentions: Vec<_> = (0..).zip(&history.operations).flat_map(mentions).collect();
        for mention in &mentions {
            if let Some(client_id) = mention.client_id
                && !names.placements.contains_key(&mention.id)
                && let Some(at) = lost.get(&(account(history, mention.at), client_id))
            {
                names.bind(mention.id, *at)?;
            }
        }
        for mention in &mentions {
            names.judge(history, &lost, mention)?;
        }
        Ok(names)
    }

    /// Ids for placements without a reply yet, in the order in which they will happen.
    #[cfg(test)]
    pub(crate) fn made<'a>(placements: impl Iterator<Item = &'a usize>) -> Self {
        let mut names = Self::default();
        for (id, at) in (1000..).zip(placements) {
            names.bind(id, *at).expect("each has an id of its own");
        }
        names
    }

    /// The id of the order that an operation placed, if a reply contains it.
    pub(crate) fn id(&self, at: usize) -> Option<u64> {
        self.ids.get(&at).copied()
    }

    /// The operation that placed an order.
    pub(crate) fn placement(&self, id: u64) -> Option<usize> {
        self.placements.get(&id).copied()
    }

    /// All placements with an id, sorted by id.
    pub(crate) fn by_id(&self) -> impl Iterator<Item = usize> {
        self.placements.values().copied()
    }

    /// When a lost order was first shown.
    pub(crate) fn shown(&self, at: usize) -> Option<u64> {
        self.shown.get(&at).copied()
    }

    fn bind(&mut self, id: u64, at: usize) -> Result<(), Trouble> {
        if let Some(other) = self.placements.insert(id, at) {
            return Err(Trouble::Illegal(format!(
                "order id {id} is given to two orders: #{other} and #{at}"
            )));
        }
        match self.ids.insert(at, id) {
            None => Ok(()),
            Some(other) => {
                Err(Trouble::Illegal(format!("#{at} placed one order, but it is shown as {other} and {id}")))
            }
        }
    }

    fn judge(
        &mut self,
        history: &History,
        lost: &HashMap<(&str, &str), usize>,
        mention: &Mention<'_>,
    ) -> Result<(), Trouble> {
        let Mention { id, at, .. } = *mention;
        let owner = account(history, at);
        match self.placement(id) {
            Some(placement) if account(history, placement) != owner => Err(Trouble::Illegal(format!(
                "#{at} shows order {id} of another account, placed by #{placement}"
            ))),
            Some(placement) => {
                if let Some((responded, _)) = history.operations.get(at).and_then(|seen| seen.answer.as_ref())
                {
                    let first = self.shown.entry(placement).or_insert(*responded);
                    *first = (*first).min(*responded);
                }
                Ok(())
            }
            None if mention.client_id.is_none()
                && lost.iter().any(|((account, _), at)| *account == owner && self.id(*at).is_none()) =>
            {
                Err(Trouble::Unfit(format!(
                    "#{at} names order {id}, perhaps one of those whose answers were lost: ask for their status by \
                     client id"
                )))
            }
            None => Err(Trouble::Illegal(format!("#{at} shows order {id}, which nobody has placed"))),
        }
    }
}

/// Placements without a reply that may have happened, by account and client id.
fn lost(history: &History) -> Result<HashMap<(&str, &str), usize>, Trouble> {
    let mut uses: HashMap<(&str, &str), u32> = HashMap::new();
    let mut lost = HashMap::new();
    for (at, operation) in history.operations.iter().enumerate() {
        let Request::Place(place) = &operation.request else { continue };
        let name = place.client_id.as_deref().map(|client_id| (account(history, at), client_id));
        if let Some(name) = name {
            *uses.entry(name).or_default() += 1;
        }
        match name {
            _ if operation.answer.is_some() => {}
            Some(_) if lost::is_denied(history, at) => {}
            Some(name) => {
                lost.insert(name, at);
            }
            None => {
                return Err(Trouble::Unfit(format!(
                    "#{at} has neither an answer nor a client id to know it by"
                )));
            }
        }
    }
    match lost.iter().find(|(name, _)| uses.get(*name) != Some(&1)) {
        None => Ok(lost),
        Some((_, at)) => Err(Trouble::Unfit(format!("#{at} has no answer and shares its client id"))),
    }
}

/// The account an operation acts for; empty for a public call.
pub(crate) fn account(history: &History, at: usize) -> &str {
    let key = history.operations.get(at).and_then(|operation| operation.key.as_ref());
    key.and_then(|key| history.world.keys.get(key)).map_or("", String::as_str)
}

fn mentions((at, operation): (usize, &Operation)) -> Vec<Mention<'_>> {
    let mention = |id, client_id| Mention { id, client_id, at };
    match operation.answer.as_ref().map(|(_, reply)| reply) {
        Some(Reply::Order(order)) => vec![mention(order.id, order.client_id.as_deref())],
        Some(Reply::Orders(orders)) => {
            orders.iter().map(|order| mention(order.id, order.client_id.as_deref())).collect()
        }
        Some(Reply::Trades(trades)) => {
            trades.iter().map(|trade| mention(trade.order, trade.client_id.as_deref())).collect()
        }
        Some(Reply::Cancelled(ids)) => ids.iter().map(|id| mention(*id, None)).collect(),
        Some(Reply::Balances(_) | Reply::Book(..) | Reply::Changed | Reply::Refused(..)) | None => Vec::new(),
    }
}
