#[test]
fn holds() {
    assert_eq!(shop::total(&[5]), 5);
}
