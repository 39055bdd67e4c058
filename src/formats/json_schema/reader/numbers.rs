//! Numbers of JSON compared by what they are, whatever they are written as.

use std::cmp::Ordering;

use serde_json::Number;

/// An integer that a number holds as one.
fn integer(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

/// Whether a number has no fraction.
pub(super) fn is_whole(number: &Number) -> bool {
    !number.is_f64() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// A number without a fraction, where it is a common one: equal numbers have the same.
pub(super) fn whole(number: &Number) -> Option<i64> {
    if !number.is_f64() {
        return number.as_i64();
    }
    let number = number.as_f64()?;
    let is_common = number.fract() == 0.0 && (i64::MIN as f64..i64::MAX as f64).contains(&number);
    is_common.then_some(number as i64)
}

/// How two numbers lie to each other.
pub(super) fn compare(one: &Number, other: &Number) -> Ordering {
    match (integer(one), integer(other)) {
        (Some(one), Some(other)) => one.cmp(&other),
        (Some(one), None) => with_fraction(one, other),
        (None, Some(other)) => with_fraction(other, one).reverse(),
        (None, None) => {
            let double = |number: &Number| number.as_f64().unwrap_or(f64::NAN);
            double(one).partial_cmp(&double(other)).unwrap_or(Ordering::Equal)
        }
    }
}

/// An integer and a double. What an integer cannot be is beyond all that it is compared with.
fn with_fraction(integer: i128, double: &Number) -> Ordering {
    let double = double.as_f64().unwrap_or(f64::NAN);
    let whole = double.trunc();
    integer.cmp(&(whole as i128)).then_with(|| 0.0_f64.partial_cmp(&(double - whole)).unwrap_or(Ordering::Equal))
}

/// A decimal fraction: so many digits, and ten to which power they are multiplied by. The sign is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimal {
    digits: u64,
    power: i32,
}

impl Decimal {
    /// The shortest one that is written as the number.
    pub(super) fn of(number: &Number) -> Decimal {
        if let Some(integer) = integer(number) {
            return Decimal { digits: integer.unsigned_abs() as u64, power: 0 };
        }
        let written = format!("{:e}", number.as_f64().unwrap_or(0.0).abs());
        let (mantissa, power) = written.split_once('e').unwrap_or((&written, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}").parse().unwrap_or(0);
        let power = power.parse::<i32>().unwrap_or(0) - i32::try_from(fraction.len()).unwrap_or(0);
        Decimal { digits, power }
    }

    /// Whether it is another one several times.
    pub(super) fn is_multiple_of(self, unit: Decimal) -> bool {
        if self.digits == 0 || unit.digits == 0 {
            return self.digits == 0;
        }
        let (own, unit_digits) = (u128::from(self.digits), u128::from(unit.digits));
        let shift = self.power - unit.power;
        if shift >= 0 {
            // The digits, times ten so often, in the remainders of the unit.
            let mut rest = own % unit_digits;
            for _ in 0..shift {
                rest = rest * 10 % unit_digits;
            }
            return rest == 0;
        }
        let scale = u32::try_from(-shift).ok().and_then(|shift| 10_u128.checked_pow(shift));
        scale.and_then(|scale| unit_digits.checked_mul(scale)).is_some_and(|unit| own % unit == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        serde_json::from_str(text).expect("a number")
    }

    #[test]
    fn numbers_are_compared_exactly() {
        for (one, other, told) in [
            ("1", "1.0", Ordering::Equal),
            ("-0.0", "0", Ordering::Equal),
            ("9007199254740993", "9007199254740992.0", Ordering::Greater),
            ("18446744073709551615", "18446744073709551616.0", Ordering::Less),
            ("1", "1.5", Ordering::Less),
            ("-1", "-1.5", Ordering::Greater),
            ("5", "1e300", Ordering::Less),
            ("5", "-1e300", Ordering::Greater),
        ] {
            assert_eq!(compare(&number(one), &number(other)), told, "{one} {other}");
            assert_eq!(compare(&number(other), &number(one)), told.reverse(), "{other} {one}");
        }
    }

    #[test]
    fn multiples_are_those_of_what_is_written() {
        for (one, unit, told) in [
            ("0.3", "0.1", true),
            ("19.99", "0.01", true),
            ("0.015", "0.01", false),
            ("1e308", "0.5", true),
            ("1e308", "0.123456789", false),
            ("0", "0.1", true),
            ("-4", "2", true),
            ("1e-9", "1", false),
            ("5e-324", "1e-323", false),
            ("18446744073709551615", "5", true),
        ] {
            let (one_, unit_) = (Decimal::of(&number(one)), Decimal::of(&number(unit)));
            assert_eq!(one_.is_multiple_of(unit_), told, "{one} {unit}");
        }
    }
}
