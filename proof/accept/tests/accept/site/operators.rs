//! The calls of operators who signed in.

use buttonwood_accept::{Browser, Exchange, json};

/// An operator's call is in the audit under the e-mail address, as the command of `admin` that it is, with its reason.
#[test]
fn an_operator_acts_under_the_address() {
    let x = Exchange::start();
    let app = json!({
        "name": "Lens", "scopes": ["orders:read"], "redirect_uris": ["https://lens.example/cb"],
    });
    let made = Browser::of(&x, "trader@one.test").post("/site/apps", &app).ok();
    let operator = Browser::of(&x, "operator@house.test");
    let review =
        json!({ "client_id": made["client_id"], "approved": true, "implicit": true, "reason": "checked" });
    let done = operator.post("/site/operator/apps/review", &review).ok();
    assert_eq!(
        (&done["result"], &done["reviewed"], &done["implicit"]),
        (&json!("ok"), &json!(true), &json!(true))
    );
    let audit = x.admin(&["audit"]).list();
    assert_eq!((&audit[0]["who"], &audit[0]["why"]), (&json!("operator@house.test"), &json!("checked")));
    let id = made["client_id"].as_str().expect("an id");
    assert_eq!(audit[0]["what"], format!("app review client_id={id} review=on implicit=true"));
    let mut long = review;
    long["reason"] = json!("x".repeat(501));
    operator.post("/site/operator/apps/review", &long).refused(400, "InvalidParameterValue");
}

/// The list of proposals is for operators, and an approval needs the number of one that waits, as a number.
#[test]
fn an_approval_names_a_proposal() {
    let x = Exchange::start();
    let operator = Browser::of(&x, "operator@house.test");
    assert_eq!(operator.get("/site/operator/proposals").ok(), json!([]));
    for (body, reason) in [
        (json!({}), "MissingPayloadKey"),
        (json!({ "proposal": -1 }), "InvalidParameterValue"),
        (json!({ "proposal": "x" }), "InvalidParameterValue"),
        (json!({ "proposal": [1] }), "InvalidParameterValue"),
    ] {
        let answer = operator.post("/site/operator/approve", &body);
        answer.refused(400, reason);
    }
    operator.post("/site/operator/approve", &json!({ "proposal": 1 })).refused(404, "EndpointNotFound");
    Browser::of(&x, "trader@one.test").get("/site/operator/proposals").refused(403, "MissingRole");
    Browser::new(&x).get("/site/operator/proposals").refused(401, "SignInRequired");
}
