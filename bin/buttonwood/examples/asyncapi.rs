//! Prints the contract of the streams, for `cargo xtask contract`.

fn main() {
    print!("{}", buttonwood_stream::asyncapi(&buttonwood_rest::TABLE));
}
