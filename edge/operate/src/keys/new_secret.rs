//! The secret of a new key: on its way to the vault, to the gate, and once to the one who made it.

use crate::Shared;
use buttonwood_gate::{Key, Refusal, Secret};
use buttonwood_model::{Nonce, SessionId};
use buttonwood_wire::contract::{Components, Node, Shape};
use buttonwood_wire::field::failed;
use buttonwood_wire::json::Json;
use std::sync::Arc;

/// Bytes of an answer with a secret at most. It is written into a buffer of this size, since one that grows leaves copies behind.
const ANSWER_MAX: usize = 16 * 1024;

/// A secret in an answer: wiped when the answer is dropped.
#[derive(Debug)]
pub(super) struct SecretText(pub(super) Secret);

impl Shape for SecretText {
    fn node(components: &mut Components) -> Node {
        String::node(components)
    }

    fn write(&self, json: &mut Json) {
        // Drawn from letters and digits, so it needs no escapes, which would be a copy.
        json.plain_item(self.0.text());
    }
}

/// An answer with a secret, in JSON.
pub(super) fn secret_body(answer: &impl Shape) -> Vec<u8> {
    let mut json = Json::with_capacity(ANSWER_MAX);
    answer.write(&mut json);
    json.into_bytes()
}

impl Shared {
    /// Stores the secret of a key that the journal does not name yet.
    pub(super) async fn store_secret(&self, api_key: &str, secret: &Secret) -> Result<(), Refusal> {
        let (keeper, api_key, secret) = (Arc::clone(&self.keeper), api_key.to_owned(), secret.clone());
        match tokio::task::spawn_blocking(move || keeper.store(&api_key, &secret)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(fault)) => {
                tracing::error!(%fault, "the secret of a new key cannot be stored");
                Err(failed())
            }
            Err(_) => Err(failed()),
        }
    }

    /// Lets the gate know a key that is durable.
    pub(super) fn let_in(&self, api_key: &str, secret: &Secret) -> Result<SessionId, Refusal> {
        let views = self.exchange.views();
        let access = views.state().access();
        let key =
            access.find_session(api_key).and_then(|session| Key::of(access, session)).ok_or_else(failed)?;
        drop(views);
        let session = key.session;
        self.gate.keys().insert(key, secret, Nonce::default());
        Ok(session)
    }
}
