//! The declarations of requests and answers, for the code that reads and writes them and for the published schema.
//!
//! [`request!`](crate::request!) declares the fields of a request, [`answer!`](crate::answer!) those of an answer. Each row
//! gives both the code that reads or writes the field and its schema, so the two cannot differ.

mod answer;
mod filter;
mod frame;
mod kind;
mod nested;
mod node;
mod paging;
mod request;
mod shape;

pub use filter::{Encoded, Repeated, RepeatedOf, RepeatedWords, parameter_name};
pub use frame::{Integer, frame_of, tag};
pub use kind::{
    Date, Decimal, DecimalOrAll, Flag, HiddenText, Loose, Moment, Needed, Objects, PageRows, REPORT_ROWS_MAX,
    ReportRows, Sent, Switch, Text, Texts, Timestamp, Whole, WholeUpTo,
};
pub use nested::{Entries, Object, Optional, TextMap};
pub use node::Node;
pub use paging::{Counts, Offset, Rows, RowsUpTo};
pub use request::{
    Both, Described, Either, Field, Fields, InBoth, InEither, InPayload, InQuery, Kind, NoFields, Place,
    Query, object_of, paragraph,
};
pub use shape::{
    Components, DecimalNumber, DecimalText, Digits, Done, IsoTime, Label, Nullable, Property, Shape, Words,
};
