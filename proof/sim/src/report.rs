//! Runs seeds on all processors, adds up their figures, and keeps what failed.

use crate::wanted::{Kind, Span, Wanted};
use buttonwood_oracle::{
    CALLS, DEEP, Dice, FINE, FUNDS, MAJORS, ODD, borrow, clear, compare, house, people, predict,
    previews_compared, reward, stake,
};
use buttonwood_sim::Finding;
use buttonwood_sim::adversary::{Hunt, HuntTally, Program, Scene, play};
use buttonwood_sim::disk::Faulty;
use buttonwood_sim::identity::{IdentityRun, IdentityTally};
use buttonwood_sim::life::{Life, Tally};
use buttonwood_sim::margin::{Margin, MarginTally};
use buttonwood_sim::offbook::{OffBook, OffBookTally};
use buttonwood_sim::perps::{Perps, PerpsTally};
use buttonwood_sim::predictions::{PredictionMarkets, PredictionTally};
use buttonwood_sim::streams::{Streams, StreamsTally};
use buttonwood_sim::sweep::{Sweep, Swept};
use buttonwood_sim::treasury::{Treasury, TreasuryTally};
use std::fs;
use std::io;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Seeds that failed once, with their findings; they are always run first.
const KEPT: &str = include_str!("../seeds.txt");

/// The amount of simulation before a release: exchange-days and commands in them, and crash states.
const DAYS: u64 = 200;
const COMMANDS: u64 = 2_000_000;
const STATES: u64 = 1_000_000;
/// Commands compared with the naive exchange, in addition to those of the lives.
const COMPARED: u64 = 500_000;
/// Commands of a world of OTC clearing.
const CLEARING_STEPS: u32 = 400;
/// Acts of a world of staking.
const STAKING_STEPS: u32 = 300;
/// Acts of a world of prediction markets.
const PREDICTION_STEPS: u32 = 1_200;
/// How many acts a world of rewards has, half an hour each.
const REWARD_STEPS: u32 = 200;
/// Commands of a world of people and apps.
const PEOPLE_STEPS: u32 = 1_000;
/// Acts of a world of operators and sign-ups.
const HOUSE_STEPS: u32 = 300;
/// Customers of a large one.
const CROWD: u32 = 1_100;
/// Steps of a world of spot margin.
const MARGIN_STEPS: u64 = 200;
/// Runs of funds on faulty chains.
const TREASURIES: u64 = 40;

/// Runs of perpetuals, and of spot margin.
const PERPS: u64 = 60;
const MARGINS: u64 = 200;

/// Runs of clearing and staking.
const OFF_BOOKS: u64 = 60;

/// Runs of prediction markets.
const PREDICTIONS: u64 = 60;

/// Runs of people and apps.
const IDENTITIES: u64 = 60;

/// Runs of streams.
const STREAMS: u64 = 120;

/// Searches of adversaries, and those in continuous integration.
const HUNTS: u64 = 6;
const HUNTS_IN_CI: u64 = 2;

/// Steps of a run of funds, perpetuals, spot margin, both products off the book or prediction markets, and one more for so many commands of a life.
const STEPS: u64 = 100;
const STEPS_SHARE: u64 = 60;
/// One more step of a run of streams for so many commands of a life.
const STREAMS_SHARE: u64 = 5;

const DAY: u64 = 24 * 3_600 * 1_000_000;

/// Totals so far.
#[derive(Debug, Default)]
struct Totals {
    lives: u64,
    life: Tally,
    sweeps: u64,
    swept: Swept,
    /// Commands after which core and naive exchange agreed.
    compared: u64,
    treasuries: u64,
    treasury: TreasuryTally,
    perps_runs: u64,
    perps: PerpsTally,
    margin_runs: u64,
    margin: MarginTally,
    off_book_runs: u64,
    off_book: OffBookTally,
    prediction_runs: u64,
    predictions: PredictionTally,
    identity_runs: u64,
    identity: IdentityTally,
    streams_runs: u64,
    streams: StreamsTally,
    hunts: u64,
    hunt: HuntTally,
}

