//! A shop.

/// Adds.
///
/// ```
/// assert_eq!(shop::total(&[1, 2]), 3);
/// ```
///
/// ```should_panic
/// panic!();
/// ```
///
/// ```ignore
/// not code
/// ```
///
/// ```compile_fail
/// let x: i32 = "text";
/// ```
pub fn total(prices: &[u32]) -> u32 {
    prices.iter().sum()
}

#[cfg(feature = "broken")]
pub fn broken() -> i32 {
    "text"
}

#[cfg(test)]
mod tests {
    use super::total;

    #[test]
    fn adds() {
        assert_eq!(total(&[1, 2]), 3);
    }

    #[test]
    fn empty() {
        println!("test tests::wrong ... FAILED");
        assert_eq!(total(&[]), 0);
    }

    #[test]
    #[ignore = "slow"]
    fn slow() {}

    #[test]
    #[should_panic]
    fn panics() {
        panic!("as it should");
    }

    #[test]
    #[cfg(feature = "bad")]
    fn wrong() {
        assert_eq!(total(&[1, 2]), 4);
    }

    #[test]
    #[cfg(feature = "quits")]
    fn quits() {
        std::process::exit(0);
    }

    #[test]
    #[cfg(feature = "aborts")]
    fn aborts() {
        std::process::abort();
    }
}
