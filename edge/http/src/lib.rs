//! The HTTP server.
//!
//! [`serve`] accepts connections, distributes them over serving threads and reads their requests. Each
//! request goes to a [`Handler`], which answers with a [`Reply`]. The server limits the size of heads and
//! bodies, the time to send them, the number of connections, and the memory of answers that clients do not
//! read. A reply may switch a connection to a [`Socket`].
//!
//! Not here: routes (`call`, `rest`), the JSON of refusals (`wire`), who may call (`gate`).

mod abort_on_panic;
mod bare_refusal;
mod body;
mod connection;
mod connection_care;
mod connection_state;
mod fault;
mod framing;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod guarded_stream;
mod handler;
mod idle_order;
mod kernel;
mod limits;
mod packed;
mod permits;
mod reply;
mod request_id;
mod server;
mod socket;
mod upgrade;

pub use body::Body;
pub use fault::Fault;
pub use handler::{Entrance, Handler, Request, SignedMark};
pub use packed::{packed, takes_gzip};
pub use permits::{OpenConnections, Places};
pub use reply::Reply;
pub use request_id::{client_left, with_request_id};
pub use server::{Listeners, Server, own_files, serve, serve_aside};
pub use socket::{Code, Frames, Link, Socket, Source};
pub use upgrade::{Accepted, NoUpgrade, SOCKET_VERSION, Serve, asks_for_socket, handshake};
