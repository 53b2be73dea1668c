//! Credentials and the signature of a private request.
//!
//! The signature is the hex HMAC-SHA384 over the Base64 text of the payload, exactly as sent (AUTH-003).

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha384;
use zeroize::Zeroize;

/// An API key and what is needed to sign with it.
#[derive(Clone)]
pub struct Credentials {
    /// Identifies the caller.
    pub api_key: String,
    /// Signs the requests; never sent.
    pub api_secret: String,
}

impl Credentials {
    /// A key and its secret.
    pub fn new(api_key: impl Into<String>, api_secret: impl Into<String>) -> Self {
        Self { api_key: api_key.into(), api_secret: api_secret.into() }
    }

    /// Encodes and signs a payload of any bytes.
    pub fn sign(&self, payload: &[u8]) -> Signed {
        self.sign_text(base64_simd::STANDARD.encode_to_string(payload))
    }

    /// Signs a payload header that is already text, Base64 or not.
    pub fn sign_text(&self, payload: String) -> Signed {
        self.signer().sign_text(payload)
    }

    /// The signer of this key; the secret is wiped.
    pub(crate) fn into_signer(self) -> Signer {
        self.signer()
    }

    fn signer(&self) -> Signer {
        Signer { api_key: self.api_key.clone(), mac: keyed(&self.api_secret) }
    }
}

/// An API key that is ready to sign. It holds the state of a keyed hash, from which the secret cannot be computed.
#[derive(Clone)]
pub(crate) struct Signer {
    api_key: String,
    mac: Hmac<Sha384>,
}

impl Signer {
    /// Encodes and signs a payload of any bytes.
    pub(crate) fn sign(&self, payload: &[u8]) -> Signed {
        self.sign_text(base64_simd::STANDARD.encode_to_string(payload))
    }

    fn sign_text(&self, payload: String) -> Signed {
        let signature = hex(self.mac.clone(), payload.as_bytes());
        Signed { api_key: self.api_key.clone(), payload, signature }
    }
}

impl std::fmt::Debug for Signer {
    /// Shows the key, never what signs.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signer").field("api_key", &self.api_key).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Credentials {
    /// Shows the key, never the secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").field("api_key", &self.api_key).finish_non_exhaustive()
    }
}

impl Drop for Credentials {
    fn drop(&mut self) {
        self.api_secret.zeroize();
    }
}

/// The values of the three headers of a private request.
#[derive(Clone, Debug)]
pub struct Signed {
    /// Value of the `APIKEY` header.
    pub api_key: String,
    /// Value of the `PAYLOAD` header.
    pub payload: String,
    /// Value of the `SIGNATURE` header.
    pub signature: String,
}

impl Signed {
    /// All headers of a private request as the specification lists them, the body's length excepted.
    pub fn headers(&self) -> Vec<(String, String)> {
        let headers = [
            ("Content-Type", "text/plain"),
            ("Cache-Control", "no-cache"),
            ("X-SVC-APIKEY", &self.api_key),
            ("X-SVC-PAYLOAD", &self.payload),
            ("X-SVC-SIGNATURE", &self.signature),
        ];
        headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
    }
}

/// The lower-case hex HMAC-SHA384 of `text` under `secret`.
pub fn signature(secret: &str, text: &[u8]) -> String {
    hex(keyed(secret), text)
}

fn keyed(secret: &str) -> Hmac<Sha384> {
    Hmac::new_from_slice(secret.as_bytes()).expect("HMAC takes a key of any length")
}

fn hex(mac: Hmac<Sha384>, text: &[u8]) -> String {
    const_hex::encode(mac.chain_update(text).finalize().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test case 2.
    #[test]
    fn known_vector() {
        assert_eq!(
            signature("Jefe", b"what do ya want for nothing?"),
            "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649"
        );
    }

    #[test]
    fn the_payload_is_sent_as_base64() {
        let signed = Credentials::new("account-a", "s").sign(b"{}");
        assert_eq!(signed.payload, "e30=");
        assert!(signed.headers().contains(&("X-SVC-PAYLOAD".to_owned(), signed.payload)));
    }

    #[test]
    fn debug_hides_the_secret() {
        let shown = format!("{:?}", Credentials::new("account-a", "hush"));
        assert!(!shown.contains("hush"), "{shown}");
    }
}
