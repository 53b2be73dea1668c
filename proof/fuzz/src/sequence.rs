//! Sequences of commands: the bytes are the dealer's dice, and both the core and the naive exchange run what it
//! deals.
//!
//! The first byte selects the world. After every command both must agree on answer, events, balances and queues,
//! every law must hold, and the frame of the command must replay to the same state.

use buttonwood_oracle::{CALLS, Dealer, Dice, Exchange, FINE, MAJORS, Naive, ODD, World, step};
use std::sync::OnceLock;

/// Most commands, so that no input takes long.
const COMMANDS: usize = 200;

/// A world before its first command.
struct Founded {
    exchange: Exchange,
    dealer: Dealer,
    naive: Naive,
}

/// Deals and checks one sequence.
pub fn run(bytes: &[u8]) {
    let Some((world, bytes)) = bytes.split_first() else { return };
    let founded = founded(*world);
    let mut dealer = founded.dealer.taking(Dice::of_bytes(bytes));
    let (mut exchange, mut naive) = (founded.exchange.fork(), founded.naive.clone());
    let mut replica = founded.exchange.fork();
    for at in 0..COMMANDS {
        if dealer.is_spent() {
            break;
        }
        let (micros, command) = dealer.deal(&exchange);
        if let Err(trouble) = step(&mut exchange, &mut naive, micros, &command) {
            panic!("command {at}: {trouble}\n{command:?}");
        }
        replica.replay(&exchange.frame);
        assert_eq!(exchange.difference(&replica), None, "command {at}: {command:?}");
    }
    let stored = exchange.stored();
    assert!(stored == exchange.state, "a snapshot is read back as something else");
}

fn founded(world: u8) -> &'static Founded {
    static WORLDS: OnceLock<[Founded; 4]> = OnceLock::new();
    let found = |world: &'static World| {
        let (exchange, dealer) = Dealer::found(world, 1);
        Founded { naive: Naive::found(world, &exchange), exchange, dealer }
    };
    let worlds = WORLDS.get_or_init(|| [&MAJORS, &FINE, &ODD, &CALLS].map(found));
    &worlds[usize::from(world) % worlds.len()]
}
