//! The exchange behind a proxy, and in a container: whose request is it, and who may make control calls?

use std::io::Write;
use std::net::{IpAddr, TcpListener, TcpStream, UdpSocket};
use std::time::Duration;

use buttonwood_accept::{Exchange, Setup, private_folder, raw, run_to_end};

const PATIENCE: Duration = Duration::from_secs(10);

/// The statuses of `count` public requests that arrive at once from `source`, each with these fields.
fn statuses(x: &Exchange, source: [u8; 4], count: u8, fields: impl Fn(u8) -> String) -> Vec<Option<u16>> {
    let send = |number| {
        let mut stream = raw::connect_from(x, source);
        let line = format!("GET /v1/symbols HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", x.address());
        stream.write_all(format!("{line}{}\r\n", fields(number)).as_bytes()).unwrap();
        stream
    };
    let streams: Vec<TcpStream> = (1..=count).map(send).collect();
    streams.into_iter().map(|stream| raw::receive(stream, PATIENCE).status()).collect()
}

fn refused(statuses: &[Option<u16>]) -> usize {
    statuses.iter().filter(|status| **status == Some(429)).count()
}

fn limited() -> Setup {
    Exchange::builder().real_time().flag("--rate-limits", "on")
}

/// Behind a trusted proxy each client has a limit of its own, and a client cannot choose another address than the one
/// that the proxy saw. Proves LIM-001 (part), LIM-006 (part).
#[test]
fn a_trusted_proxy_names_the_client() {
    let x = limited().argument("--trusted-proxy").argument("127.0.0.0/31").start();
    let apart = |number| format!("X-Forwarded-For: 203.0.113.9, 198.51.100.{number}\r\n");
    assert_eq!(refused(&statuses(&x, [127, 0, 0, 1], 20, apart)), 0);
    let apart = |number| format!("Forwarded: for=198.51.101.{number};proto=https\r\n");
    assert_eq!(refused(&statuses(&x, [127, 0, 0, 1], 20, apart)), 0);
    // A client that invents addresses before the proxy's is one client.
    let invented = |number| format!("X-Forwarded-For: 198.51.100.{number}, 203.0.113.7\r\n");
    assert!(refused(&statuses(&x, [127, 0, 0, 1], 20, invented)) >= 10);
    // The fields of a peer that is no trusted proxy mean nothing.
    let apart = |number| format!("X-Forwarded-For: 198.51.102.{number}\r\n");
    assert!(refused(&statuses(&x, [127, 0, 0, 2], 20, apart)) >= 10);
}

/// Without a trusted proxy the fields mean nothing, and control calls that carry them are refused.
#[test]
fn forwarding_fields_mean_nothing_by_default() {
    let x = limited().start();
    let apart =
        |number| format!("X-Forwarded-For: 198.51.100.{number}\r\nForwarded: for=198.51.100.{number}\r\n");
    assert!(refused(&statuses(&x, [127, 0, 0, 1], 20, apart)) >= 10);
    for trusted in [None, Some("127.0.0.1")] {
        let setup = Exchange::builder();
        let y = match trusted {
            Some(block) => setup.argument("--trusted-proxy").argument(block).start(),
            None => setup.start(),
        };
        for name in ["Forwarded", "X-Forwarded-For"] {
            let answer = y.anyone().send("GET", "/sandbox/clock", &[(name, "127.0.0.1")], b"");
            answer.refused(403, "RemoteAddressForbidden");
        }
        y.advance(1);
    }
}

/// A trusted proxy has no share of the connections: it may take all places.
#[test]
fn a_proxy_has_no_share_of_connections() {
    let x = Exchange::builder()
        .flag("--connections-per-address", "1")
        .through(&["sh", "-c", "ulimit -n 1000 && exec \"$@\"", "sh"])
        .argument("--trusted-proxy")
        .argument("127.0.0.3")
        .start();
    let crowd = |last| (0..60).map(|_| raw::connect_from(&x, [127, 0, 0, last])).collect::<Vec<_>>();
    let is_served = |mut stream: TcpStream| {
        let request =
            format!("GET /health/live HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", x.address());
        stream.write_all(request.as_bytes()).is_ok() && raw::receive(stream, PATIENCE).status() == Some(200)
    };
    let [proxy, other] =
        [3, 4].map(|last| crowd(last).into_iter().map(is_served).filter(|served| *served).count());
    assert_eq!(proxy, 60);
    assert!(other < 30, "{other} of an address that is no proxy");
}

/// An address of this machine that is not loopback, if it has one.
fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    // Sends nothing: the system only chooses the source address.
    socket.connect("198.51.100.1:9").ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_unspecified() && TcpListener::bind((address, 0)).is_ok()).then_some(address)
}

/// A peer that `--control-from` names may make control calls, under the names of this machine and those given.
#[test]
fn further_peers_may_make_control_calls() {
    let Some(own) = own_address() else { return };
    let own = own.to_string();
    let start = |arguments: &[&str]| {
        let setup = Exchange::builder().flag("--listen", "0.0.0.0:0");
        arguments.iter().fold(setup, |setup, argument| setup.argument(argument)).start()
    };
    let call = |x: &Exchange, host: &str| {
        let port = x.address().rsplit_once(':').unwrap().1.to_owned();
        let mut stream = TcpStream::connect(format!("{own}:{port}")).unwrap();
        let request =
            format!("GET /sandbox/clock HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        raw::receive(stream, PATIENCE).status()
    };
    let closed = start(&[]);
    assert_eq!(call(&closed, "localhost"), Some(403));
    let open = start(&["--control-from", &own, "--control-host", "exchange"]);
    for (host, expected) in [("localhost", 200), ("127.0.0.1", 200), ("exchange", 200), ("other", 403)] {
        assert_eq!(call(&open, host), Some(expected), "{host}");
    }
    assert_eq!(call(&open, &own), Some(403), "its own address is no name that was given");
    let elsewhere = start(&["--control-from", "198.51.100.0/24"]);
    assert_eq!(call(&elsewhere, "localhost"), Some(403));
    open.advance(1);
}

/// The blocks are settings like all others: flag, environment, file; what is no block is refused with its value.
#[test]
fn blocks_are_settings() {
    let home = private_folder();
    let config = home.path().join("config.toml");
    std::fs::write(&config, "trusted_proxy = [\"127.0.0.1\", \"10.0.0.0/8\"]\n").unwrap();
    for setup in [
        limited().flag("--config", config.to_str().unwrap()),
        limited().env("BUTTONWOOD_TRUSTED_PROXY", "10.0.0.0/8,127.0.0.1"),
    ] {
        let x = setup.start();
        let apart = |number| format!("X-Forwarded-For: 198.51.100.{number}\r\n");
        assert_eq!(refused(&statuses(&x, [127, 0, 0, 1], 20, apart)), 0);
    }
    for (flag, value) in [
        ("--trusted-proxy", "10.0.0.1/8"),
        ("--trusted-proxy", "proxy.example.com"),
        ("--trusted-proxy", "10.0.0.0/33"),
        ("--control-from", "::/129"),
        ("--control-from", ""),
        ("--control-host", "exchange:8080"),
    ] {
        let arguments = Exchange::builder().flag(flag, value).arguments(&home.path().join("data"));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = run_to_end(&arguments);
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{flag} {value}: {line}");
        assert!(line.contains(flag) && line.contains(value), "{flag} {value}: {line}");
    }
    assert!(!home.path().join("data").exists(), "nothing was made");
}
