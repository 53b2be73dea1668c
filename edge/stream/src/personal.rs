//! The topics of accounts: events of orders, and the reports of subjects.

use crate::budget::Budget;
use crate::fast_account;
use crate::frame::{EventText, Frame};
use crate::names::Names;
use crate::orders_v1::{self, Placer};
use crate::post::{First, Readers, ThreadId};
use crate::topic::{AccountFeed, Topic};
use buttonwood_call::{AccountRows, App, Report};
use buttonwood_engine::OrderState;
use buttonwood_model::{AccountId, GroupId};
use buttonwood_num::Money;
use buttonwood_views::{AccountEvent, Happening, PositionPaid, Views};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;

/// Live orders in one array at most: as many as one account may have.
const ORDERS_AT_ONCE: usize = 10_000;

/// Events of one array. A command with more for one stream is a burst.
pub(crate) const EVENTS_AT_ONCE: usize = 100;

/// A topic with its readers.
#[derive(Debug, Default)]
struct Reading {
    readers: Readers,
    /// Whether something has changed that waits for the topic's interval.
    is_waiting: bool,
    /// No frame is sent before this moment.
    next: Option<Instant>,
    /// The rows that its readers know.
    sent: AccountRows,
    /// The money that was paid for positions that ended since, by the numbers of their rows.
    paid: BTreeMap<u64, Money>,
}

impl Reading {
    /// Notes that a reader begins with these rows, while the others may know older ones: those that differ are sent to all.
    fn doubt(&mut self, rows: &AccountRows) {
        let differs = self.sent.iter_mut().filter(|(key, row)| rows.get(key) != Some(row));
        // An empty row equals none.
        let is_older = differs.map(|(_, row)| row.clear()).count() > 0;
        let known = self.sent.len();
        for key in rows.keys() {
            self.sent.entry(*key).or_default();
        }
        self.is_waiting |= is_older || self.sent.len() > known;
    }
}

/// The topics of accounts and groups.
#[derive(Debug, Default)]
pub(crate) struct Personal {
    accounts: HashMap<AccountId, BTreeMap<AccountFeed, Reading>>,
    groups: HashMap<GroupId, Readers>,
    names: Names,
}

impl Personal {
    /// Whether nobody reads any of them.
    pub(crate) fn is_idle(&self) -> bool {
        self.accounts.is_empty() && self.groups.is_empty()
    }

    /// All topics with their readers.
    pub(crate) fn readers(&self) -> impl Iterator<Item = (Topic, &Readers)> {
        let accounts = self.accounts.iter().flat_map(|(account, feeds)| {
            feeds.iter().map(|(feed, reading)| (Topic::Account(*account, *feed), &reading.readers))
        });
        let groups = self.groups.iter();
        accounts.chain(groups.map(|(group, readers)| (Topic::Group(*group), readers)))
    }

    /// Adds a reader of an account, if it is new, and returns its first frames, as of the views.
    pub(crate) fn subscribe(
        &mut self,
        app: &App,
        views: impl Deref<Target = Views>,
        (thread, account, feed): (ThreadId, AccountId, AccountFeed),
        first: First,
        is_new: bool,
    ) -> Vec<Arc<Frame>> {
        let reading = self.accounts.entry(account).or_default().entry(feed).or_default();
        let is_first = reading.readers.is_empty();
        if is_new {
            reading.readers.change(thread, true);
        }
        let report = match feed {
            AccountFeed::Events => return self.initial(app, views, &[account], (first, false)),
            AccountFeed::Orders(_) => return Vec::new(),
            AccountFeed::Report(number, _) => report_at(app, number),
        };
        let Some(report) = report else { return Vec::new() };
        let rows = (report.rows)(app, &views, account);
        if is_first {
            reading.sent.clone_from(&rows);
        } else {
            reading.doubt(&rows);
        }
        let time = views.state().stamp().time;
        drop(views);
        vec![fast_account::report(report, account, time, rows)]
    }

    /// Adds a reader of a group's events, if it is new, and returns its first frames, as of the views.
    pub(crate) fn subscribe_group(
        &mut self,
        app: &App,
        views: impl Deref<Target = Views>,
        (thread, group): (ThreadId, GroupId),
        first: First,
        is_new: bool,
    ) -> Vec<Arc<Frame>> {
        let readers = self.groups.entry(group).or_default();
        if is_new {
            readers.change(thread, true);
        }
        let accounts: Vec<AccountId> = views.state().access().accounts_of(group).map(|(id, _)| id).collect();
        self.initial(app, views, &accounts, (first, true))
    }

