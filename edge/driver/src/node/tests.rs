//! Settings that name no node are refused by one line; the directory remembers its chain. The answers of nodes are tested through the
//! binary.

use super::*;
use buttonwood_address::Chain;

fn refused(chains: &[&str], tokens: &[&str]) -> String {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let decimals = |network: &str, code: &str| (network == "ethereum" && code == "GUSD").then_some(2);
    Nodes::reach(&texts(chains), &texts(tokens), decimals).unwrap_err().to_string()
}

/// A port at which nothing listens.
const NOBODY: &str = "ethereum=http://user:secret@127.0.0.1:1";

#[test]
fn refuses_settings_that_name_no_node() {
    for text in ["", "ethereum", "=http://x", "http://user:secret@x/?a=b", "Ethereum=http://x"] {
        let line = refused(&[text], &[]);
        assert!(line.starts_with("--chain: NETWORK=URL is wanted"), "{line}");
        assert!(!line.contains("secret"), "{line}");
    }
    assert_eq!(refused(&["ethereums=http://x"], &[]), "--chain ethereums: no network has this name");
    assert!(refused(&["solana=http://x"], &[]).contains("arbitrum, avalanche, base"));
    assert_eq!(refused(&["base=https://x"], &[]), "--chain base: a node's URL begins with http://");
    assert_eq!(refused(&[NOBODY, NOBODY], &[]), "--chain ethereum: the network is named twice");
}

#[test]
fn refuses_settings_that_name_no_token() {
    const CONTRACT: &str = "0x056Fd409E1d7A124BD7017459dFEa2F387b6d5Cd";
    let token = |text: &str| refused(&[NOBODY], &[text]);
    for text in ["", "GUSD", "ethereum/GUSD", "GUSD=0x05"] {
        assert!(token(text).contains("NETWORK/CODE=CONTRACT is wanted"), "{text}");
    }
    assert!(token(&format!("base/GUSD={CONTRACT}")).contains("no --chain names this network"));
    assert!(token(&format!("ethereum/ETH={CONTRACT}")).contains("the network has no token of this code"));
    assert!(token("ethereum/GUSD=0x05").starts_with("--chain-token ethereum/GUSD: '0x05': "));
    let twice = [format!("ethereum/GUSD={CONTRACT}"), format!("ethereum/GUSD={}", CONTRACT.to_lowercase())];
    assert!(refused(&[NOBODY], &twice.each_ref().map(String::as_str)).contains("the token is named twice"));
}

#[test]
fn a_node_that_is_not_there_is_named_without_its_password() {
    let line = refused(&[NOBODY], &[]);
    assert!(line.starts_with("--chain ethereum=http://127.0.0.1:1/: the node did not answer: "), "{line}");
    assert!(!line.contains("secret") && line.lines().count() == 1, "{line}");
}

/// The nodes after the answers of one.
fn served(identity: &str) -> Nodes {
    let mut node = chain(NOBODY).unwrap();
    let identity = identity.to_owned();
    node.served = Some(Served { identity, main_of: None, formats: Chain::Regtest });
    Nodes { all: BTreeMap::from([("ethereum", node)]) }
}

#[test]
fn a_directory_follows_one_chain_of_a_network() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("chains");
    let line = |nodes: &Nodes| nodes.bind(&folder).map_err(|fault| fault.to_string());
    assert_eq!(line(&Nodes::default()), Ok(()));
    assert!(!folder.exists(), "without real nodes nothing is remembered");
    let first = served("0xaa");
    assert_eq!((line(&first), line(&first)), (Ok(()), Ok(())));
    assert!(line(&served("0xbb")).unwrap_err().contains("has followed another chain"));
    assert!(line(&Nodes::default()).unwrap_err().contains("has followed a real node"));
    fs::remove_file(folder.join("ethereum.node")).unwrap();
    fs::write(folder.join("ethereum.chain"), "").unwrap();
    assert!(line(&first).unwrap_err().contains("has followed a simulated chain"));
}

#[test]
fn addresses_have_the_formats_of_the_nodes() {
    let formats = served("0xaa").formats();
    assert_eq!(formats.chain(Format::Ethereum), Chain::Regtest);
    assert_eq!(formats.chain(Format::Bitcoin), Chain::Main);
}
