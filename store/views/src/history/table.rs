//! The newest row of every bucket, in pages that are allocated on their first row.
//!
//! A checkpoint stores it as postcard stores a list of 65,536 optional positions. Most are empty for a long time, so
//! a page without rows is neither allocated nor compared, and is written and read as a whole.

use super::bucket::Bucket;
use super::codec::Position;
use postcard::{Error, take_from_bytes, to_extend};

/// Pages of a table.
const PAGES: usize = 256;
/// Buckets of a page.
const PAGE: usize = 256;
/// The encoding of a page without rows: `None` for each bucket.
const EMPTY: [u8; PAGE] = [0; PAGE];

/// The newest row of each bucket of a page.
type Page = [Option<Position>; PAGE];

/// The newest row of every bucket.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Table(Vec<Option<Box<Page>>>);

impl Table {
    /// A table without rows.
    pub(super) fn new() -> Self {
        Self(vec![None; PAGES])
    }

    /// The newest row of a bucket.
    pub(super) fn newest(&self, bucket: Bucket) -> Option<Position> {
        let (page, place) = bucket.place();
        *self.0.get(page)?.as_ref()?.get(place)?
    }

    /// Sets a bucket's newest row; returns the one before it.
    pub(super) fn push(&mut self, bucket: Bucket, at: Position) -> Option<Position> {
        let (page, place) = bucket.place();
        let page = self.0.get_mut(page).expect("a table has 256 pages");
        let page = page.get_or_insert_with(|| Box::new([None; PAGE]));
        page.get_mut(place).expect("a page has 256 buckets").replace(at)
    }

    /// Appends the encoded table.
    pub(super) fn encode(&self, out: Vec<u8>) -> Result<Vec<u8>, Error> {
        let mut out = to_extend(&(PAGES * PAGE), out)?;
        for page in &self.0 {
            match page {
                None => out.extend_from_slice(&EMPTY),
                Some(page) => out = page.iter().try_fold(out, |out, newest| to_extend(newest, out))?,
            }
        }
        Ok(out)
    }

    /// Decodes the table at the start of `bytes`; also returns the bytes after it.
    pub(super) fn decode(bytes: &[u8]) -> Result<(Self, &[u8]), Error> {
        let (count, mut rest) = take_from_bytes::<usize>(bytes)?;
        if count != PAGES * PAGE {
            return Err(Error::SerdeDeCustom);
        }
        let mut table = Self::new();
        for page in &mut table.0 {
            match rest.split_first_chunk() {
                Some((&EMPTY, behind)) => rest = behind,
                Some(_) | None => {
                    let heads = page.insert(Box::new([None; PAGE]));
                    for newest in heads.iter_mut() {
                        (*newest, rest) = take_from_bytes(rest)?;
                    }
                }
            }
        }
        Ok((table, rest))
    }
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let heads = self.0.iter().flatten().flat_map(|page| page.iter());
        write!(f, "{} buckets in use", heads.flatten().count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::bucket::of_order;
    use buttonwood_model::OrderId;
    use proptest::prelude::*;

    proptest! {
        /// The bytes equal those of a list of optional positions and can be decoded with other bytes after them; cut
        /// anywhere, they are refused.
        #[test]
        fn bytes_are_those_of_a_list(
            rows in prop::collection::btree_map(0_u64..1 << 16, 1_u64.., 0..300),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut table = Table::new();
            let mut list = vec![None; 1 << 16];
            for (order, at) in rows {
                let at = Position::new(at);
                prop_assert_eq!(table.push(of_order(OrderId(order)), at.unwrap()), None);
                list[usize::try_from(order).unwrap()] = at;
            }
            let mut bytes = table.encode(b"before".to_vec()).unwrap().split_off(6);
            prop_assert!(bytes == postcard::to_allocvec(&list).unwrap());
            prop_assert!(Table::decode(&bytes[..cut.index(bytes.len())]).is_err());
            bytes.extend_from_slice(b"behind");
            let (read, behind) = Table::decode(&bytes).unwrap();
            prop_assert!(read == table);
            prop_assert_eq!(behind, b"behind");
        }
    }

    /// A table of another size is refused, and so is a byte that is neither `None` nor `Some`.
    #[test]
    fn another_table_is_refused() {
        let short = postcard::to_allocvec(&vec![None::<Position>; (1 << 16) - 1]).unwrap();
        assert!(Table::decode(&short).is_err());
        let mut bytes = Table::new().encode(Vec::new()).unwrap();
        bytes[1_000] = 2;
        assert!(Table::decode(&bytes).is_err());
    }
}
