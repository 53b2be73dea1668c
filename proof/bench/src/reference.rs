//! The reference book: obcore, which only matches.

use obcore::{Evaluator, Instruction, Op as Request, OrderBook, OrderInterface, TIF};

use crate::opgen::{Op, Tally};

#[derive(Clone, Debug, PartialEq, Eq)]
struct Order {
    id: u64,
    price: u64,
    qty: u64,
    left: u64,
    account: u64,
    buys: bool,
    immediate: bool,
}

impl OrderInterface for Order {
    type I = u64;
    type N = u64;
    type O = u64;

    fn id(&self) -> &u64 {
        &self.id
    }

    fn price(&self) -> u64 {
        self.price
    }

    fn is_buy(&self) -> bool {
        self.buys
    }

    fn quantity(&self) -> u64 {
        self.qty
    }

    fn remaining(&self) -> u64 {
        self.left
    }

    fn fill(&mut self, qty: u64) {
        self.left -= qty;
    }

    fn owner(&self) -> &u64 {
        &self.account
    }

    fn tif(&self) -> TIF {
        if self.immediate { TIF::IOC } else { TIF::GTC }
    }
}

/// One book per symbol.
pub(crate) struct Reference {
    books: Vec<OrderBook<Order>>,
    evaluator: Evaluator<Order>,
    trades: u64,
    lots: u64,
}

impl Reference {
    pub(crate) fn new(symbols: u16) -> Self {
        let books = (0..symbols).map(|_| OrderBook::default()).collect();
        Self { books, evaluator: Evaluator::default(), trades: 0, lots: 0 }
    }

    #[inline]
    pub(crate) fn apply(&mut self, op: &Op) {
        let book = &mut self.books[usize::from(op.symbol)];
        if op.kind == b'C' || op.kind == b'M' {
            self.evaluator.reset();
            for instruction in self.evaluator.eval(book, Request::Delete(op.id)) {
                book.apply(instruction);
            }
            if op.kind == b'C' {
                return;
            }
        }
        self.evaluator.reset();
        let price = match op.kind {
            b'K' if op.sells => 0,
            b'K' => u64::MAX >> 8,
            _ => op.price,
        };
        let order = Order {
            id: op.id,
            price,
            qty: op.lots,
            left: op.lots,
            account: u64::from(op.account),
            buys: !op.sells,
            immediate: op.kind == b'I' || op.kind == b'K',
        };
        for instruction in self.evaluator.eval(book, Request::Insert(order)) {
            if let Instruction::Fill(_, _, _, qty, false) = &instruction {
                self.trades += 1;
                self.lots += *qty;
            }
            book.apply(instruction);
        }
    }

    pub(crate) fn tally(&self) -> Tally {
        let resting = self.books.iter().map(|book| book.len() as u64).sum();
        Tally { trades: self.trades, lots: self.lots, resting }
    }
}
