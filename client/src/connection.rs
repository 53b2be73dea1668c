//! One kept-alive HTTP/1.1 connection, opened when first needed and again when it was closed.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, header};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::Mutex;

use crate::reply::{Error, Reply};

/// The connection of one client; its requests take turns.
#[derive(Debug)]
pub(crate) struct Connection {
    /// `host:port`.
    authority: String,
    timeout: Duration,
    sender: Mutex<Option<SendRequest<Full<Bytes>>>>,
}

impl Connection {
    pub(crate) fn new(authority: String, timeout: Duration) -> Self {
        Self { authority, timeout, sender: Mutex::new(None) }
    }

    pub(crate) fn authority(&self) -> &str {
        &self.authority
    }

    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Sends one request and reads the whole answer. A request that provably never left is sent again over a new
    /// connection. Any other failure is returned to the caller, since the exchange may have acted on the request.
    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> Result<Reply, Error> {
        let mut slot = self.sender.lock().await;
        // Taken out during the call: a call that is dropped half-way must not leave its answer to the next one.
        let open = slot.take();
        let exchange = async {
            let (answer, sender) = self.exchange(open, request).await?;
            Ok::<_, Error>((answer, sender))
        };
        let (reply, sender) = tokio::time::timeout(self.timeout, exchange)
            .await
            .map_err(|_| Error::TimedOut(self.timeout))??;
        *slot = Some(sender);
        Ok(reply)
    }

    async fn exchange(
        &self,
        open: Option<SendRequest<Full<Bytes>>>,
        mut request: Request<Full<Bytes>>,
    ) -> Result<(Reply, SendRequest<Full<Bytes>>), Error> {
        if !request.headers().contains_key(header::HOST)
            && let Ok(host) = header::HeaderValue::from_str(&self.authority)
        {
            request.headers_mut().insert(header::HOST, host);
        }
        if let Some(mut sender) = open
            && sender.ready().await.is_ok()
        {
            match sender.try_send_request(request).await {
                Ok(response) => return Ok((read(response).await?, sender)),
                Err(mut refused) => match refused.take_message() {
                    // The exchange closed the idle connection before a byte of this request left.
                    Some(unsent) => request = unsent,
                    None => return Err(refused.into_error().into()),
                },
            }
        }
        let mut sender = self.open().await?;
        sender.ready().await?;
        let response = sender.send_request(request).await?;
        Ok((read(response).await?, sender))
    }

    async fn open(&self) -> Result<SendRequest<Full<Bytes>>, Error> {
        let refused = |source| Error::Connect { address: self.authority.clone(), source };
        let stream = TcpStream::connect(&self.authority).await.map_err(refused)?;
        stream.set_nodelay(true).map_err(refused)?;
        let (sender, driver) = http1::handshake(TokioIo::new(stream)).await?;
        // The driver ends with the sender; its error reaches the caller through the sender.
        tokio::spawn(async move { driver.await.ok() });
        Ok(sender)
    }
}

async fn read(response: http::Response<hyper::body::Incoming>) -> Result<Reply, Error> {
    let (head, body) = response.into_parts();
    let body = body.collect().await?.to_bytes();
    Ok(Reply { status: head.status.as_u16(), headers: head.headers, body })
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;
    use std::thread::JoinHandle;

    use super::*;

    /// A server that answers `answers[i]` requests on its i-th connection, then closes it.
    fn server(answers: &'static [usize]) -> (String, JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let thread = std::thread::spawn(move || {
            for (connection, count) in answers.iter().enumerate() {
                let (mut stream, _) = listener.accept().unwrap();
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                for _ in 0..*count {
                    while lines.next().is_some_and(|line| !line.unwrap().is_empty()) {}
                    write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{connection}").unwrap();
                }
            }
        });
        (address, thread)
    }

    /// The bodies of as many requests as the server answers on each of its connections.
    async fn bodies(address: &str, answers: &[usize]) -> String {
        let connection = Connection::new(address.to_owned(), Duration::from_secs(10));
        let mut bodies = String::new();
        for count in answers {
            for _ in 0..*count {
                let request = Request::get("/").body(Full::default()).unwrap();
                bodies += &connection.send(request).await.unwrap().text();
            }
            // The end of the closed connection arrives, as it would between two calls of a trader.
            let ends = async {
                while connection.sender.lock().await.as_ref().is_some_and(|sender| !sender.is_closed()) {
                    tokio::task::yield_now().await;
                }
            };
            tokio::time::timeout(Duration::from_secs(10), ends).await.expect("the server closes it");
        }
        bodies
    }

    #[tokio::test]
    async fn keeps_a_connection_and_opens_it_again() {
        const ANSWERS: [usize; 3] = [2, 1, 2];
        let (address, thread) = server(&ANSWERS);
        assert_eq!(bodies(&address, &ANSWERS).await, "00122");
        thread.join().unwrap();
    }

    #[tokio::test]
    async fn says_where_it_could_not_connect() {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let connection = Connection::new(address.clone(), Duration::from_secs(10));
        let request = Request::get("/").body(Full::default()).unwrap();
        let error = connection.send(request).await.unwrap_err();
        assert!(matches!(&error, Error::Connect { .. }) && error.to_string().contains(&address), "{error}");
    }
}
