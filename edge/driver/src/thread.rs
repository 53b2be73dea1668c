//! The thread.

use crate::call::{Answered, Chains, Failed, Job, Work};
use crate::desk::{Desk, Halt, Wallets};
use crate::host::Threads;
use crate::link::{Link, Stop};
use crate::payments::may_go;
use buttonwood_custody::NETWORKS;
use buttonwood_engine::funds::withdrawal::Remedy;
use buttonwood_engine::{Eid, TransferStatus};
use buttonwood_model::CurrencyId;
use buttonwood_num::Money;
use buttonwood_sequencer::{AbortOnPanic, Exchange};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the state is asked for new withdrawals.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Time between two blocks while something waits, where the clock is real.
const BLOCK_EVERY: Duration = Duration::from_secs(3);

/// Time between two looks at the real nodes, whatever the exchange's clock is.
const POLL_EVERY: Duration = Duration::from_secs(1);

/// Time before a network that could not go on is opened again.
const REOPEN_AFTER: Duration = Duration::from_secs(1);

/// The thread that connects the simulated chains with the exchange. It ends when this is dropped, before the exchange stops.
#[derive(Debug)]
pub struct Driver {
    to: Sender<Job>,
    waiting: Arc<AtomicUsize>,
    is_stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Driver {
    /// Starts the thread, and waits until it has minted the test credits that are new. The chains keep their files in `folder`.
    ///
    /// # Errors
    /// The system has no further thread.
    pub fn start(exchange: Exchange, wallets: Wallets, folder: PathBuf) -> io::Result<Self> {
        let (to, jobs) = channel();
        let is_stopping = Arc::new(AtomicBool::new(false));
        let desk = Desk::new(exchange, wallets, Arc::clone(&is_stopping), Box::new(Threads::new()?));
        let waiting = Arc::new(AtomicUsize::new(0));
        let mut driving = Driving::new(desk, folder, Arc::clone(&waiting));
        let (started, is_started) = channel();
        let run = move || {
            let _end = AbortOnPanic("chains");
            driving.start();
            // The caller waits, unless it has given up.
            let _ = started.send(());
            driving.run(&jobs);
        };
        let thread = std::thread::Builder::new().name("chains".to_owned()).spawn(run)?;
        // A thread that ends without the message has ended the process.
        let _ = is_started.recv();
        Ok(Self { to, waiting, is_stopping, thread: Some(thread) })
    }

    /// The way of control calls to the chains.
    pub fn chains(&self) -> Chains {
        Chains::new(self.to.clone(), Arc::clone(&self.waiting))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.is_stopping.store(true, Ordering::Release);
        // The thread may have ended.
        let _ = self.to.send(Job::Stop);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has ended the process.
            let _ = thread.join();
        }
    }
}

pub(crate) struct Driving {
    pub(crate) desk: Desk,
    folder: PathBuf,
    pub(crate) links: BTreeMap<String, Link>,
    /// Networks to open, once it is time.
    pub(crate) closed: BTreeSet<String>,
    reopen: Instant,
    /// Withdrawals with this number and higher ones are new.
    next: Eid,
    /// The operators' remedies of withdrawals that were taken: which, and how often each was paid again.
    remedied: BTreeMap<Eid, (Remedy, usize)>,
    /// Withdrawals that wait until no halt stops them and assets cover what customers have.
    held: BTreeSet<Eid>,
    /// The test credits that are minted.
    pub(crate) credited: BTreeMap<CurrencyId, Money>,
    /// Payments that their wallets cannot pay now.
    pub(crate) waiting: Arc<AtomicUsize>,
    next_block: Instant,
    next_poll: Instant,
}

impl Driving {
    pub(crate) fn new(desk: Desk, folder: PathBuf, waiting: Arc<AtomicUsize>) -> Self {
        // Without the folder there is no chain yet.
        let files = desk.host.disk().names(&folder).unwrap_or_default();
        let exists = |name: &&str| files.contains(&format!("{name}.chain"));
        let names = NETWORKS.iter().map(|network| network.name);
        let closed = names.filter(exists).chain(desk.wallets.nodes.names()).map(str::to_owned).collect();
        let now = Instant::now();
        Self {
            desk,
            folder,
            links: BTreeMap::new(),
            closed,
            reopen: now,
            next: Eid(0),
            remedied: BTreeMap::new(),
            held: BTreeSet::new(),
            credited: BTreeMap::new(),
            waiting,
            next_block: now + BLOCK_EVERY,
            next_poll: now,
        }
    }

