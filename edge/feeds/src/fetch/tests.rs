//! Documents in files and at servers that answer right, wrong, too much or not at all.

use super::*;
use crate::Feed;
use std::io::Write;
use std::net::TcpListener;

fn fetched(place: &Place) -> Result<String, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime
        .block_on(fetch(place, Duration::from_mins(1)))
        .map(|fetched| String::from_utf8(fetched.bytes).unwrap())
}

/// Both places say when their document was modified, if they know.
#[test]
fn modification_times_are_read() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("prices.json");
    std::fs::write(&path, "{}").unwrap();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
    File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
    assert_eq!(read(&path).unwrap().modified, Some(time));
    let modified = |headers: &str| {
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n{headers}\r\n{{}}");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = place(&format!("http://{}/", listener.local_addr().unwrap()));
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4_096]).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let fetched = runtime.block_on(fetch(&url, Duration::from_mins(1))).unwrap();
        server.join().unwrap();
        fetched.modified
    };
    assert_eq!(modified("Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n"), Some(time));
    assert_eq!((modified(""), modified("Last-Modified: yesterday\r\n")), (None, None));
}

fn place(text: &str) -> Place {
    Feed::parse(&format!("feed={text}")).unwrap().place
}

/// The result of reading a server's first answer, and the request that the server got.
fn served(answer: &'static [u8]) -> (Result<String, String>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/prices?of=all", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        let mut room = [0; 4_096];
        while !request.ends_with(b"\r\n\r\n") {
            let read = stream.read(&mut room).unwrap();
            request.extend_from_slice(&room[..read]);
        }
        // The reader may have closed the connection already.
        let _ = stream.write_all(answer);
        String::from_utf8(request).unwrap()
    });
    let read = fetched(&place(&url));
    (read, server.join().unwrap())
}

#[test]
fn a_server_is_asked() {
    let (read, request) = served(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    assert_eq!(read.as_deref(), Ok("{}"));
    assert!(request.starts_with("GET /prices?of=all HTTP/1.1\r\nhost: 127.0.0.1:"), "{request}");
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n";
    assert_eq!(served(chunked).0.as_deref(), Ok("{}"));
    assert_eq!(served(b"HTTP/1.0 200 OK\r\n\r\n{}").0.as_deref(), Ok("{}"));
}

#[test]
fn wrong_answers_are_refused() {
    let large = [b"HTTP/1.1 200 OK\r\n\r\n".as_slice(), &vec![b' '; BYTES_MAX + 1]].concat();
    for (answer, part) in [
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}".as_slice(), "status 404"),
        (b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n", "status 302"),
        (b"garbage\r\n\r\n", "invalid HTTP"),
        (b"", "closed"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{}", "error reading a body"),
        (large.leak(), "larger than 65536 bytes"),
    ] {
        let refused = served(answer).0.unwrap_err();
        assert!(refused.contains(part), "{refused}");
    }
    // Its port is free again.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    assert!(fetched(&place(&url)).unwrap_err().contains("refused"));
}

/// A server that never answers is given up.
#[test]
fn a_silent_server_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = place(&format!("http://{}/", listener.local_addr().unwrap()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let read = runtime.block_on(fetch(&url, Duration::from_millis(50)));
    assert_eq!(read.unwrap_err(), "no whole answer in time");
}

#[test]
fn files_are_read() {
    let home = tempfile::tempdir().unwrap();
    let path = |name: &str| place(home.path().join(name).to_str().unwrap());
    std::fs::write(home.path().join("prices.json"), "{}").unwrap();
    assert_eq!(fetched(&path("prices.json")).as_deref(), Ok("{}"));
    std::fs::write(home.path().join("large.json"), vec![b' '; BYTES_MAX + 1]).unwrap();
    assert!(fetched(&path("large.json")).unwrap_err().contains("larger than 65536 bytes"));
    assert!(fetched(&path("missing.json")).unwrap_err().contains("No such file"));
    assert_eq!(fetched(&path("")).unwrap_err(), "no regular file");
    assert_eq!(fetched(&place("/dev/zero")).unwrap_err(), "no regular file");
}
