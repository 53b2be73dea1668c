//! WebAuthn itself, by `webauthn-rs-core`: options, and the checks of what an authenticator signed.

use buttonwood_engine::identity::Passkey;
use buttonwood_gate::Refusal;
use buttonwood_wire::field::{bad_value, failed};
use serde_json::Value;
use std::time::Duration;
use url::{Host, Url};
use webauthn_rs_core::WebauthnCore;
use webauthn_rs_core::error::WebauthnError;
use webauthn_rs_core::proto::AttestationFormat;
use webauthn_rs_core::proto::{
    AttestationConveyancePreference, AttestationMetadata, AuthenticationState, COSEAlgorithm, COSEEC2Key,
    COSEKey, COSEKeyType, Credential, ECDSACurve, ParsedAttestation, ParsedAttestationData,
    PublicKeyCredential, PublicKeyCredentialDescriptor, RegisterPublicKeyCredential, RegisteredExtensions,
    RegistrationState, UserVerificationPolicy,
};

/// How long a browser waits for its authenticator: as long as a challenge lives.
const TIMEOUT: Duration = Duration::from_mins(5);

/// Options for a browser, and the state that its answer is checked against.
pub(super) struct Options {
    /// `{"publicKey": …}`.
    pub(super) json: String,
    /// The state, which contains the challenge as `challenge`.
    pub(super) state: Value,
}

/// The passkey that an authenticator made, as it vouches for it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Made {
    /// The credential's id.
    pub(super) id: Vec<u8>,
    /// The public key.
    pub(super) key: [[u8; 32]; 2],
    /// The signature counter.
    pub(super) counter: u32,
    /// Whether the authenticator may copy it to other devices.
    pub(super) may_be_copied: bool,
}

/// The user whom a passkey is made for.
pub(super) struct Owner<'a> {
    /// The handle that the authenticator stores and returns; it says nothing about the user.
    pub(super) handle: &'a [u8],
    /// The address.
    pub(super) email: &'a str,
    /// The name.
    pub(super) name: &'a str,
    /// The ids of the passkeys that the user has.
    pub(super) credentials: Vec<Vec<u8>>,
}

/// The exchange at one origin.
pub(super) struct RelyingParty(WebauthnCore);

/// The origin of the exchange's passkeys: the public address, or `localhost` with the port of the listener at this address.
pub(super) fn origin_of(url: &str, is_public: bool) -> String {
    if is_public {
        return url.to_owned();
    }
    let port = Url::parse(url).ok().and_then(|url| url.port());
    port.map_or_else(|| "http://localhost".to_owned(), |port| format!("http://localhost:{port}"))
}

/// The refusal of a request that was sent to another host.
pub(super) fn foreign(origin: &str, own: &str) -> Refusal {
    let (_, host) = own.split_once("://").unwrap_or(("", own));
    let expected = format!(
        "the host name '{host}' for passkeys: they work at no IP address, and at another name or a mapped port only with --public-url"
    );
    let (_, sent) = origin.split_once("://").unwrap_or(("", origin));
    bad_value("Host", &expected, sent)
}

/// Refuses what a page of another site asked for in a frame: its user saw that page, and not the exchange.
fn check_same_origin(client_data: &[u8]) -> Result<(), WebauthnError> {
    let data: Value = serde_json::from_slice(client_data)?;
    let is_crossed = data.get("crossOrigin").is_some_and(|value| *value == Value::Bool(true));
    if is_crossed || data.get("topOrigin").is_some() {
        return Err(WebauthnError::InvalidRPOrigin);
    }
    Ok(())
}

impl RelyingParty {
    /// The exchange at this origin; its host is the relying party's id.
    ///
    /// # Errors
    /// 400 where the host is no name: browsers make no passkeys for an IP address (D-142).
    pub(super) fn at(origin: &str, service: &str) -> Result<Self, Refusal> {
        let url = Url::parse(origin).ok();
        let Some((url, host)) = url.and_then(|url| {
            let Some(Host::Domain(host)) = url.host() else { return None };
            let host = host.to_owned();
            Some((url, host))
        }) else {
            let expected = "a host name, which --public-url gives: passkeys do not work at an IP address";
            return Err(bad_value("Host", expected, origin));
        };
        Ok(Self(WebauthnCore::new_unsafe_experts_only(service, &host, vec![url], TIMEOUT, None, None)))
    }

