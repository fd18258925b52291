#[test]
#[cfg(feature = "flaky")]
fn second_time() {
    let mark = std::path::Path::new("target/flaky.txt");
    if !mark.exists() {
        std::fs::write(mark, "").unwrap();
        panic!("the first time");
    }
}

#[test]
#[cfg(feature = "slow")]
fn sleeps() {
    std::thread::sleep(std::time::Duration::from_secs(20));
}

#[test]
#[cfg(feature = "leaks")]
fn leaks() {
    std::process::Command::new("sleep").arg("2").spawn().unwrap();
}
