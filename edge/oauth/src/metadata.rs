//! The server's metadata (RFC 8414).

use buttonwood_http::Reply;
use buttonwood_model::Scope;
use buttonwood_wire::json::{self, Json};

/// The metadata of the server at this address.
pub(crate) fn reply(auth_url: &str) -> Reply {
    let texts = |out: &mut Json, name: &str, texts: &[&str]| {
        out.array_field(name, texts, |out, text| out.plain_item(text));
    };
    let address = |out: &mut Json, name: &str, path: &str| {
        out.field(name, |out| out.text_item(&format!("{auth_url}{path}")));
    };
    let methods = ["client_secret_post", "client_secret_basic", "none"];
    Reply::json(json::object(1_024, |out| {
        address(out, "issuer", "");
        address(out, "authorization_endpoint", crate::AUTHORIZE);
        address(out, "token_endpoint", crate::TOKEN);
        address(out, "revocation_endpoint", crate::REVOKE);
        texts(out, "scopes_supported", &Scope::ALL.map(Scope::name));
        texts(out, "response_types_supported", &["code", "token"]);
        texts(out, "response_modes_supported", &["query", "fragment"]);
        texts(out, "grant_types_supported", &["authorization_code", "refresh_token", "implicit"]);
        texts(out, "token_endpoint_auth_methods_supported", &methods);
        texts(out, "revocation_endpoint_auth_methods_supported", &methods);
        texts(out, "code_challenge_methods_supported", &[crate::code_challenge::S256]);
        out.flag("authorization_response_iss_parameter_supported", true);
    }))
}
