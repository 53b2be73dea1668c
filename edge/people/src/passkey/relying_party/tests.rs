//! Answers of a software authenticator, right and wrong.

use super::*;
use serde_json::json;

const ORIGIN: &str = "http://localhost:8080";
/// A point of P-256: its base point.
const KEY: [[u8; 32]; 2] = [
    [
        0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40, 0xf2, 0x77,
        0x03, 0x7d, 0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98, 0xc2, 0x96,
    ],
    [
        0x4f, 0xe3, 0x42, 0xe2, 0xfe, 0x1a, 0x7f, 0x9b, 0x8e, 0xe7, 0xeb, 0x4a, 0x7c, 0x0f, 0x9e, 0x16, 0x2b,
        0xce, 0x33, 0x57, 0x6b, 0x31, 0x5e, 0xce, 0xcb, 0xb6, 0x40, 0x68, 0x37, 0xbf, 0x51, 0xf5,
    ],
];

fn party() -> RelyingParty {
    RelyingParty::at(ORIGIN, "svc").unwrap()
}

/// The state of a challenge, and the client data of an answer to it.
fn begun(options: Options, kind: &str) -> (Value, Vec<u8>) {
    let challenge = options.state["challenge"].clone();
    let data = json!({ "type": kind, "challenge": challenge, "origin": ORIGIN });
    (options.state, data.to_string().into_bytes())
}

fn creation() -> Options {
    let owner = Owner { handle: &[7; 32], email: "a@b.test", name: "A", credentials: Vec::new() };
    party().creation(owner).unwrap()
}

/// The data of an authenticator that made a passkey.
fn authenticator_data() -> Vec<u8> {
    let mut data = crate::secret::digest_of(b"localhost").to_vec();
    data.extend([0x45, 0, 0, 0, 1]);
    data.extend([0; 16]);
    data.extend([0, 16]);
    data.extend([9; 16]);
    data.extend([0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]);
    data.extend(KEY[0]);
    data.extend([0x22, 0x58, 0x20]);
    data.extend(KEY[1]);
    data
}

/// An attestation object in CBOR, with a statement of this format.
fn attestation(format: &str, statement: &[u8]) -> Vec<u8> {
    let data = authenticator_data();
    let lengths = [u8::try_from(format.len()).unwrap(), u8::try_from(data.len()).unwrap()];
    [
        b"\xA3\x63fmt",
        &[0x60 + lengths[0]][..],
        format.as_bytes(),
        b"\x67attStmt",
        statement,
        b"\x68authData\x58",
        &lengths[1..],
        &data,
    ]
    .concat()
}

fn made(attestation: Vec<u8>) -> Result<Made, WebauthnError> {
    let (state, client_data) = begun(creation(), "webauthn.create");
    let made = crate::MadePasskey { id: vec![9; 16], attestation, client_data };
    party().made(state, &made.into_reply())
}

/// An exchange at an address has no passkeys; at a name it has, with any port.
#[test]
fn a_relying_party_has_a_name() {
    for good in ["http://localhost:8080", "https://exchange.test", "http://localhost"] {
        assert!(RelyingParty::at(good, "svc").is_ok(), "{good}");
    }
    for bad in
        ["http://127.0.0.1:8080", "http://[::1]:8080", "http://", "http://:80", "", "http://127.1", "x"]
    {
        let refusal = RelyingParty::at(bad, "svc").map(|_| ()).unwrap_err();
        assert!(refusal.message.contains("host name"), "{bad}: {}", refusal.message);
    }
}

/// Attestation "none" is accepted; an empty statement of any other format is refused.
#[test]
fn attestations_are_plain() {
    let expected = Made { id: vec![9; 16], key: KEY, counter: 1, may_be_copied: false };
    assert_eq!(made(attestation("none", b"\xA0")).unwrap(), expected);
    for format in ["packed", "tpm", "android-key", "fido-u2f", "apple", "android-safetynet", "other", ""] {
        assert!(made(attestation(format, b"\xA0")).is_err(), "{format}");
    }
}

/// Foreign bytes are refused, and never end the thread.
#[test]
fn foreign_bytes_are_refused() {
    let mut random = 1_u64;
    let mut below = |most: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(random >> 33).unwrap() % most
    };
    let statements: [&[u8]; 4] = [
        b"\xA0",
        b"\xA2\x63alg\x26\x63sig\x44\x30\x02\x01\x01",
        b"\xA1\x63x5c\x81\x44\x30\x02\x01\x01",
        b"\xA3\x63alg\x26\x63sig\x41\x00\x63x5c\x80",
    ];
    for _ in 0..4_000 {
        let format = ["none", "packed", "tpm", "android-key", "fido-u2f", "apple"][below(6)];
        let mut bytes = attestation(format, statements[below(4)]);
        for _ in 0..below(4) {
            let at = below(bytes.len());
            bytes[at] = u8::try_from(below(256)).unwrap();
        }
        if below(3) == 0 {
            bytes.truncate(below(bytes.len()));
        }
        let _ = made(bytes);
    }
    let deep = [vec![0x81; 30_000], vec![0]].concat();
    assert!(made(deep).is_err());
    let passkey = Passkey {
        number: 1,
        credential: [0; 32],
        name: String::new(),
        key: KEY,
        counter: 0,
        may_be_copied: false,
        created: buttonwood_model::Time(0),
    };
    for _ in 0..1_000 {
        let (state, client_data) = begun(party().request().unwrap(), "webauthn.get");
        let mut authenticator_data = authenticator_data();
        authenticator_data.truncate(below(160));
        let signature = (0..below(80)).map(|_| u8::try_from(below(256)).unwrap()).collect();
        let signed = crate::SignedPasskey {
            id: vec![9; 16],
            authenticator_data,
            client_data,
            signature,
            user_handle: None,
        };
        assert!(party().signed(state, &passkey, &signed.into_reply()).is_err());
    }
}

/// The origin is that of the listener, at any address at which it listens, or the public one as it is.
#[test]
fn the_origin_is_the_listeners() {
    for (url, is_public, expected) in [
        ("http://127.0.0.1:8080", false, "http://localhost:8080"),
        ("http://[::1]:9000", false, "http://localhost:9000"),
        ("http://192.0.2.7", false, "http://localhost"),
        ("https://exchange.test", true, "https://exchange.test"),
        ("https://exchange.test:8443", true, "https://exchange.test:8443"),
    ] {
        assert_eq!(origin_of(url, is_public), expected, "{url}");
    }
    let refusal = foreign("http://evil.test:8080", "http://localhost:8080");
    assert!(refusal.message.contains("'localhost:8080'") && refusal.message.contains("--public-url"));
}

/// An answer that a frame in a page of another site made is refused.
#[test]
fn a_frame_of_another_site_makes_no_passkey() {
    let with = |field: &str, value: Value| {
        let (state, client_data) = begun(creation(), "webauthn.create");
        let mut data: Value = serde_json::from_slice(&client_data).unwrap();
        data[field] = value;
        let client_data = data.to_string().into_bytes();
        let attestation = attestation("none", b"\xA0");
        let made = crate::MadePasskey { id: vec![9; 16], attestation, client_data };
        party().made(state, &made.into_reply())
    };
    assert!(with("crossOrigin", json!(false)).is_ok());
    assert!(matches!(with("crossOrigin", json!(true)), Err(WebauthnError::InvalidRPOrigin)));
    assert!(matches!(with("topOrigin", json!("https://evil.test")), Err(WebauthnError::InvalidRPOrigin)));
}
