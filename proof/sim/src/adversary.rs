//! People who trade with themselves: two groups that know the rules, act together and keep every gain.
//!
//! A [`Program`] is a short list of their acts, as text. [`play`] runs it on a small exchange whose index stands still, lets everything
//! fall due that is due, values what everybody has at that index and checks INV-HOUSE: the groups never gain more than the house has
//! granted, and no house account loses more than that to them. Where an honest third group is there, it loses nothing beside what its own
//! orders agreed to. Where indices move instead, one group is alone with the honest one, and all is valued at the prices of the start.
//! A panic of the core is a breach too, and so is a command that reads more rows than one should (D-256). A [`Hunt`] searches
//! for such programs: it changes the best and the oddest ones that it has.
//!
//! Laws: INV-HOUSE; INV-AUTH-1 for what apps hold. Not here: wrong signatures, the disk, the chains.

mod honest;
mod hunt;
mod mutate;
mod player;
mod program;
mod shrink;
mod thefts;
mod value;
mod world;

pub use hunt::{Hunt, HuntTally};
pub use player::{Played, play};
pub use program::{Program, Unreadable};
pub use value::Breach;
pub use world::Scene;
