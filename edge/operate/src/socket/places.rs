//! The places of the operators' socket: what a connection takes while its request runs, and how many connections wait.
//!
//! Readers take no place of a command, a connection takes one only when its request has come, and two places are kept for what halts.

use crate::command::Lane;
use buttonwood_gate::{Reason, Refusal};
use buttonwood_wire::field::busy;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Commands that run at once.
const COMMANDS: usize = 30;
/// Places that are kept for what halts.
const STOPS: usize = 2;
/// Lists that are read at once.
const LISTS: usize = 16;
/// Lists that are followed at once.
pub(super) const FOLLOWERS: usize = 64;
/// Requests of a kind that wait for a place at most.
const WAITING: usize = 16;
/// Connections whose request has not come yet, at most.
pub(super) const ARRIVING: usize = 64;

/// Open files of the socket at most.
pub const FILES: usize = COMMANDS + STOPS + LISTS + FOLLOWERS + 3 * WAITING + ARRIVING;

/// Places of one kind, and those that wait for one.
#[derive(Debug)]
struct Row {
    places: Semaphore,
    /// Places and queue together.
    room: Semaphore,
}

impl Row {
    fn new(places: usize) -> Self {
        Self { places: Semaphore::new(places), room: Semaphore::new(places + WAITING) }
    }

    /// Room to wait in.
    fn room(&self) -> Result<SemaphorePermit<'_>, Refusal> {
        self.room.try_acquire().map_err(|_| busy("Too many commands of operators wait"))
    }
}

/// All places.
#[derive(Debug)]
pub(super) struct Places {
    commands: Row,
    stops: Row,
    lists: Row,
    followers: Semaphore,
}

/// A place that was taken; dropping it makes it free.
#[derive(Debug)]
pub(super) struct Place<'a> {
    _room: Option<SemaphorePermit<'a>>,
    _place: SemaphorePermit<'a>,
}

impl Places {
    pub(super) fn new() -> Self {
        Self {
            commands: Row::new(COMMANDS),
            stops: Row::new(STOPS),
            lists: Row::new(LISTS),
            followers: Semaphore::new(FOLLOWERS),
        }
    }

    /// Takes a place, or waits for one.
    ///
    /// # Errors
    /// The refusal when too many wait, or too many lists are followed.
    pub(super) async fn take(&self, lane: Lane) -> Result<Place<'_>, Refusal> {
        let (room, place) = match lane {
            Lane::Follow => (None, Ok(self.followers.try_acquire().map_err(|_| crowded())?)),
            Lane::Command => (Some(self.commands.room()?), self.commands.places.acquire().await),
            Lane::List => (Some(self.lists.room()?), self.lists.places.acquire().await),
            Lane::Stop => {
                let room = self.stops.room()?;
                let place = tokio::select! {
                    biased;
                    place = self.commands.places.acquire() => place,
                    place = self.stops.places.acquire() => place,
                };
                (Some(room), place)
            }
        };
        // No semaphore is ever closed.
        let place = place.map_err(|_| busy("The exchange is stopping"))?;
        Ok(Place { _room: room, _place: place })
    }
}

/// The refusal of one follower too many.
fn crowded() -> Refusal {
    let message = format!("{FOLLOWERS} readers follow already, and no more can: end one of them");
    Refusal::new(Reason::System, message).with_status(503)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    fn now<T>(future: impl Future<Output = T>) -> Option<T> {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => Some(done),
            Poll::Pending => None,
        }
    }

    fn taken(places: &Places, lane: Lane) -> Option<Place<'_>> {
        now(places.take(lane)).map(|taken| taken.unwrap())
    }

    /// Commands leave two places to what halts, and readers take no place of either.
    #[test]
    fn two_places_are_kept_for_what_halts() {
        let places = Places::new();
        let readers: Vec<_> = (0..FOLLOWERS).map(|_| taken(&places, Lane::Follow).unwrap()).collect();
        let refusal = now(places.take(Lane::Follow)).unwrap().unwrap_err();
        assert!(refusal.message.contains("64 readers follow already"), "{}", refusal.message);
        let lists: Vec<_> = (0..LISTS).map(|_| taken(&places, Lane::List).unwrap()).collect();
        assert!(taken(&places, Lane::List).is_none(), "it waits");
        let mut commands: Vec<_> = (0..COMMANDS).map(|_| taken(&places, Lane::Command).unwrap()).collect();
        assert!(taken(&places, Lane::Command).is_none(), "it waits");
        let stops: Vec<_> = (0..STOPS).map(|_| taken(&places, Lane::Stop).unwrap()).collect();
        assert!(taken(&places, Lane::Stop).is_none(), "it waits");
        assert!(taken(&places, Lane::Command).is_none(), "what halts took no place of a command");
        commands.pop();
        let halt = taken(&places, Lane::Stop).expect("it takes a place of a command too");
        drop((halt, stops, lists, readers));
        assert!(taken(&places, Lane::Command).is_some() && taken(&places, Lane::Follow).is_some());
    }

    /// At most `WAITING` requests wait; the next one is refused.
    #[test]
    fn the_queue_has_an_end() {
        let places = Places::new();
        let _commands: Vec<_> = (0..COMMANDS).map(|_| taken(&places, Lane::Command).unwrap()).collect();
        let mut waiting: Vec<_> = (0..WAITING).map(|_| Box::pin(places.take(Lane::Command))).collect();
        for one in &mut waiting {
            assert!(now(one.as_mut()).is_none());
        }
        let refusal = now(places.take(Lane::Command)).unwrap().unwrap_err();
        assert!(refusal.message.contains("Too many commands of operators wait"), "{}", refusal.message);
        assert!(taken(&places, Lane::Stop).is_some(), "what halts has a queue of its own");
    }
}
