fn main() {
    println!("a harness of its own, without a word of libtest");
}