    /// Removes a reader of an account.
    pub(crate) fn unsubscribe(&mut self, thread: ThreadId, account: AccountId, feed: AccountFeed) {
        let Some(feeds) = self.accounts.get_mut(&account) else { return };
        let Some(reading) = feeds.get_mut(&feed) else { return };
        reading.readers.change(thread, false);
        if reading.readers.is_empty() {
            feeds.remove(&feed);
        }
        if feeds.is_empty() {
            self.accounts.remove(&account);
        }
    }

    /// Removes a reader of a group's events.
    pub(crate) fn unsubscribe_group(&mut self, thread: ThreadId, group: GroupId) {
        let Some(readers) = self.groups.get_mut(&group) else { return };
        readers.change(thread, false);
        if readers.is_empty() {
            self.groups.remove(&group);
        }
    }

    /// Words what a command did to accounts, and gives the frames to `send`.
    pub(crate) fn tell(
        &mut self,
        (app, budget): (&App, &Arc<Budget>),
        happenings: &[Happening],
        mut send: impl FnMut(Topic, &Readers, Arc<Frame>),
    ) {
        if self.is_idle() {
            return;
        }
        // The views are at least as new as what happened.
        app.current_names();
        self.tell_groups((app, budget), happenings, &mut send);
        let mut told: BTreeMap<AccountId, Vec<&AccountEvent>> = BTreeMap::new();
        for happening in happenings {
            let Some(account) = happening.account().filter(|account| self.accounts.contains_key(account))
            else {
                continue;
            };
            let events = told.entry(account).or_default();
            if let Happening::Order(event) = happening {
                events.push(event);
            } else if let Happening::Paid(paid) = happening {
                self.note_paid(app, paid);
            }
        }
        for (account, events) in told {
            self.tell_account((app, budget), account, &events, &mut send);
        }
    }

    /// Notes what a position was paid, for the readers of the reports that show it.
    fn note_paid(&mut self, app: &App, paid: &PositionPaid) {
        for (feed, reading) in self.accounts.get_mut(&paid.account).into_iter().flatten() {
            let AccountFeed::Report(number, _) = feed else { continue };
            let Some(ended) = report_at(app, *number).and_then(|report| report.ended) else { continue };
            let sum = reading.paid.entry((ended.key)(paid)).or_default();
            *sum = sum.capped_add(paid.payout);
        }
    }

    /// Words the events of groups: those of one command are in arrays of their own, in the order of their ids, of all accounts together.
    fn tell_groups(
        &mut self,
        (app, budget): (&App, &Arc<Budget>),
        happenings: &[Happening],
        send: &mut impl FnMut(Topic, &Readers, Arc<Frame>),
    ) {
        if self.groups.is_empty() {
            return;
        }
        let mut events: BTreeMap<GroupId, Vec<&AccountEvent>> = BTreeMap::new();
        for happening in happenings {
            if let Happening::Order(event) = happening
                && let Some(group) = self.names.group(app, event.account())
                && self.groups.contains_key(&group)
            {
                events.entry(group).or_default().push(event);
            }
        }
        for (group, events) in events {
            let Some(readers) = self.groups.get(&group) else { continue };
            for frame in burst(arrays(app, &mut self.names, &events, true), events.len(), budget) {
                send(Topic::Group(group), readers, frame);
            }
        }
    }

    fn tell_account(
        &mut self,
        (app, budget): (&App, &Arc<Budget>),
        account: AccountId,
        events: &[&AccountEvent],
        send: &mut impl FnMut(Topic, &Readers, Arc<Frame>),
    ) {
        let names = &app.names;
        let Some(feeds) = self.accounts.get_mut(&account) else { return };
        for (feed, reading) in feeds {
            let topic = Topic::Account(account, *feed);
            match feed {
                AccountFeed::Events => {
                    for frame in burst(arrays(app, &mut self.names, events, false), events.len(), budget) {
                        send(topic, &reading.readers, frame);
                    }
                }
                AccountFeed::Orders(session) => {
                    let own =
                        |event: &&&AccountEvent| session.is_none_or(|session| event.session() == session);
                    let frames =
                        events.iter().filter(own).filter_map(|event| fast_account::order(names, event));
                    burst(frames, events.len(), budget)
                        .for_each(|frame| send(topic, &reading.readers, frame));
                }
                AccountFeed::Report(..) => reading.is_waiting = true,
            }
        }
    }

