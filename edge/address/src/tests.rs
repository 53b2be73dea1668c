//! Vectors of the standards, and properties that hold for every network.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::{Address, AddressError, Branch, Chain, Curve, DeriveError, Kind, Network, Params, Seed, derive};

const VALID: &str = include_str!("tests/valid.txt");
const INVALID: &str = include_str!("tests/invalid.txt");
const DERIVED: &str = include_str!("tests/derived.txt");

/// The words of each line that is no comment.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(' ').collect())
}

/// Network and parameters of a name like `bitcoin` or `bitcoin@regtest`.
fn place(name: &str) -> (Network, Params) {
    let (name, chain) = name.split_once('@').unwrap_or((name, "main"));
    let network = Network::from_name(name).unwrap();
    (network, Params::main().with(network, Chain::from_node(chain).unwrap()))
}

fn main(network: Network, text: &str) -> Result<Address, AddressError> {
    Params::main().parse(network, text)
}

/// Whether a checksum protects the spelling, so that no other character may pass.
fn is_checked(network: Network, text: &str) -> bool {
    let evm = matches!(network, Network::Ethereum | Network::Avalanche);
    let mixed = text.bytes().any(|byte| byte.is_ascii_uppercase())
        && text.bytes().skip(1).any(|byte| byte.is_ascii_lowercase() && byte != b'x');
    network != Network::Solana && (!evm || mixed)
}

#[test]
fn every_valid_address_is_read_and_spelled_the_same_way() {
    for row in rows(VALID) {
        let (network, params) = place(row[0]);
        let shown = if row[2] == "=" { row[1] } else { row[2] };
        let address = params.parse(network, row[1]).unwrap_or_else(|why| panic!("{}: {why}", row[1]));
        assert_eq!(address.display(), shown);
        assert_eq!(address.network(), network);
        assert_eq!(params.parse(network, shown).as_ref(), Ok(&address));
        assert_eq!(params.parse(network, &address.canonical()).as_ref(), Ok(&address));
    }
}

#[test]
fn every_invalid_address_is_refused_for_its_reason() {
    for row in rows(INVALID) {
        let (network, params) = place(row[0]);
        let why = params.parse(network, row[1]).expect_err(row[1]);
        assert_eq!(format!("{why:?}"), row[2], "{}", row[1]);
    }
}

#[test]
fn an_address_of_another_network_is_refused() {
    let evm = [Network::Ethereum, Network::Avalanche];
    for row in rows(VALID).filter(|row| !row[0].contains('@')) {
        let (own, _) = place(row[0]);
        for network in Network::ALL {
            let shared = own == network || (evm.contains(&own) && evm.contains(&network));
            assert_eq!(main(network, row[1]).is_ok(), shared, "{} on {network}", row[1]);
        }
    }
}

#[test]
fn an_address_of_the_main_chain_is_refused_on_a_test_node_and_back() {
    let chained =
        [Network::Bitcoin, Network::BitcoinCash, Network::Litecoin, Network::Zcash, Network::Dogecoin];
    for row in rows(VALID) {
        let (network, params) = place(row[0]);
        if chained.contains(&network) && params.chain(network) == Chain::Main {
            let node = params.with(network, Chain::Regtest);
            assert!(node.parse(network, row[1]).is_err(), "{}", row[1]);
        } else if chained.contains(&network) {
            assert!(main(network, row[1]).is_err(), "{}", row[1]);
        }
    }
}

/// Each character of each checked address is replaced by every other printable one.
#[test]
fn one_changed_character_is_refused() {
    for row in rows(VALID) {
        let (network, params) = place(row[0]);
        if !is_checked(network, row[1]) {
            continue;
        }
        for place in 0..row[1].len() {
            for other in (b'!'..=b'~').filter(|other| *other != row[1].as_bytes()[place]) {
                let mut bytes = row[1].as_bytes().to_vec();
                bytes[place] = other;
                let text = String::from_utf8(bytes).unwrap();
                assert!(params.parse(network, &text).is_err(), "{text} for {}", row[1]);
            }
        }
    }
}

#[test]
fn shortened_lengthened_and_padded_addresses_are_refused() {
    for row in rows(VALID) {
        let (network, params) = place(row[0]);
        let text = row[1];
        for wrong in [format!(" {text}"), format!("{text} "), format!("{text}\n"), format!("{text}\0")] {
            assert_eq!(params.parse(network, &wrong), Err(AddressError::Character));
        }
        if is_checked(network, text) {
            for cut in 0..text.len() {
                assert!(params.parse(network, &text[..cut]).is_err(), "{}", &text[..cut]);
                assert!(params.parse(network, &text[cut + 1..]).is_err() || cut < "bitcoincash:".len());
            }
            assert!(params.parse(network, &format!("{text}{text}")).is_err());
        }
    }
}

