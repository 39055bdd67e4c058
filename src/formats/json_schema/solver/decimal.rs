//! Numbers as they are written: whole numbers of a power of ten.

use std::fmt;

use serde_json::{Number, Value};

/// Beyond this many digits before or after the point a number is not computed with.
const FARTHEST: i32 = 30;

/// `digits` × 10^`exponent`, with as few digits as can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Decimal {
    digits: i128,
    exponent: i32,
}

impl Decimal {
    /// `None` where it is too large, or has too many digits.
    pub(super) fn of(number: &Number) -> Option<Decimal> {
        let text = number.to_string();
        let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let exponent = exponent.parse::<i32>().ok()?.checked_sub(part.len() as i32)?;
        let digits = format!("{whole}{part}").parse::<i128>().ok()?;
        Decimal { digits, exponent }.in_fewest_digits()
    }

    fn in_fewest_digits(mut self) -> Option<Decimal> {
        if self.digits == 0 {
            return Some(Decimal { digits: 0, exponent: 0 });
        }
        while self.digits % 10 == 0 {
            self = Decimal { digits: self.digits / 10, exponent: self.exponent + 1 };
        }
        (self.exponent.abs() <= FARTHEST).then_some(self)
    }

    pub(super) const fn is_zero(self) -> bool {
        self.digits == 0
    }

    /// How many digits there are after the point.
    pub(super) fn places(self) -> u32 {
        u32::try_from(-self.exponent).unwrap_or(0)
    }

    /// The number in units of 10^-`places`, where that is one.
    pub(super) fn in_units(self, places: u32) -> Option<i128> {
        let power = u32::try_from(self.exponent + places as i32).ok()?;
        self.digits.checked_mul(10_i128.checked_pow(power)?)
    }

    /// The number that is so many units of 10^-`places`, as JSON has it; `None` where a reader would see another.
    pub(super) fn value(units: i128, places: u32) -> Option<Value> {
        let decimal = Decimal { digits: units, exponent: -(places as i32) }.in_fewest_digits()?;
        let number: Number = serde_json::from_str(&decimal.to_string()).ok()?;
        (Decimal::of(&number) == Some(decimal)).then_some(Value::Number(number))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exponent {
            0 => write!(out, "{}", self.digits),
            // As whole as JSON has it where it fits.
            exponent @ 1..=18 => match self.digits.checked_mul(10_i128.pow(exponent as u32)) {
                Some(whole) => write!(out, "{whole}"),
                None => write!(out, "{}e{exponent}", self.digits),
            },
            exponent => write!(out, "{}e{exponent}", self.digits),
        }
    }
}
