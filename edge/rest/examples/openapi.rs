//! Prints the contract, for `cargo xtask contract`.

fn main() {
    print!("{}", buttonwood_rest::openapi());
}
