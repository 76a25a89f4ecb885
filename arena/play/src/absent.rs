//! Types that stand for what only Linux has, on systems without it: they have no value, so no method is ever called.
//!
//! Each room names the methods beside its `linux.rs`. Tested by `cargo check` for Windows.

macro_rules! absent {
    ($name:ident { $(fn $method:ident(&self $(, $argument:ty)*) $(-> $result:ty)?;)* }) => {
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum $name {}

        impl $name {
            $(pub fn $method(&self $(, _: $argument)*) $(-> $result)? {
                match *self {}
            })*
        }
    };
}
