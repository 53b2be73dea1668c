//! Whether the time of a refused signature depends on how much of it is right.
//!
//! The gate checks signatures whose first bytes are correct and signatures of random bytes, in random order. Welch's t
//! compares the means; the slowest tenth of all samples, which other work on the machine causes, is left out. The report is for a
//! reader: a busy machine can make any difference, so it never fails.

use crate::clock::{cycles, cycles_per_ns};
use buttonwood_client::Credentials;
use buttonwood_gate::{Gate, HeaderNames, Key, Kind, Limits, Owner, Request};
use buttonwood_model::{AccountId, Nonce, Role, Roles, SessionId, Time};
use buttonwood_vault::Secret;
use http::{HeaderMap, HeaderName, HeaderValue};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

const KEY: &str = "account-0123456789abcdef";
const SECRET: &str = "secret-0123456789abcdef0123456789";
const PATH: &str = "/v1/balances";
const SIGNATURE: HeaderName = HeaderName::from_static("x-svc-signature");

/// Bytes of a signature.
const TAG: usize = 48;
/// Correct first bytes of the classes. The first is compared with all others; the second is as random and shows the noise.
const CORRECT: [usize; 7] = [0, 0, 1, 8, 24, 40, 47];
/// Different signatures of each class.
const VALUES: usize = 1024;
/// Samples of all classes together.
const SAMPLES: usize = 3_000_000;
/// A difference with a smaller |t| is noise.
const NOISE: f64 = 4.5;

/// Measures and prints the table.
pub(crate) fn run() {
    let (gate, mut headers, tag) = signed();
    let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let mut random = Random(0x5eed);
    let classes = CORRECT.map(|correct| values(&tag, correct, &mut random));
    let mut samples: Vec<(usize, u64)> = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        let draw = random.next();
        let class = (draw >> 32) as usize % CORRECT.len();
        headers.insert(SIGNATURE, classes[class][draw as usize % VALUES].clone());
        let request = Request {
            path: PATH,
            query: None,
            is_query_optional: false,
            headers: &headers,
            kind: Kind::Read,
            address,
        };
        let start = cycles();
        let checked = gate.check(&request, Duration::ZERO, Time(1), |_| None);
        let taken = cycles() - start;
        assert!(checked.is_err(), "no wrong signature passes");
        samples.push((class, taken));
    }
    report(&samples);
}

/// A gate with a key, the headers of a request that it signed, and the correct signature.
fn signed() -> (Gate, HeaderMap, Vec<u8>) {
    let gate = Gate::new(HeaderNames::any(), "buttonwood", Limits::off());
    let key = Key {
        api_key: KEY.to_owned(),
        session: SessionId(1),
        owner: Owner::Account(AccountId(1)),
        roles: Roles::of(&[Role::Trader]),
        require_heartbeat: false,
        time_based_nonce: false,
        is_enabled: true,
        addresses: Arc::default(),
        group: None,
    };
    gate.keys().insert(key, &Secret::new(SECRET.as_bytes().to_vec()), Nonce::default());
    let payload = format!(r#"{{"request":"{PATH}","nonce":1767225600000}}"#);
    let signed = Credentials::new(KEY, SECRET).sign(payload.as_bytes());
    let mut headers = HeaderMap::new();
    for (name, value) in signed.headers() {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a header's name");
        headers.insert(name, HeaderValue::from_str(&value).expect("a header's value"));
    }
    let tag = const_hex::decode(&signed.signature).expect("hex digits");
    (gate, headers, tag)
}

/// Wrong signatures whose first bytes are correct and whose next one is not.
fn values(tag: &[u8], correct: usize, random: &mut Random) -> Vec<HeaderValue> {
    let value = |_| {
        let mut bytes: Vec<u8> = (0..TAG).map(|_| random.next() as u8).collect();
        bytes[..correct].copy_from_slice(&tag[..correct]);
        if bytes[correct] == tag[correct] {
            bytes[correct] ^= 1;
        }
        HeaderValue::from_str(&const_hex::encode(bytes)).expect("hex digits")
    };
    (0..VALUES).map(value).collect()
}

fn report(samples: &[(usize, u64)]) {
    let mut all: Vec<u64> = samples.iter().map(|(_, taken)| *taken).collect();
    all.sort_unstable();
    let limit = all[all.len() * 9 / 10];
    let per_ns = cycles_per_ns();
    let of_class = |class: usize| {
        let taken = samples.iter().filter(|(of, taken)| *of == class && *taken <= limit);
        Sums::of(taken.map(|(_, taken)| *taken as f64 / per_ns))
    };
    let base = of_class(0);
    println!("Time of a refused signature, {SAMPLES} samples; the slowest tenth is left out.\n");
    println!("| correct first bytes | mean, ns | more than at random, ns | t |\n|---:|---:|---:|---:|");
    let mut most = 0.0_f64;
    for (class, correct) in CORRECT.iter().enumerate().skip(1) {
        let sums = of_class(class);
        let (more, t) = (sums.mean() - base.mean(), sums.t(&base));
        most = most.max(t.abs());
        println!("| {correct} | {:.1} | {more:+.2} | {t:+.2} |", sums.mean());
    }
    let verdict = if most < NOISE {
        "no difference is shown"
    } else {
        "a difference is shown: repeat it on a calm machine"
    };
    println!("\nThe largest |t| is {most:.2}; below {NOISE} a difference is noise: {verdict}.");
}

/// Sums of a sample.
#[derive(Default)]
struct Sums {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Sums {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        values.fold(Self::default(), |sums, value| Self {
            count: sums.count + 1.0,
            sum: sums.sum + value,
            squares: sums.squares + value * value,
        })
    }

    fn mean(&self) -> f64 {
        self.sum / self.count
    }

    /// The square of the mean's standard error.
    fn error(&self) -> f64 {
        (self.squares / self.count - self.mean() * self.mean()) / self.count
    }

    /// Welch's t of two samples.
    fn t(&self, other: &Self) -> f64 {
        (self.mean() - other.mean()) / (self.error() + other.error()).sqrt()
    }
}

/// Splitmix64: the order of the classes and the random bytes, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
