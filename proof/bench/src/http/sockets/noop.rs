//! Sockets that do nothing: the product's own HTTP server, with a handler that takes every handshake, reads the JSON of each message, and
//! answers it with the same text.

use std::cell::Cell;
use std::future::ready;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::sync::Arc;

use buttonwood_http::{
    Fault, Frames, Handler, Listeners, Places, Reply, Request, Socket, Source, handshake, serve as serve_http,
};
use http::StatusCode;
use serde::Deserialize;

/// Like the answer to a new order.
const REPLY: &str = r#"{"id":1,"status":200,"result":{"orderId":"1234567","status":"OPEN","executed":"0","remaining":"0.001"}}"#;
/// Connections at most.
const PLACES: usize = 1_000;

/// The fields of both calls; those of the parameters are in one of them only.
#[derive(Deserialize)]
struct Call<'a> {
    id: u64,
    method: &'a str,
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Params<'a> {
    symbol: Option<&'a str>,
    side: Option<&'a str>,
    r#type: Option<&'a str>,
    time_in_force: Option<&'a str>,
    quantity: Option<&'a str>,
    price: Option<&'a str>,
    order_id: Option<&'a str>,
}

/// Whether a message is one of the two calls.
fn is_call(message: &str) -> bool {
    let Ok(Call { id, method, params }) = serde_json::from_str(message) else { return false };
    let Params { symbol, side, r#type, time_in_force, quantity, price, order_id } = params;
    let is_whole = match method {
        "order.place" => [symbol, side, r#type, time_in_force, quantity, price].iter().all(Option::is_some),
        "order.cancel" => order_id.is_some(),
        _ => false,
    };
    id > 0 && is_whole
}

struct Nothing;

impl Handler for Nothing {
    async fn answer(&self, request: Request<'_>) -> Reply {
        match handshake(request.head) {
            Ok(accepted) => Reply::switching(accepted, Box::new(|socket| Box::pin(answer_all(socket)))),
            Err(_) => Reply::text(StatusCode::UPGRADE_REQUIRED, "sockets only"),
        }
    }

    fn thread_task(&self) -> impl Future<Output = ()> + 'static {
        ready(())
    }

    fn sharer(&self, address: IpAddr) -> Option<IpAddr> {
        Some(address)
    }

    fn refuse(_: Fault) -> Reply {
        Reply::text(StatusCode::BAD_REQUEST, "no request")
    }
}

/// The answers of one socket.
#[derive(Default)]
struct Answers {
    /// Those to messages that were read.
    owed: Cell<usize>,
    /// Those that may leave.
    leaving: Cell<usize>,
}

impl Source for Answers {
    fn fill(&self, out: &mut Frames<'_>, room: usize) {
        while out.len() < room && self.leaving.get() > 0 {
            out.push(&[REPLY.as_bytes()]);
            self.leaving.update(|count| count - 1);
        }
    }
}

/// Reads all messages that are there, and then answers them in one write. One that is no call ends the socket.
async fn answer_all(mut socket: Socket) {
    let answers = Answers::default();
    loop {
        tokio::select! {
            biased;
            message = socket.next(&answers, true) => match message {
                Some(call) if is_call(&call) => answers.owed.update(|count| count + 1),
                Some(_) | None => return,
            },
            () = ready(()), if answers.owed.get() > 0 => answers.leaving.set(answers.owed.take()),
        }
    }
}

/// Serves on a free port until killed; prints `ready` like the product.
pub(crate) fn serve() -> ! {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let address = listener.local_addr().expect("a bound listener has an address");
    let listeners = Listeners { main: listener, side: None, stream: None };
    let _server = serve_http(listeners, Arc::new(Nothing), Places::new(PLACES, 100)).expect("threads");
    println!("ready http://{address}");
    std::io::stdout().flush().expect("standard output is open");
    loop {
        std::thread::park();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_from_other_messages() {
        let place = r#"{"id":1,"method":"order.place","params":{"symbol":"btcusd","side":"BUY","type":"LIMIT","timeInForce":"GTC","quantity":"1","price":"2"}}"#;
        assert!(is_call(place) && is_call(r#"{"id":1,"method":"order.cancel","params":{"orderId":"7"}}"#));
        for other in ["", "{}", &place.replace("price", "prices"), &place.replace("place", "cancel")] {
            assert!(!is_call(other), "{other}");
        }
    }
}