    /// Options to make a passkey: discoverable, ES256, without attestation, with user verification.
    pub(super) fn creation(&self, owner: Owner<'_>) -> Result<Options, Refusal> {
        let builder = self.0.new_challenge_register_builder(owner.handle, owner.email, owner.name);
        let builder = builder
            .map_err(unexpected)?
            .attestation(AttestationConveyancePreference::None)
            .user_verification_policy(UserVerificationPolicy::Required)
            .credential_algorithms(vec![COSEAlgorithm::ES256])
            .require_resident_key(true);
        let (mut options, state) = self.0.generate_challenge_register(builder).map_err(unexpected)?;
        let known = owner.credentials.into_iter().map(|id| PublicKeyCredentialDescriptor {
            type_: "public-key".to_owned(),
            id,
            transports: None,
        });
        options.public_key.exclude_credentials = Some(known.collect());
        Options::of(&options, &state)
    }

    /// Checks a passkey that was made.
    pub(super) fn made(
        &self,
        state: Value,
        reply: &RegisterPublicKeyCredential,
    ) -> Result<Made, WebauthnError> {
        check_same_origin(&reply.response.client_data_json)?;
        let state: RegistrationState = serde_json::from_value(state)?;
        let made = self.0.register_credential(reply, &state, None)?;
        // With attestation `none` a browser passes on at most what the passkey says of itself.
        let is_plain = match made.attestation_format {
            AttestationFormat::None => true,
            AttestationFormat::Packed => matches!(made.attestation.data, ParsedAttestationData::Self_),
            AttestationFormat::Tpm
            | AttestationFormat::AndroidKey
            | AttestationFormat::AndroidSafetyNet
            | AttestationFormat::FIDOU2F
            | AttestationFormat::AppleAnonymous => false,
        };
        if !is_plain {
            return Err(WebauthnError::AttestationNotSupported);
        }
        let COSEKeyType::EC_EC2(key) = made.cred.key else {
            return Err(WebauthnError::COSEKeyInvalidAlgorithm);
        };
        let coordinates = (<[u8; 32]>::try_from(key.x), <[u8; 32]>::try_from(key.y));
        let (ECDSACurve::SECP256R1, (Ok(x), Ok(y))) = (key.curve, coordinates) else {
            return Err(WebauthnError::COSEKeyECDSAXYInvalid);
        };
        let may_be_copied = made.backup_eligible;
        Ok(Made { id: made.cred_id, key: [x, y], counter: made.counter, may_be_copied })
    }

    /// Options to sign in with any passkey that the authenticator has for the exchange.
    pub(super) fn request(&self) -> Result<Options, Refusal> {
        let policy = Some(UserVerificationPolicy::Required);
        let builder = self.0.new_challenge_authenticate_builder(Vec::new(), policy).map_err(unexpected)?;
        let (options, state) = self.0.generate_challenge_authenticate(builder).map_err(unexpected)?;
        Options::of(&options, &state)
    }

    /// Checks the signature of a passkey. The new signature counter.
    pub(super) fn signed(
        &self,
        state: Value,
        passkey: &Passkey,
        reply: &PublicKeyCredential,
    ) -> Result<u32, WebauthnError> {
        check_same_origin(&reply.response.client_data_json)?;
        let mut state: AuthenticationState = serde_json::from_value(state)?;
        state.set_allowed_credentials(vec![credential(passkey, reply.raw_id.clone())]);
        let signed = self.0.authenticate_credential(reply, &state)?;
        if signed.user_verified() { Ok(signed.counter()) } else { Err(WebauthnError::UserNotVerified) }
    }
}

impl Options {
    fn of(options: &impl serde::Serialize, state: &impl serde::Serialize) -> Result<Self, Refusal> {
        let json = serde_json::to_string(options).map_err(unexpected)?;
        let state = serde_json::to_value(state).map_err(unexpected)?;
        Ok(Self { json, state })
    }
}

/// A passkey as the library knows it.
fn credential(passkey: &Passkey, id: Vec<u8>) -> Credential {
    let [x, y] = passkey.key.map(Vec::from);
    Credential {
        cred_id: id,
        cred: COSEKey {
            type_: COSEAlgorithm::ES256,
            key: COSEKeyType::EC_EC2(COSEEC2Key { curve: ECDSACurve::SECP256R1, x, y }),
        },
        counter: passkey.counter,
        transports: None,
        user_verified: true,
        backup_eligible: passkey.may_be_copied,
        backup_state: false,
        registration_policy: UserVerificationPolicy::Required,
        extensions: RegisteredExtensions::none(),
        attestation: ParsedAttestation {
            data: ParsedAttestationData::None,
            metadata: AttestationMetadata::None,
        },
        attestation_format: AttestationFormat::None,
    }
}

/// A failure that follows from no client's input.
fn unexpected(error: impl std::fmt::Debug) -> Refusal {
    tracing::error!(?error, "no options for a passkey");
    failed()
}

#[cfg(test)]
mod tests;
