//! Calls of a real node: JSON-RPC over HTTP/1.1, one connection for each call.
//!
//! Plain HTTP only: a node of one's own is on the same machine or behind a tunnel.

mod http;
mod url;

pub use url::{NodeUrl, UrlError};

use crate::Unanswered;
use serde_json::{Value, json};
use std::time::Duration;

/// The longest part of a node's message that is kept.
const MESSAGE_MAX: usize = 300;

/// Why a call gave no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RpcFault {
    /// No answer, or none that can be read.
    Silent(Unanswered),
    /// The node's error.
    Error {
        /// Its number, if it has one.
        code: Option<i64>,
        /// Its message, shortened.
        message: String,
    },
}

impl From<RpcFault> for Unanswered {
    fn from(fault: RpcFault) -> Self {
        match fault {
            RpcFault::Silent(unanswered) => unanswered,
            RpcFault::Error { message, .. } => Unanswered::new(message),
        }
    }
}

/// A node by its URL.
#[derive(Debug)]
pub(crate) struct Rpc {
    url: NodeUrl,
    timeout: Duration,
    calls: u64,
}

impl Rpc {
    /// `timeout` is that of a whole call.
    pub(crate) fn new(url: NodeUrl, timeout: Duration) -> Self {
        Self { url, timeout, calls: 0 }
    }

    /// Calls a method.
    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Result<Value, RpcFault> {
        self.calls += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.calls, "method": method, "params": params});
        let silent = |reason: String| RpcFault::Silent(Unanswered::new(format!("{method}: {reason}")));
        let reply = http::post(&self.url, request.to_string().as_bytes(), self.timeout).map_err(silent)?;
        let Ok(Value::Object(mut answer)) = serde_json::from_slice(&reply.body) else {
            return Err(silent(format!("status {}, and no JSON object", reply.status)));
        };
        if answer.get("id") != Some(&json!(self.calls)) {
            return Err(silent("an answer to another call".to_owned()));
        }
        match answer.remove("error") {
            None | Some(Value::Null) => answer.remove("result").ok_or_else(|| silent("no result".to_owned())),
            Some(error) => {
                let message = error.get("message").and_then(Value::as_str).unwrap_or("an unnamed error");
                let code = error.get("code").and_then(Value::as_i64);
                Err(RpcFault::Error { code, message: message.chars().take(MESSAGE_MAX).collect() })
            }
        }
    }
}
