//! Apps that users have registered: `app review` and `app list`.

pub(crate) mod list;
pub(crate) mod review;
