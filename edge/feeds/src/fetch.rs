//! Reads the document of a feed, within a size and a time.

use crate::Place;
use bytes::Bytes;
use http::{Request, StatusCode, Uri, header};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use std::error::Error;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, SystemTime};
use tokio::net::TcpStream;

/// The largest document.
const BYTES_MAX: usize = 64 << 10;

/// A document as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fetched {
    pub(crate) bytes: Vec<u8>,
    /// The file's modification time, or the server's `Last-Modified`.
    pub(crate) modified: Option<SystemTime>,
}

/// A document. `timeout` is that of a whole call.
///
/// # Errors
/// The failure, in text that can be logged.
pub(crate) async fn fetch(place: &Place, timeout: Duration) -> Result<Fetched, String> {
    match place {
        Place::File(path) => read(path),
        Place::Url(url) => match tokio::time::timeout(timeout, get(url)).await {
            Ok(answer) => answer.map_err(|error| reasons(error.as_ref())),
            Err(_) => Err("no whole answer in time".to_owned()),
        },
    }
}

fn too_large() -> String {
    format!("larger than {BYTES_MAX} bytes")
}

fn read(path: &Path) -> Result<Fetched, String> {
    let readable = |error: std::io::Error| error.to_string();
    // Opening a pipe would wait for its writer.
    if !path.metadata().map_err(readable)?.is_file() {
        return Err("no regular file".to_owned());
    }
    let mut bytes = Vec::new();
    let limit = u64::try_from(BYTES_MAX).unwrap_or(u64::MAX);
    let file = File::open(path).map_err(readable)?;
    let modified = file.metadata().and_then(|metadata| metadata.modified()).ok();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(readable)?;
    if bytes.len() > BYTES_MAX { Err(too_large()) } else { Ok(Fetched { bytes, modified }) }
}

async fn get(url: &Uri) -> Result<Fetched, Box<dyn Error + Send + Sync>> {
    let host = url.host().ok_or("no host")?;
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let stream = TcpStream::connect((bare, url.port_u16().unwrap_or(80))).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // It ends with the sender; its error reaches the answer.
    let driver = tokio::spawn(async move { connection.await.ok() });
    let path = url.path_and_query().map_or("/", |path| path.as_str());
    let authority = url.authority().map_or(host, |authority| authority.as_str());
    let request = Request::get(path)
        .header(header::HOST, authority)
        .header(header::ACCEPT, "application/json")
        .header(header::CONNECTION, "close")
        .body(Empty::<Bytes>::new())?;
    let answer = sender.send_request(request).await?;
    if answer.status() != StatusCode::OK {
        return Err(format!("status {}", answer.status().as_u16()).into());
    }
    let modified = answer.headers().get(header::LAST_MODIFIED).and_then(|value| value.to_str().ok());
    let modified = modified.and_then(|text| httpdate::parse_http_date(text).ok());
    let body = Limited::new(answer.into_body(), BYTES_MAX).collect().await.map_err(|error| {
        if error.is::<http_body_util::LengthLimitError>() { too_large().into() } else { error }
    })?;
    driver.abort();
    Ok(Fetched { bytes: body.to_bytes().into(), modified })
}

/// An error with what caused it.
fn reasons(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error: &&(dyn Error + 'static)| (*error).source());
    let texts: Vec<String> = causes.map(ToString::to_string).collect();
    texts.join(": ")
}

#[cfg(test)]
mod tests;