/// The state shared by all workers.
struct Work<'a> {
    wanted: &'a Wanted,
    began: Instant,
    next: AtomicU64,
    totals: Mutex<Totals>,
    has_failed: AtomicBool,
}

pub(crate) fn run(wanted: &Wanted) -> ExitCode {
    let work = Work {
        wanted,
        began: Instant::now(),
        next: AtomicU64::new(wanted.seed),
        totals: Mutex::default(),
        has_failed: AtomicBool::new(false),
    };
    std::panic::set_hook(Box::new(|_| {}));
    if let Some(path) = &wanted.play {
        return played(path);
    }
    if matches!(wanted.span, Span::Release(_)) {
        for (kind, seed) in kept() {
            work.one(kind, seed);
        }
    }
    let workers = if wanted.span == Span::One {
        1
    } else {
        wanted.workers.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, NonZero::get))
    };
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| work.seeds());
        }
    });
    work.tell();
    if work.has_failed.load(Ordering::Relaxed) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// The seeds of `seeds.txt`.
fn kept() -> Vec<(Kind, u64)> {
    let seed = |line: &str| {
        let mut words = line.split_whitespace();
        let kind = Kind::named(words.next()?)?;
        Some((kind, words.next()?.parse().ok()?))
    };
    KEPT.lines().filter_map(seed).collect()
}