    /// Sends the rows of reports that have changed and whose interval is over, but for topics of which a first frame is held back: its
    /// reader would miss what is newer. Returns when the next are due.
    pub(crate) fn flush(
        &mut self,
        app: &App,
        now: Instant,
        held: &HashSet<Topic>,
        mut send: impl FnMut(Topic, &Readers, Arc<Frame>),
    ) -> Option<Instant> {
        let mut soonest: Option<Instant> = None;
        for (account, feeds) in &mut self.accounts {
            for (feed, reading) in feeds.iter_mut().filter(|(_, reading)| reading.is_waiting) {
                let topic = Topic::Account(*account, *feed);
                if held.contains(&topic) {
                    continue;
                }
                if let Some(next) = reading.next.filter(|next| *next > now) {
                    soonest = Some(soonest.map_or(next, |soonest| soonest.min(next)));
                    continue;
                }
                reading.is_waiting = false;
                let AccountFeed::Report(number, pace) = feed else { continue };
                let Some(report) = report_at(app, *number) else { continue };
                let (rows, time) = {
                    let views = app.exchange.views();
                    ((report.rows)(app, &views, *account), views.state().stamp().time)
                };
                let paid = std::mem::take(&mut reading.paid);
                let changed = changed(app, report, (&reading.sent, &rows), &paid);
                reading.sent = rows;
                if !changed.is_empty() {
                    reading.next = pace.interval().and_then(|interval| now.checked_add(interval));
                    send(topic, &reading.readers, fast_account::report(report, *account, time, changed));
                }
            }
        }
        soonest
    }

    /// The live orders of accounts, unless none are wanted: one array, or several of very many orders. They are copied from the views and
    /// worded once others may write there again.
    fn initial(
        &mut self,
        app: &App,
        views: impl Deref<Target = Views>,
        accounts: &[AccountId],
        (first, is_named): (First, bool),
    ) -> Vec<Arc<Frame>> {
        if first == First::None {
            return Vec::new();
        }
        let names = app.names_as_of(&views);
        let mut live: Vec<OrderState> = Vec::new();
        for account in accounts {
            let floor = views.state().floor();
            let own = floor.orders.of_account(*account).filter(|(_, order)| !order.symbol.is_contract());
            let begin = live.len();
            live.extend(own.map(|(slot, _)| OrderState::live(floor, slot)));
            live.get_mut(begin..).unwrap_or_default().sort_unstable_by_key(|order| order.id);
        }
        drop(views);
        let mut word = |order: &OrderState| {
            let session = self.names.session(app, order.session);
            let account = is_named.then(|| self.names.account_name(app, order.account));
            orders_v1::initial(names, order, Placer { session, account })
        };
        if live.is_empty() {
            return vec![Frame::of_events(Vec::new())];
        }
        live.chunks(ORDERS_AT_ONCE)
            .map(|some| Frame::of_events(some.iter().map(&mut word).collect()))
            .collect()
    }
}

/// The frames of an account's events of the first generation, which has none of contracts.
fn arrays(app: &App, names: &mut Names, events: &[&AccountEvent], is_named: bool) -> Vec<Arc<Frame>> {
    let mut texts = Vec::new();
    for event in events.iter().filter(|event| !event.symbol().is_contract()) {
        let session = names.session(app, event.session());
        let account = is_named.then(|| names.account_name(app, event.account()));
        texts.push(orders_v1::event(&app.names, event, Placer { session, account }));
    }
    in_arrays(&texts).collect()
}

/// Events in arrays, each so short that a client can read it at once.
pub(crate) fn in_arrays(texts: &[Arc<EventText>]) -> impl Iterator<Item = Arc<Frame>> + '_ {
    texts.chunks(EVENTS_AT_ONCE).map(|some| Frame::of_events(some.to_vec()))
}

/// The frames of one command with so many events. Those of a burst count once among the bytes of all queues: a socket's own bound would close
/// it before its client could read any.
fn burst(
    frames: impl IntoIterator<Item = Arc<Frame>>,
    events: usize,
    budget: &Arc<Budget>,
) -> impl Iterator<Item = Arc<Frame>> {
    frames
        .into_iter()
        .map(move |frame| if events > EVENTS_AT_ONCE { Frame::counted(frame, budget) } else { frame })
}

/// The report with a number of the table's.
fn report_at(app: &App, number: u8) -> Option<&'static Report> {
    app.table().reports().get(usize::from(number)).copied()
}

/// The rows that differ from those that were sent; what is no more has its last row, with what was paid for it.
fn changed(
    app: &App,
    report: &Report,
    (sent, now): (&AccountRows, &AccountRows),
    paid: &BTreeMap<u64, Money>,
) -> AccountRows {
    let differs = |(key, row): &(&u64, &Vec<u8>)| sent.get(key) != Some(row);
    let mut changed: AccountRows = now.iter().filter(differs).map(|(key, row)| (*key, row.clone())).collect();
    if let Some(ended) = &report.ended {
        let gone = sent.keys().chain(paid.keys()).filter(|key| !now.contains_key(key));
        let last = |key: &u64| Some((*key, (ended.row)(app, *key, paid.get(key).copied())?));
        changed.extend(gone.filter_map(last));
    }
    changed
}
