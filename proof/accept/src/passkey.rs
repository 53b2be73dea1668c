//! A passkey in software: an authenticator and its browser, which may misbehave.
//!
//! ES256 alone, with attestation `none`, as WebAuthn level 3 and CTAP 2 write both.

use base64_simd::URL_SAFE_NO_PAD;
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The user is present, was verified, and the data contain a new credential.
const PRESENT: u8 = 0x01;
const VERIFIED: u8 = 0x04;
const ATTESTED: u8 = 0x40;

/// A passkey with its browser. Tests change the fields to misbehave.
#[derive(Clone, Debug)]
pub struct Passkey {
    /// The origin that the browser writes.
    pub origin: String,
    /// The relying party that the authenticator writes; none for the one of the options.
    pub rp_id: Option<String>,
    /// Whether the authenticator verifies its user.
    pub verifies: bool,
    /// Whether it makes an RSA key, which was not offered.
    pub is_rsa: bool,
    /// The signature counter of the next use.
    pub counter: u32,
    /// The credential's id.
    pub id: Vec<u8>,
    /// The handle of its user, once it was made.
    pub handle: Option<String>,
    /// The private key.
    pub key: SigningKey,
}

fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode_to_string(bytes)
}

impl Passkey {
    /// A passkey, by its number, in a browser at this origin.
    ///
    /// # Panics
    /// When the number is 0.
    pub fn new(number: u8, origin: &str) -> Self {
        let key = SigningKey::from_slice(&[number; 32]).expect("every small number is a key");
        Self {
            origin: origin.to_owned(),
            rp_id: None,
            verifies: true,
            is_rsa: false,
            counter: 1,
            id: vec![number; 16],
            handle: None,
            key,
        }
    }

    fn client_data(&self, kind: &str, options: &Value) -> Vec<u8> {
        let data = json!({
            "type": kind,
            "challenge": options["challenge"],
            "origin": self.origin,
            "crossOrigin": false,
        });
        data.to_string().into_bytes()
    }

    /// The hash of the relying party's id, the flags and the counter.
    fn authenticator_data(&mut self, rp_id: &Value, flags: u8) -> Vec<u8> {
        let asked = rp_id.as_str().expect("the options name the relying party");
        let rp_id = self.rp_id.as_deref().unwrap_or(asked);
        let verified = if self.verifies { VERIFIED } else { 0 };
        let mut data = Sha256::digest(rp_id).to_vec();
        data.push(PRESENT | verified | flags);
        data.extend(self.counter.to_be_bytes());
        self.counter = self.counter.saturating_add(1);
        data
    }

    /// The public key as COSE.
    fn cose(&self) -> Vec<u8> {
        if self.is_rsa {
            let begin = [0xA4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x59, 0x01, 0x00];
            return [&begin[..], &[0xC5; 256], &[0x21, 0x43, 1, 0, 1]].concat();
        }
        let point = self.key.verifying_key().to_sec1_point(false);
        let bytes = point.as_bytes();
        let begin = [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20];
        [&begin[..], &bytes[1..33], &[0x22, 0x58, 0x20], &bytes[33..]].concat()
    }

    /// Answers the options of `/site/passkeys/begin`.
    ///
    /// # Panics
    /// When the options lack what WebAuthn needs.
    pub fn create(&mut self, options: &Value) -> Value {
        let options = &options["publicKey"];
        self.handle = options["user"]["id"].as_str().map(str::to_owned);
        let client_data = self.client_data("webauthn.create", options);
        let mut data = self.authenticator_data(&options["rp"]["id"], ATTESTED);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.id.len()).expect("a short id").to_be_bytes());
        data.extend(&self.id);
        data.extend(self.cose());
        let length = u16::try_from(data.len()).expect("short data").to_be_bytes();
        let begin = b"\xA3\x63fmt\x64none\x67attStmt\xA0\x68authData\x59";
        let attestation = [&begin[..], &length, &data].concat();
        json!({
            "id": encoded(&self.id),
            "rawId": encoded(&self.id),
            "type": "public-key",
            "response": {
                "clientDataJSON": encoded(&client_data),
                "attestationObject": encoded(&attestation),
                "transports": ["internal"],
            },
            "clientExtensionResults": {},
        })
    }

    /// Answers the options of `/site/signin/passkey/begin`.
    ///
    /// # Panics
    /// When the options lack what WebAuthn needs.
    pub fn sign(&mut self, options: &Value) -> Value {
        let options = &options["publicKey"];
        let client_data = self.client_data("webauthn.get", options);
        let data = self.authenticator_data(&options["rpId"], 0);
        let signed = [&data[..], &Sha256::digest(&client_data)].concat();
        let signature: Signature = self.key.sign(&signed);
        json!({
            "id": encoded(&self.id),
            "rawId": encoded(&self.id),
            "type": "public-key",
            "response": {
                "clientDataJSON": encoded(&client_data),
                "authenticatorData": encoded(&data),
                "signature": encoded(signature.to_der().as_bytes()),
                "userHandle": self.handle,
            },
            "clientExtensionResults": {},
        })
    }
}