    /// Goes on where the state says that the exchange has stopped.
    pub(crate) fn start(&mut self) {
        // A network that is opened has taken what operators have done before.
        self.remedied = self.desk.ask(|state| {
            let withdrawals = state.funds().withdrawals();
            let one = |eid: Eid| {
                let kept = withdrawals.payment(eid)?;
                Some((eid, (kept.remedy?, kept.replaced.len())))
            };
            withdrawals.remedied().filter_map(one).collect()
        });
        self.reopen();
        self.fund();
    }

    /// Does once what the thread does while no control call comes; what could not go on is opened again at once.
    pub(crate) fn turn(&mut self) {
        self.reopen = Instant::now();
        self.look();
    }

    /// Takes what is new, and brings everything as far as it comes.
    fn look(&mut self) {
        self.fund();
        self.take_new();
        self.reopen();
        self.go_on();
        self.count_waiting();
    }

    /// Does a control call.
    pub(crate) fn obey(&mut self, name: &str, work: Work) -> Answered {
        self.fund();
        self.take_new();
        let answer = self.call(name, work);
        self.count_waiting();
        answer
    }

    fn run(&mut self, jobs: &Receiver<Job>) {
        while !self.desk.is_stopping() {
            match jobs.recv_timeout(LOOK_EVERY) {
                Ok(Job::Call { network, work, reply }) => {
                    // The caller may be gone.
                    let _ = reply.send(self.obey(&network, work));
                }
                Ok(Job::Rest { reply }) => {
                    self.fund();
                    // The caller may be gone.
                    let _ = reply.send(());
                }
                Ok(Job::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => self.look(),
            }
        }
    }

    /// Opens what could not go on.
    fn reopen(&mut self) {
        if Instant::now() < self.reopen {
            return;
        }
        for name in std::mem::take(&mut self.closed) {
            self.settle(&name);
        }
    }

    /// Sends what may not be sent yet and, where the clock is real, adds blocks while something waits. Looks at real nodes.
    fn go_on(&mut self) {
        let is_time = Instant::now() >= self.next_block && !self.desk.exchange.has_manual_clock();
        if is_time {
            self.next_block = Instant::now() + BLOCK_EVERY;
        }
        let polls = Instant::now() >= self.next_poll;
        let names: Vec<String> = self.links.keys().cloned().collect();
        for name in names {
            let settles = self.with(&name, |link, desk| {
                if link.is_real() {
                    return Ok(polls);
                }
                let is_busy = link.is_busy();
                if is_time && link.waits(desk) {
                    link.tick(desk)?;
                }
                Ok(is_busy)
            });
            if settles == Some(true) {
                self.settle(&name);
            }
        }
        if polls {
            self.next_poll = Instant::now() + POLL_EVERY;
        }
    }

    /// Gives new withdrawals to the payers of their networks.
    fn take_new(&mut self) {
        let (next, mut held) = (self.next, std::mem::take(&mut self.held));
        held.extend(self.links.values_mut().flat_map(Link::take_stopped));
        let (last, found): (Option<Eid>, Vec<(Eid, String, bool)>) = self.desk.ask(|state| {
            let funds = state.funds();
            let one = |eid: Eid| {
                let transfer = funds.transfer(eid).filter(|_| funds.withdrawals().payment(eid).is_some())?;
                let name = transfer.row.chain()?.network.clone();
                let is_open = transfer.row.status == TransferStatus::Pending;
                is_open.then(|| (eid, name, may_go(state, eid)))
            };
            let fresh: Vec<Eid> = funds.withdrawals().payments_from(next).map(|(eid, _)| eid).collect();
            (fresh.last().copied(), held.into_iter().chain(fresh).filter_map(one).collect())
        });
        if let Some(last) = last {
            self.next = Eid(last.0.saturating_add(1));
        }
        self.take_moves();
        self.take_remedies();
        for (eid, name, may_go) in found {
            if may_go {
                self.with(&name, |link, desk| {
                    desk.ask(|state| {
                        if let Some(transfer) = state.funds().transfer(eid) {
                            link.accept(state, transfer);
                        }
                    });
                    Ok(())
                });
            } else {
                self.held.insert(eid);
            }
        }
    }

    /// Gives what operators have done about withdrawals to the payers of their networks, once each.
    fn take_remedies(&mut self) {
        let fresh: Vec<(Eid, String, (Remedy, usize))> = self.desk.ask(|state| {
            let funds = state.funds();
            let one = |eid: Eid| {
                let (transfer, kept) = (funds.transfer(eid)?, funds.withdrawals().payment(eid)?);
                let done = (kept.remedy?, kept.replaced.len());
                let is_new = self.remedied.get(&eid) != Some(&done);
                is_new.then(|| Some((eid, transfer.row.chain()?.network.clone(), done)))?
            };
            funds.withdrawals().remedied().filter_map(one).collect()
        });
        for (eid, name, done) in fresh {
            self.remedied.insert(eid, done);
            // A payment that is made again from other coins is built anew; on a chain of accounts the number is used again, with a
            // higher fee.
            let is_rebuilt = done == (Remedy::Rebuild, 0);
            self.with(&name, |link, desk| {
                desk.ask(|state| {
                    if let Some(transfer) = state.funds().transfer(eid) {
                        link.remedy(state, transfer, is_rebuilt);
                    }
                });
                Ok(())
            });
            self.settle(&name);
        }
    }

    /// Gives moves to and from custody to the payers of their networks. Those that are known already change nothing.
    fn take_moves(&mut self) {
        let sent: Vec<(Eid, String)> = self.desk.ask(|state| {
            let funds = state.funds();
            let one = |eid: Eid| {
                let asset = funds.networks().base(funds.transfer(eid)?.row.currency)?;
                Some((eid, asset.network.clone()))
            };
            funds.custody_moves_sent().filter(|eid| may_go(state, *eid)).filter_map(one).collect()
        });
        for (eid, name) in sent {
            self.with(&name, |link, desk| {
                desk.ask(|state| link.accept_move(state, eid));
                Ok(())
            });
        }
    }

    fn call(&mut self, name: &str, work: Work) -> Answered {
        self.settle(name);
        let done = self.with(name, |link, desk| link.work(desk, work));
        done.unwrap_or_else(|| Err(Failed::Unable("the chain cannot go on now; the log says why".to_owned())))
    }

    /// Does something with a network, which is opened if it is not. If it cannot go on, it is opened again later: the state says what
    /// is left to do then.
    pub(crate) fn with<T>(
        &mut self,
        name: &str,
        act: impl FnOnce(&mut Link, &Desk) -> Result<T, Stop>,
    ) -> Option<T> {
        match self.link(name).and_then(|(link, desk)| act(link, desk)) {
            Ok(done) => Some(done),
            Err(stop) => {
                match stop {
                    Stop::Halt(Halt::Stopping) => return None,
                    Stop::Halt(Halt::NoRoom) => {
                        tracing::warn!(network = name, "a chain waits: the disk is nearly full");
                    }
                    Stop::Chain(reason) => tracing::error!(network = name, reason, "a chain cannot go on"),
                }
                self.links.remove(name);
                self.closed.insert(name.to_owned());
                self.reopen = Instant::now() + REOPEN_AFTER;
                None
            }
        }
    }

    fn link(&mut self, name: &str) -> Result<(&mut Link, &Desk), Stop> {
        if !self.links.contains_key(name) {
            let link = Link::open(&self.desk, &self.folder, name)?;
            self.links.insert(name.to_owned(), link);
            self.closed.remove(name);
        }
        let link = self.links.get_mut(name).ok_or_else(|| Stop::Chain("it is not open".to_owned()))?;
        Ok((link, &self.desk))
    }
}
