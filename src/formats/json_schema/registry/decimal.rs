//! Decimal numbers as they are written, for `multipleOf`: 0.3 is a multiple of 0.1.

use std::cmp::Ordering;

/// A decimal number: an integer and how many of its digits stand behind the point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decimal {
    digits: i128,
    scale: u32,
}

impl Decimal {
    /// `12.50`, `1e-3`; `None` for what has more digits than can be held.
    pub(super) fn parse(text: &str) -> Option<Decimal> {
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        let digits: i128 = format!("{whole}{part}").parse().ok()?;
        let scale = i32::try_from(part.len()).ok()?.checked_sub(exponent)?;
        match u32::try_from(scale) {
            Ok(scale) => Some(Decimal { digits, scale }),
            Err(_) => {
                let digits = digits.checked_mul(10_i128.checked_pow(scale.unsigned_abs())?)?;
                Some(Decimal { digits, scale: 0 })
            }
        }
    }

    /// Both with as many digits behind the point.
    fn aligned(self, other: Decimal) -> Option<(i128, i128)> {
        let scale = self.scale.max(other.scale);
        let grown = |of: Decimal| of.digits.checked_mul(10_i128.checked_pow(scale - of.scale)?);
        Some((grown(self)?, grown(other)?))
    }

    /// Which is greater; `None` where it cannot be told.
    pub(super) fn compared(self, other: Decimal) -> Option<Ordering> {
        self.aligned(other).map(|(one, other)| one.cmp(&other))
    }

    /// Whether it is a multiple of another one.
    pub(super) fn is_multiple_of(self, other: Decimal) -> bool {
        self.aligned(other).is_some_and(|(one, other)| other != 0 && one % other == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_multiples_as_they_are_written() {
        let multiple = |one: &str, other: &str| Some(Decimal::parse(one)?.is_multiple_of(Decimal::parse(other)?));
        for (one, other, is_multiple) in
            [("0.3", "0.1", true), ("0.50", "0.5", true), ("1e2", "25", true), ("10", "4", false), ("1", "0", false)]
        {
            assert_eq!(multiple(one, other), Some(is_multiple), "{one} and {other}");
        }
        let compared = |one: &str, other: &str| Decimal::parse(one)?.compared(Decimal::parse(other)?);
        assert_eq!(compared("0.5", "0.50"), Some(Ordering::Equal));
        assert_eq!(compared("1E-2", "0.1"), Some(Ordering::Less));
        assert!(Decimal::parse("1e60").is_none() && Decimal::parse("x").is_none());
    }
}