impl Work<'_> {
    fn seeds(&self) {
        while !self.has_failed.load(Ordering::Relaxed) {
            let kinds = self.due();
            if kinds.is_empty() {
                return;
            }
            let seed = self.next.fetch_add(1, Ordering::Relaxed);
            if let Span::Seeds(count) = self.wanted.span
                && seed.wrapping_sub(self.wanted.seed) >= count
            {
                return;
            }
            for kind in kinds {
                self.one(kind, seed);
            }
            if self.wanted.span == Span::One {
                return;
            }
        }
    }

    /// The kinds of runs that are still due.
    fn due(&self) -> Vec<Kind> {
        let totals = self.totals.lock().expect("no worker panics with it");
        let is_due = |kind: Kind| match self.wanted.span {
            Span::One | Span::Seeds(_) => true,
            Span::For(span) => self.began.elapsed() < span,
            Span::Release(parts) => match kind {
                Kind::Life => {
                    totals.life.micros < DAYS * DAY / parts || totals.life.commands < COMMANDS / parts
                }
                Kind::Sweep => totals.swept.states < STATES / parts,
                Kind::Compare => totals.compared < COMPARED / parts,
                Kind::Funds => totals.treasuries < TREASURIES / parts,
                Kind::Perps => totals.perps_runs < PERPS / parts,
                Kind::Margin => totals.margin_runs < MARGINS / parts,
                Kind::OffBook => totals.off_book_runs < OFF_BOOKS / parts,
                Kind::Predictions => totals.prediction_runs < PREDICTIONS / parts,
                Kind::Identity => totals.identity_runs < IDENTITIES / parts,
                Kind::Streams => totals.streams_runs < STREAMS / parts,
                Kind::Adversary => totals.hunts < if parts == 1 { HUNTS } else { HUNTS_IN_CI },
            },
        };
        Kind::ALL
            .into_iter()
            .filter(|kind| is_due(*kind) && self.wanted.only.is_none_or(|only| only == *kind))
            .collect()
    }

    fn one(&self, kind: Kind, seed: u64) {
        match kind {
            Kind::Life => self.life(seed),
            Kind::Sweep => self.sweep(seed),
            Kind::Compare => self.compare(seed),
            Kind::Funds => self.funds(seed),
            Kind::Perps => self.perps(seed),
            Kind::Margin => self.margin(seed),
            Kind::OffBook => self.off_book(seed),
            Kind::Predictions => self.predictions(seed),
            Kind::Identity => self.identity(seed),
            Kind::Streams => self.streams(seed),
            Kind::Adversary => self.adversary(seed),
        }
    }

    fn life(&self, seed: u64) {
        let mut life = Life::new(seed);
        let lived = guarded(|| life.run(self.wanted.commands));
        match lived {
            Ok(tally) => {
                let mut totals = self.totals.lock().expect("no worker panics with it");
                totals.lives += 1;
                totals.life.add(&tally);
            }
            Err(finding) => self.failed("life", seed, &finding, || {
                let lines: Vec<&str> = life.trace().collect();
                leave("life", seed, &lines, Some(life.disk()))
            }),
        }
    }

    fn sweep(&self, seed: u64) {
        let mut sweep = Sweep::new(seed);
        match guarded(|| sweep.run(self.wanted.cuts)) {
            Ok(swept) => {
                let mut totals = self.totals.lock().expect("no worker panics with it");
                totals.sweeps += 1;
                totals.swept.add(&swept);
            }
            Err(finding) => {
                self.failed("sweep", seed, &finding, || leave("sweep", seed, &[&finding], sweep.disk()));
            }
        }
    }

    fn compare(&self, seed: u64) {
        let worlds = [&MAJORS, &FINE, &ODD, &DEEP, &CALLS];
        let at = usize::try_from(seed % 5).expect("one of five");
        let world = worlds.get(at).expect("one of five");
        let count = usize::try_from(self.wanted.commands).expect("a count fits memory");
        let compare = || {
            let counts = compare(world, seed, count);
            // Spot margin, funds, OTC clearing and staking have worlds of their own, each in one seed of four.
            match seed % 4 {
                0 => drop(borrow(seed, MARGIN_STEPS)),
                1 => drop(compare(&FUNDS, seed, count)),
                2 => drop(clear(Dice::seeded(seed), CLEARING_STEPS).unwrap_or_else(|odd| panic!("{odd}"))),
                _ => customers(seed),
            }
            if seed % 6 == 5 {
                holders(seed);
            }
            if seed % 6 == 2 {
                makers(seed);
            }
            if seed % 3 == 1 {
                apps(seed);
            }
            Ok(counts)
        };
        match guarded(compare) {
            Ok(_) => self.totals.lock().expect("no worker panics with it").compared += self.wanted.commands,
            Err(finding) => {
                self.failed("compare", seed, &finding, || leave("compare", seed, &[&finding], None));
            }
        }
    }

    fn funds(&self, seed: u64) {
        let mut treasury = Treasury::new(seed);
        match guarded(|| treasury.run(STEPS + self.wanted.commands / STEPS_SHARE)) {
            Ok(tally) => {
                let mut totals = self.totals.lock().expect("no worker panics with it");
                totals.treasuries += 1;
                totals.treasury.add(&tally);
            }
            Err(finding) => self.failed("funds", seed, &finding, || {
                let lines: Vec<&str> = treasury.trace().collect();
                leave("funds", seed, &lines, Some(treasury.disk()))
            }),
        }
    }

    fn perps(&self, seed: u64) {
        let mut perps = Perps::new(seed);
        match guarded(|| perps.run(STEPS + self.wanted.commands / STEPS_SHARE)) {
            Ok(tally) => {
                let mut totals = self.totals.lock().expect("no worker panics with it");
                totals.perps_runs += 1;
                totals.perps.add(&tally);
            }
            Err(finding) => self.failed("perps", seed, &finding, || {
                let lines: Vec<&str> = perps.trace().collect();
                leave("perps", seed, &lines, Some(perps.disk()))
            }),
        }
    }

    fn margin(&self, seed: u64) {
        let mut margin = Margin::new(seed);
        match guarded(|| margin.run(STEPS + self.wanted.commands / STEPS_SHARE)) {
            Ok(tally) => {
                let mut totals = self.totals.lock().expect("no worker panics with it");
                totals.margin_runs += 1;
                totals.margin.add(&tally);
            }
            Err(finding) => self.failed("margin", seed, &finding, || {
                let lines: Vec<&str> = margin.trace().collect();
                leave("margin", seed, &lines, Some(margin.disk()))
            }),
        }
    }

    fn off_book(&self, seed: u64) {
        let mut off_book = OffBook::new(seed);
        match guarded(|| off_book.run(STEPS + self.wanted.commands / STEPS_SHARE)) {
            Ok(tally) => {
                let mut totals = self.totals.lock().expect("no worker panics with it");
                totals.off_book_runs += 1;
                totals.off_book.add(&tally);
            }
            Err(finding) => self.failed("offbook", seed, &finding, || {
                let lines: Vec<&str> = off_book.trace().collect();
                leave("offbook", seed, &lines, Some(off_book.disk()))
            }),
        }
    }

    fn predictions(&self, seed: u64) {
        let mut markets = PredictionMarkets::new(seed);
        match guarded(|| markets.run(STEPS + self.wanted.commands / STEPS_SHARE)) {
            Ok(tally) => {
                let mut totals = self.totals.lock().expect("no worker panics with it");
                totals.prediction_runs += 1;
                totals.predictions.add(&tally);
            }
            Err(finding) => self.failed("predictions", seed, &finding, || {
                let lines: Vec<&str> = markets.trace().collect();
                leave("predictions", seed, &lines, Some(markets.disk()))
            }),
        }
    }

    fn identity(&self, seed: u64) {
        let mut identity = IdentityRun::new(seed);
        match guarded(|| identity.run(STEPS + self.wanted.commands / STEPS_SHARE)) {
            Ok(tally) => {
                let mut totals = self.totals.lock().expect("no worker panics with it");
                totals.identity_runs += 1;
                totals.identity.add(&tally);
            }
            Err(finding) => self.failed("identity", seed, &finding, || {
                let lines: Vec<&str> = identity.trace().collect();
                leave("identity", seed, &lines, Some(identity.disk()))
            }),
        }
    }

    fn streams(&self, seed: u64) {
        let mut streams = Streams::new(seed);
        match guarded(|| streams.run(STEPS + self.wanted.commands / STREAMS_SHARE)) {
            Ok(tally) => {
                let mut totals = self.totals.lock().expect("no worker panics with it");
                totals.streams_runs += 1;
                totals.streams.add(&tally);
            }
            Err(finding) => self.failed("streams", seed, &finding, || {
                let lines: Vec<&str> = streams.trace().collect();
                leave("streams", seed, &lines, Some(streams.disk()))
            }),
        }
    }

    fn adversary(&self, seed: u64) {
        let has_time = || match self.wanted.span {
            Span::For(span) => self.began.elapsed() < span,
            Span::One | Span::Seeds(_) | Span::Release(_) => true,
        };
        let mut hunt = Hunt::new(seed, &self.wanted.without, &self.wanted.ignored);
        let most = self.wanted.programs;
        match hunt
            .run(|tally| tally.programs < most && has_time() && !self.has_failed.load(Ordering::Relaxed))
        {
            Ok(tally) => {
                let mut totals = self.totals.lock().expect("no worker panics with it");
                totals.hunts += 1;
                totals.hunt.add(&tally);
            }
            Err((program, breach)) => {
                let text = format!("{}\n{program}", hunt.scene_line());
                self.failed("adversary", seed, &breach.to_string(), || {
                    for line in text.lines() {
                        println!("    {line}");
                    }
                    leave("adversary", seed, &[&text], None)
                });
            }
        }
    }

    fn failed(&self, kind: &str, seed: u64, finding: &str, leave: impl FnOnce() -> io::Result<PathBuf>) {
        self.has_failed.store(true, Ordering::Relaxed);
        println!("FAILED {kind} of seed {seed}: {finding}");
        match leave() {
            Ok(path) => println!("  trace, and what its disk held if it had one: {}", path.display()),
            Err(error) => println!("  trace and disk could not be kept: {error}"),
        }
        let Wanted { commands, cuts, programs, without, ignored, .. } = &self.wanted;
        let size = if kind == "adversary" {
            let mut size = format!("--programs {programs}");
            for (flag, words) in [("--without", without), ("--ignore", ignored)] {
                if !words.is_empty() {
                    size.extend([" ", flag, " ", &words.join(",")]);
                }
            }
            size
        } else {
            format!("--commands {commands} --cuts {cuts}")
        };
        println!("  again: cargo xtask sim --only {kind} --seed {seed} {size}");
    }

    fn tell(&self) {
        let totals = self.totals.lock().expect("no worker panics with it");
        let Totals { lives, life, sweeps, swept, compared, .. } = &*totals;
        let Totals { treasuries, treasury, perps_runs, perps, hunts, hunt, .. } = &*totals;
        let days = Duration::from_micros(life.micros).as_secs() / 86_400;
        println!(
            "sim: {lives} lives: {} commands in {days} exchange-days, {} crashes ({} power cuts), {} disk errors, {} \
             snapshots, {} moves to the archive, {} secrets sealed, {} rotations of the vault's key, {} damaged copies ({} recovered, {} of them with a history that was mended, the others refused)",
            life.commands,
            life.crashes,
            life.power_cuts,
            life.errors,
            life.snapshots,
            life.archived,
            life.sealed,
            life.rotations,
            life.damaged,
            life.unhurt,
            life.mended
        );
        println!(
            "sim: {sweeps} sweeps: {} crash states before {} calls, {} of them left by a second cut",
            swept.states, swept.boundaries, swept.second
        );
        tell_compared(*compared);
        println!(
            "sim: {treasuries} treasuries: {} withdrawals and {} deposits, {} crashes, {} reorganisations, {} halts of assets, {} payments \
             that were lost",
            treasury.withdrawals,
            treasury.deposits,
            treasury.crashes,
            treasury.reorganisations,
            treasury.halts,
            treasury.remedies
        );
        println!(
            "sim: {perps_runs} runs of perpetuals: {} commands, {} crashes ({} inside the payments of an hour, {} inside liquidations, {} \
             of these inside a round), {} starts that missed minutes; {:?}",
            perps.commands,
            perps.crashes,
            perps.in_funding,
            perps.in_liquidation,
            perps.in_round,
            perps.resumed,
            perps.counts
        );
        let Totals { margin_runs, margin, .. } = &*totals;
        println!(
            "sim: {margin_runs} runs of spot margin: {} commands, {} crashes ({} with accounts to be searched or liquidated, {} of these \
             inside a liquidation); {:?}",
            margin.commands, margin.crashes, margin.in_search, margin.in_liquidation, margin.counts
        );
        let Totals { off_book_runs, off_book, .. } = &*totals;
        println!(
            "sim: {off_book_runs} runs of clearing and staking: {} commands, {} crashes ({} with orders that waited for money, {} with days \
             to be paid), {} retries; {:?}, {:?}",
            off_book.commands,
            off_book.crashes,
            off_book.in_settlement,
            off_book.in_accrual,
            off_book.retries,
            off_book.deals,
            off_book.stakes
        );
        let Totals { prediction_runs, predictions, .. } = &*totals;
        println!(
            "sim: {prediction_runs} runs of prediction markets: {} commands, {} crashes ({} inside payouts, {} inside refunds, {} inside \
             rewards, {} inside a minute's snapshots); kinds of fills {:?}, {:?}, {:?}",
            predictions.commands,
            predictions.crashes,
            predictions.in_payout,
            predictions.in_refund,
            predictions.in_reward,
            predictions.in_score,
            predictions.kinds,
            predictions.courses,
            predictions.rewards
        );
        let Totals { identity_runs, identity, .. } = &*totals;
        println!(
            "sim: {identity_runs} runs of people and apps: {} commands, {} crashes ({} with records that had ended), {} races; {:?}",
            identity.commands, identity.crashes, identity.in_expiry, identity.races, identity.counts
        );
        let Totals { streams_runs, streams, .. } = &*totals;
        println!(
            "sim: {streams_runs} runs of streams: {} commands, {} crashes, {} sockets ({} resumed, {} closed for their slowness), {} frames, \
             {} order events, {} comparisons",
            streams.commands,
            streams.crashes,
            streams.opened,
            streams.resumed,
            streams.closed,
            streams.frames,
            streams.events,
            streams.compared
        );
        println!(
            "sim: {hunts} searches of adversaries: {} programs, {} commands, {} answers and figures reached",
            hunt.programs, hunt.commands, hunt.reached
        );
        println!("sim: {:.0?}", self.began.elapsed());
    }
}