#[test]
fn text_that_is_no_address_is_refused_quickly() {
    for network in Network::ALL {
        for text in ["", "0", "1", "é", "bc1", "0x", "address", "🙂🙂🙂🙂🙂🙂🙂🙂"] {
            assert!(main(network, text).is_err(), "{text} on {network}");
        }
        assert_eq!(main(network, &"1".repeat(64 * 1024)), Err(AddressError::TooLong));
    }
}

#[test]
fn spellings_of_one_address_share_the_canonical_form() {
    let spellings: [(Network, &[&str]); 4] = [
        (
            Network::Ethereum,
            &[
                "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
                "0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED",
                "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            ],
        ),
        (
            Network::BitcoinCash,
            &[
                "bitcoincash:qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekg2",
                "qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekg2",
                "QR6M7J9NJLDWWZLG9V7V53UNLR4JKMX6EYLEP8EKG2",
                "BITCOINCASH:QR6M7J9NJLDWWZLG9V7V53UNLR4JKMX6EYLEP8EKG2",
                "bitcoincash:zr6m7j9njldwwzlg9v7v53unlr4jkmx6eycnjehshe",
            ],
        ),
        (
            Network::Bitcoin,
            &["bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4"],
        ),
        (
            Network::Cosmos,
            &[
                "cosmos1hsk6jryyqjfhp5dhc55tc9jtckygx0eph6dd02",
                "COSMOS1HSK6JRYYQJFHP5DHC55TC9JTCKYGX0EPH6DD02",
            ],
        ),
    ];
    for (network, texts) in spellings {
        for text in texts {
            assert_eq!(main(network, text).unwrap().canonical(), texts[0], "{text}");
        }
    }
}

/// The scripts of BIP-350's and the older forms.
#[test]
fn scripts_of_the_bitcoin_family() {
    let script = |network, text| main(network, text).unwrap().script().map(const_hex::encode);
    let cases = [
        ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac"),
        ("3P14159f73E4gFr7JterCCQh9QjiTjiZrG", "a914e9c3dd0c07aac76179ebc76a6c78d4d67c6c160a87"),
        ("BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", "0014751e76e8199196d454941c45d1b3a323f1433bd6"),
        (
            "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
            "512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
        ),
        ("BC1SW50QGDZ25J", "6002751e"),
        ("bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs", "5210751e76e8199196d454941c45d1b3a323"),
    ];
    for (text, expected) in cases {
        assert_eq!(script(Network::Bitcoin, text).as_deref(), Some(expected), "{text}");
    }
    let cash = Params::main()
        .with(Network::BitcoinCash, Chain::Test)
        .parse(Network::BitcoinCash, "bchtest:pvch8mmxy0rtfrlarg7ucrxxfzds5pamg73h7370aa87d80gyhqxq7fqng6m6")
        .unwrap();
    let longer = "aa203173ef6623c6b48ffd1a3dcc0cc6489b0a07bb47a37f47cfef4fe69de825c06087";
    assert_eq!(const_hex::encode(cash.script().unwrap()), longer);
    assert_eq!(script(Network::Solana, "11111111111111111111111111111111"), None);
    assert_eq!(script(Network::Tezos, "tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb"), None);
}

#[test]
fn kind_and_payload_say_what_is_paid() {
    let cases = [
        (Network::Bitcoin, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", Kind::PubkeyHash, 20),
        (Network::Litecoin, "MVcg9uEvtWuP5N6V48EHfEtbz48qR8TKZ9", Kind::ScriptHash, 20),
        (Network::Bitcoin, "bc1sw50qgdz25j", Kind::Witness(16), 2),
        (Network::Zcash, "t3Vz22vK5z2LcKEdg16Yv4FFneEL1zg9ojd", Kind::ScriptHash, 20),
        (Network::Filecoin, "f24vg6ut43yw2h2jqydgbg2xq7x6f4kub3bg6as6i", Kind::Class(2), 20),
        (Network::Filecoin, "f410f2oekwcmo2pueydmaq53eic2i62crtbeyuzx2gmy", Kind::Class(4), 20),
        (Network::Tezos, "tz3WXYtyDUNL91qfiCJtVUX746QpNv5i5ve5", Kind::Class(3), 20),
        (Network::Polkadot, "15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5", Kind::Account, 32),
        (Network::Xrpl, "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", Kind::Account, 20),
    ];
    for (network, text, kind, bytes) in cases {
        let address = main(network, text).unwrap();
        assert_eq!((address.kind(), address.payload().len()), (kind, bytes), "{text}");
        assert_eq!(address.to_string(), text);
    }
    let evm = main(Network::Ethereum, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed").unwrap();
    assert_eq!(const_hex::encode(evm.payload()), "5aaeb6053f3e94c9b9a09f33669435e7ef1beaed");
}

#[test]
fn keys_are_points_of_the_curve_and_addresses_of_programs_are_not() {
    let is_point = |text: &str| main(Network::Solana, text).is_ok();
    assert!(is_point("HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk"));
    // About half of all texts of 32 bytes are no points.
    let points = (0..=u8::MAX)
        .map(|last| bs58::encode([[7; 31].as_slice(), &[last]].concat()).into_string())
        .filter(|text| is_point(text))
        .count();
    assert!((64..192).contains(&points), "{points}");
}

/// Compared with bip_utils, which is written independently.
#[test]
fn derived_addresses_and_keys_are_pinned() {
    let seed = Seed::new(&(0..64).collect::<Vec<u8>>()).unwrap();
    for row in rows(DERIVED) {
        let (network, params) = place(row[0]);
        let branch = match row[1] {
            "Deposit" => Branch::Deposit,
            "Legacy" => Branch::Legacy,
            _ => Branch::Wallet,
        };
        let derived = derive(&params, &seed, network, branch, row[2].parse().unwrap()).unwrap();
        assert_eq!(derived.address.display(), row[3], "{row:?}");
        assert_eq!(const_hex::encode(derived.key.expose()), row[4], "{row:?}");
        assert_eq!(params.parse(network, row[3]), Ok(derived.address), "{row:?}");
    }
}

/// The first addresses that other wallets show for the test sentence of BIP-39, "abandon … about".
#[test]
fn other_wallets_restore_the_same_addresses() {
    let seed = "5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4";
    let seed = Seed::new(&const_hex::decode(seed).unwrap()).unwrap();
    let first = [
        (Network::Bitcoin, "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"),
        (Network::Ethereum, "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"),
        (Network::BitcoinCash, "bitcoincash:qqyx49mu0kkn9ftfj6hje6g2wfer34yfnq5tahq3q6"),
        (Network::Litecoin, "ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh"),
        (Network::Zcash, "t1XVXWCvpMgBvUaed4XDqWtgQgJSu1Ghz7F"),
        (Network::Dogecoin, "DBus3bamQjgJULBJtYXpEzDWQRwF5iwxgC"),
        (Network::Solana, "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk"),
        (Network::Cosmos, "cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4"),
        (Network::Xrpl, "rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3"),
    ];
    for (network, address) in first {
        let derived = derive(&Params::main(), &seed, network, Branch::Deposit, 0).unwrap();
        assert_eq!(derived.address.display(), address);
    }
    let wallet = derive(&Params::main(), &seed, Network::Bitcoin, Branch::Wallet, 0).unwrap();
    assert_eq!(wallet.address.display(), "bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el");
}

#[test]
fn every_index_of_every_branch_has_its_own_address_and_key() {
    let seed = Seed::new(&[9; 32]).unwrap();
    let mut known = BTreeSet::new();
    let mut expected = 0;
    for network in Network::ALL {
        for (branch, index) in [Branch::Deposit, Branch::Wallet, Branch::Legacy]
            .into_iter()
            .flat_map(|branch| [0, 1, 2, 255, 256, (1 << 31) - 1].map(|index| (branch, index)))
        {
            let repeats = (branch == Branch::Legacy && network != Network::Litecoin)
                || (branch == Branch::Deposit && network.shares_address() && index > 0);
            let derived = derive(&Params::main(), &seed, network, branch, index).unwrap();
            let new = known.insert(derived.address.canonical().into_owned())
                && known.insert(const_hex::encode(derived.key.expose()));
            assert_eq!(new, !repeats, "{network} {branch:?} {index}");
            expected += usize::from(!repeats);
        }
    }
    assert_eq!(known.len(), 2 * expected);
}

#[test]
fn shared_deposit_addresses_ignore_the_index() {
    let seed = Seed::new(&[9; 64]).unwrap();
    for network in [Network::Cosmos, Network::Xrpl] {
        let at = |index| derive(&Params::main(), &seed, network, Branch::Deposit, index).unwrap().address;
        assert_eq!(at(0), at(17));
    }
}

#[test]
fn an_index_beyond_31_bits_is_refused() {
    let seed = Seed::new(&[9; 32]).unwrap();
    for network in Network::ALL {
        for index in [1 << 31, u32::MAX] {
            let refused = derive(&Params::main(), &seed, network, Branch::Deposit, index).err();
            assert_eq!(refused, Some(DeriveError::Index(index)));
        }
    }
}

#[test]
fn keys_match_their_addresses_and_stay_hidden() {
    let seed = Seed::new(&[9; 32]).unwrap();
    for network in Network::ALL {
        let derived = derive(&Params::main(), &seed, network, Branch::Deposit, 3).unwrap();
        let public = derived.key.public();
        match derived.key.curve() {
            Curve::Secp256k1 => assert!(public.len() == 33 && matches!(public[0], 2 | 3)),
            Curve::Ed25519 => assert_eq!(public.len(), 32),
        }
        if matches!(network, Network::Solana | Network::Polkadot) {
            assert_eq!(derived.address.payload(), public);
            assert_eq!(main(network, derived.address.display()).as_ref(), Ok(&derived.address));
        }
        let secret = const_hex::encode(derived.key.expose());
        let shown = format!("{derived:?}");
        assert!(!shown.contains(&secret) && shown.contains("hidden"));
    }
}

#[test]
fn a_legacy_litecoin_address_pays_to_the_hash_of_its_script() {
    let seed = Seed::new(&[9; 32]).unwrap();
    let derived = derive(&Params::main(), &seed, Network::Litecoin, Branch::deposit(true), 0).unwrap();
    let redeem = derived.redeem.unwrap();
    assert_eq!(derived.address.kind(), Kind::ScriptHash);
    assert!(derived.address.display().starts_with('M'));
    assert_eq!(derived.address.payload(), crate::hash::hash160(&redeem));
    let key = crate::hash::hash160(&derived.key.public());
    assert_eq!(redeem, [&[0x76, 0xa9, 20], key.as_slice(), &[0x88, 0xac]].concat());
}

fn networks() -> impl Strategy<Value = Network> {
    prop::sample::select(Network::ALL.to_vec())
}

proptest! {
    #[test]
    fn derived_addresses_are_read_back(seed: [u8; 32], network in networks(), index in 0u32..1 << 31, branch in 0..3) {
        let branch = [Branch::Deposit, Branch::Legacy, Branch::Wallet][usize::try_from(branch).unwrap()];
        for chain in [Chain::Main, Chain::Test, Chain::Regtest] {
            let params = Params::main().with(network, chain);
            let derived = derive(&params, &Seed::new(&seed).unwrap(), network, branch, index).unwrap();
            let read = params.parse(network, derived.address.display());
            prop_assert_eq!(read.as_ref(), Ok(&derived.address));
            let read = params.parse(network, &derived.address.canonical());
            prop_assert_eq!(read.as_ref(), Ok(&derived.address));
        }
    }

    #[test]
    fn a_changed_derived_address_is_refused(seed: [u8; 32], network in networks(), place: prop::sample::Index, other in b'!'..=b'~') {
        // Solana has no checksum; those of EIP-55 and SS58 are so short that chance defeats them now and then.
        prop_assume!(!matches!(
            network,
            Network::Solana | Network::Ethereum | Network::Avalanche | Network::Polkadot
        ));
        let derived =
            derive(&Params::main(), &Seed::new(&seed).unwrap(), network, Branch::Deposit, 0).unwrap();
        let mut bytes = derived.address.display().as_bytes().to_vec();
        let place = place.index(bytes.len());
        prop_assume!(bytes[place] != other);
        bytes[place] = other;
        prop_assert!(main(network, &String::from_utf8(bytes).unwrap()).is_err());
    }

    #[test]
    fn any_text_is_read_or_refused(network in networks(), text in "\\PC{0,140}") {
        if let Ok(address) = main(network, &text) {
            prop_assert_eq!(main(network, &address.canonical()), Ok(address));
        }
    }

    /// Text that comes close to an address, in the alphabets of all networks.
    #[test]
    fn near_addresses_have_one_spelling(network in networks(), text in "(0x|bc1|ltc1|f1|tz1|cosmos1|bitcoincash:|)[0-9a-zA-Z]{30,60}") {
        if let Ok(address) = main(network, &text) {
            prop_assert_eq!(main(network, &address.canonical()), Ok(address));
        }
    }
}
