//! QR codes: as pictures, `/site/qr.svg`, for deposit addresses, and as paths in the answer that has an authenticator's secret, which no
//! address may hold. The pages need no library for them.

use super::caller::Caller;
use buttonwood_call::Later;
use buttonwood_gate::{Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_wire::contract::{InQuery, Needed, Query, Text};
use buttonwood_wire::field::{bad_query, failed};
use buttonwood_wire::url_encoded::decoded;
use buttonwood_wire::{answer, request};
use qrcodegen::{QrCode, QrCodeEcc};
use std::fmt::Write as _;

/// Bytes of a code's text at most.
const TEXT_MAX: usize = 300;
/// Light modules around a code, without which scanners do not find it.
const BORDER: i32 = 4;

request! {
    /// The text of a code.
    struct Coded in InQuery {
        /// 1 to 300 bytes, percent-encoded.
        text: Needed<Text>,
    }
}

answer! {
    /// A QR code to draw.
    pub(super) struct Drawing {
        /// The modules of a side, with four light ones around the code.
        side: u64,
        /// The dark modules as the path of an SVG whose view box is that side: dark on a light ground, in any theme.
        path: String,
    }
}

/// The code of a text.
pub(super) fn drawing(text: &str) -> Result<Drawing, Refusal> {
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).map_err(|_| failed())?;
    Ok(Drawing { side: u64::from(side(&code).unsigned_abs()), path: path(&code) })
}

pub(super) fn picture<'a>(_caller: &'a Caller<'a>, query: Query<'a>) -> Later<'a> {
    Box::pin(async move {
        let sent = Coded::of(query).text()?;
        let text = decoded(sent.as_bytes()).map_err(|why| {
            let message = format!("Query parameter 'text' has {why}: {}", buttonwood_gate::quoted(sent));
            Refusal::new(Reason::InvalidParameterValue, message)
        })?;
        if !(1..=TEXT_MAX).contains(&text.len()) {
            return Err(bad_query("text", &format!("1 to {TEXT_MAX} bytes"), &text));
        }
        // 300 bytes fit a code of any level.
        let code = QrCode::encode_text(&text, QrCodeEcc::Medium).map_err(|_| failed())?;
        Ok(Reply::page("image/svg+xml", svg(&code).into_bytes()))
    })
}

/// Dark runs of modules on a light ground, in any theme: scanners expect it so.
fn svg(code: &QrCode) -> String {
    let (side, path) = (side(code), path(code));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" shape-rendering=\"crispEdges\">\
         <rect width=\"{side}\" height=\"{side}\" fill=\"#fff\"/><path d=\"{path}\"/></svg>\n"
    )
}

fn side(code: &QrCode) -> i32 {
    code.size() + 2 * BORDER
}

/// The runs of dark modules.
fn path(code: &QrCode) -> String {
    let mut out = String::new();
    for y in 0..code.size() {
        let mut x = 0;
        while x < code.size() {
            let length =
                (x..code.size()).take_while(|at| code.get_module(*at, y)).fold(0, |count, _| count + 1);
            if length > 0 {
                // Writing to a text cannot fail.
                let _ = write!(out, "M{} {}h{length}v1h-{length}z", x + BORDER, y + BORDER);
            }
            x += length.max(1);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The runs of a picture are the dark modules of its code, and no text of a client stands in it.
    #[test]
    fn a_picture_has_the_modules_of_its_code() {
        let code = QrCode::encode_text("bc1q<&\"'>", QrCodeEcc::Medium).unwrap();
        let picture = svg(&code);
        let path = picture.split_once("d=\"").unwrap().1.split_once('"').unwrap().0;
        let mut drawn = Vec::new();
        for run in path.split('M').skip(1) {
            let (place, rest) = run.split_once('h').unwrap();
            let (x, y) = place.split_once(' ').unwrap();
            let length: i32 = rest.split_once('v').unwrap().0.parse().unwrap();
            let (x, y): (i32, i32) = (x.parse().unwrap(), y.parse().unwrap());
            drawn.extend((0..length).map(|step| (y - BORDER, x - BORDER + step)));
        }
        let all = (0..code.size()).flat_map(|y| (0..code.size()).map(move |x| (y, x)));
        let dark: Vec<_> = all.filter(|(y, x)| code.get_module(*x, *y)).collect();
        assert_eq!(drawn, dark);
        assert!(!picture.contains("bc1q"));
        let drawn = drawing("bc1q<&\"'>").unwrap();
        assert_eq!((drawn.path.as_str(), drawn.side), (path, u64::from(side(&code).unsigned_abs())));
        assert!(QrCode::encode_text(&"\u{e4}".repeat(TEXT_MAX / 2), QrCodeEcc::Medium).is_ok());
    }
}