/// The commands that were compared with the naive exchange, and the orders of which the preview was compared with what they did.
fn tell_compared(compared: u64) {
    println!("sim: {compared} commands beside the naive exchange");
    let [spot, on_margin, of_perpetuals, of_contracts, refused] = previews_compared();
    println!(
        "sim: previews compared with their orders: {spot} of spot, {on_margin} on margin accounts, {of_perpetuals} of perpetuals, \
         {of_contracts} of contracts, {refused} of refused orders"
    );
}

/// Plays programs: that of a file, or those of a folder in the order of their names.
fn played(path: &Path) -> ExitCode {
    let mut harmful = 0;
    for file in programs_of(path) {
        let read = fs::read_to_string(&file).map_err(|error| error.to_string());
        let read = read.and_then(|text| {
            let program = text.parse::<Program>().map_err(|why| why.to_string())?;
            Ok((program, Scene::of_text(&text)))
        });
        let (program, scene) = match read {
            Ok(read) => read,
            Err(why) => {
                println!("{}: {why}", file.display());
                return ExitCode::FAILURE;
            }
        };
        let played = play(&scene, &program, true);
        println!("{}:", file.display());
        played.lines.iter().for_each(|line| println!("    {line}"));
        let cents = played.gain / 100_000_000_000_000_000;
        println!("  the groups gain {} cents, by {} commands", cents, played.commands);
        if let Some(breach) = played.breach {
            println!("FAILED adversary: {breach}");
            harmful += 1;
        }
    }
    if harmful == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn programs_of(path: &Path) -> Vec<PathBuf> {
    let Ok(folder) = fs::read_dir(path) else { return vec![path.to_owned()] };
    let mut files: Vec<PathBuf> = folder.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    files
}

/// Runs a world of staking, now and then with more customers than one step of an accrual pays.
fn customers(seed: u64) {
    let (steps, crowd) = if seed % 64 == 3 { (STAKING_STEPS / 5, CROWD) } else { (STAKING_STEPS, 3) };
    if let Err(odd) = stake(Dice::seeded(seed), steps, crowd) {
        panic!("{odd}");
    }
}

/// Runs a world of prediction markets, now and then with more holders than two steps of a payout pay.
fn holders(seed: u64) {
    let (steps, crowd) = if seed % 66 == 5 { (PREDICTION_STEPS / 5, CROWD) } else { (PREDICTION_STEPS, 0) };
    if let Err(odd) = predict(Dice::seeded(seed), steps, crowd) {
        panic!("{odd}");
    }
}

/// Runs a world of people and apps, and one of operators and sign-ups.
fn apps(seed: u64) {
    let ran = people(Dice::seeded(seed), PEOPLE_STEPS).map(|_| ());
    if let Err(odd) = ran.and_then(|()| house(Dice::seeded(seed), HOUSE_STEPS).map(|_| ())) {
        panic!("{odd}");
    }
}

/// Runs a world of rewards for makers.
fn makers(seed: u64) {
    if let Err(odd) = reward(Dice::seeded(seed), REWARD_STEPS) {
        panic!("{odd}");
    }
}

/// A panic of the simulated code is a finding too.
fn guarded<T>(run: impl FnOnce() -> Result<T, Finding>) -> Result<T, Finding> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(format!("a panic: {}", text.unwrap_or_default()))
    })
}

/// Writes the trace and the disk's files to a folder, and returns it.
fn leave(kind: &str, seed: u64, trace: &[&str], disk: Option<&Faulty>) -> io::Result<PathBuf> {
    let root = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let home = root.join("sim-failures").join(format!("{kind}-{seed}"));
    fs::create_dir_all(&home)?;
    fs::write(home.join("trace.txt"), trace.join("\n"))?;
    for (path, bytes) in disk.map(Faulty::files).unwrap_or_default() {
        let to = home.join(path.strip_prefix("/").unwrap_or(&path));
        fs::create_dir_all(to.parent().unwrap_or(Path::new(".")))?;
        fs::write(to, bytes.as_slice())?;
    }
    Ok(home)
}
