//! Which handler a path outside of the table has.

use super::*;
use crate::caller::Controllers;
use crate::table::Table;
use buttonwood_address::Params;
use buttonwood_driver::Nodes;
use std::sync::Arc;

/// Answers one path.
#[derive(Debug)]
struct One(&'static str, Spot);

impl Outside for One {
    fn names(&self) -> Vec<&'static str> {
        vec![self.1.name]
    }

    fn find(&self, path: &str) -> Option<Spot> {
        (path == self.0).then_some(self.1)
    }

    fn answer<'a>(&'a self, visit: Visit<'a>) -> Later<'a> {
        Box::pin(async move { Err(no_endpoint(visit.path())) })
    }
}

/// Settings of a venue with these handlers.
pub(crate) fn settings(outside: Vec<Arc<dyn Outside>>) -> Settings {
    static NOTHING: Table = Table::new(&[]);
    Settings {
        table: &NOTHING,
        service: "House".to_owned(),
        contract_prefix: "HSE".to_owned(),
        sandbox: false,
        strict: false,
        simulated_funds: false,
        formats: Params::main(),
        deposit_seed: None,
        chains: None,
        nodes: Nodes::default(),
        control: Controllers::default(),
        steps: None,
        public_url: None,
        pages: buttonwood_http::Entrance::Main,
        sockets: buttonwood_http::Entrance::Main,
        socket_url: None,
        streams: None,
        outside,
    }
}

/// The first handler that finds a path answers it, and what the interface itself serves comes before all of them.
#[test]
fn the_first_that_finds_a_path_has_it() {
    let token = Spot::call("token").open_to_pages();
    let both = Spot::page("consent").taking("GET, HEAD, POST");
    let settings = settings(vec![
        Arc::new(One("/auth/token", token)),
        Arc::new(One("/auth", both)),
        Arc::new(One("/auth/token", Spot::page("late"))),
        Arc::new(One("/health/live", Spot::page("health"))),
    ]);
    for (path, expected) in [
        ("/auth/token", Some(("token", "POST", true))),
        ("/auth", Some(("consent", "GET, HEAD, POST", false))),
        ("/health/live", Some(("/health/live", "GET, HEAD", true))),
        ("/openapi.json", Some(("/openapi.json", "GET, HEAD", true))),
        ("/auth/", None),
        ("/v1/symbols", None),
    ] {
        let found = Beyond::find(&settings, path);
        let found = found.map(|beyond| (beyond.name(), beyond.methods(), beyond.is_open()));
        assert_eq!(found, expected, "{path}");
    }
}

/// A method is taken if `Allow` lists it, letter by letter.
#[test]
fn methods_are_those_of_the_list() {
    for (methods, taken, refused) in [
        ("GET, HEAD", &["GET", "HEAD"][..], &["POST", "get", "GET, HEAD", "OPTIONS"][..]),
        ("POST", &["POST"], &["GET", "HEAD", "POS"]),
        ("GET, HEAD, POST", &["GET", "HEAD", "POST"], &["PUT"]),
    ] {
        let is_taken = |method: &&&str| {
            Method::from_bytes(method.as_bytes()).is_ok_and(|method| takes(methods, &method))
        };
        assert_eq!(taken.iter().filter(is_taken).count(), taken.len(), "{methods}");
        assert_eq!(refused.iter().filter(is_taken).count(), 0, "{methods}");
    }
    let refusal = wrong_method("/auth/token", &Method::GET, "POST");
    assert_eq!(
        (refusal.status, refusal.message.as_str()),
        (405, "'/auth/token' answers to POST, not to GET")
    );
}

/// All browsers name HTML first when a person sends them to a page. Programs do not, and a form or a call is no such request.
#[test]
fn browsers_ask_for_pages() {
    let head = |method: Method, accept: &str| {
        let request = http::Request::builder().method(method).uri("/nope").header(ACCEPT, accept).body(());
        request.expect("a request").into_parts().0
    };
    let html = "text/html,application/xhtml+xml,*/*;q=0.8";
    assert!(wants_page(&head(Method::GET, html)) && wants_page(&head(Method::HEAD, html)));
    for accept in ["", "*/*", "application/json", "application/json, text/html"] {
        assert!(!wants_page(&head(Method::GET, accept)), "{accept}");
    }
    assert!(!wants_page(&head(Method::POST, html)));
}
