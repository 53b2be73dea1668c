//! The writer's tests, all in one program.

mod history_query;
mod laws;
mod moves;
mod needless;
mod order_events;
mod past;
mod predictions;
mod receipts;
mod recovery;
mod support;
