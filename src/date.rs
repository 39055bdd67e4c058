//! Days of the calendar, for waivers that end. No clock here: who knows the day of today says it.

use std::fmt;

/// A day of the Gregorian calendar; every value is a day that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

/// The first day that can be written.
const FIRST_YEAR: u16 = 1970;

impl Date {
    /// The day in a text of the form `2026-12-31`.
    ///
    /// # Errors
    /// Why the text is no day, without a final period.
    pub fn parse(text: &str) -> Result<Date, String> {
        let form = || format!("`{text}` is not a date of the form YYYY-MM-DD");
        let shaped = text.len() == 10
            && text.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if !shaped {
            return Err(form());
        }
        let number = |part: &str| part.parse::<u16>().map_err(|_| form());
        let (year, month, day) = (number(&text[..4])?, number(&text[5..7])?, number(&text[8..])?);
        if year < FIRST_YEAR {
            return Err(format!("`{text}` lies before {FIRST_YEAR}"));
        }
        if !(1..=12).contains(&month) {
            return Err(format!("`{text}` does not exist: there is no month {month:02}"));
        }
        let (month, last) = (month as u8, days_in(year, month as u8));
        if day == 0 || day > u16::from(last) {
            return Err(format!("`{text}` does not exist: month {month:02} of {year} has {last} days"));
        }
        Ok(Date { year, month, day: day as u8 })
    }

    /// The day in UTC so many seconds after the start of 1970.
    pub fn of_unix_seconds(seconds: u64) -> Date {
        let mut left = seconds / 86_400;
        let mut year = FIRST_YEAR;
        while left >= u64::from(days_of(year)) && year < 9999 {
            left -= u64::from(days_of(year));
            year += 1;
        }
        let mut month = 1;
        while month < 12 && left >= u64::from(days_in(year, month)) {
            left -= u64::from(days_in(year, month));
            month += 1;
        }
        Date { year, month, day: u8::try_from(left + 1).unwrap_or(31).min(days_in(year, month)) }
    }

    /// How many days lie between this day and a later one; 0 if it is not later.
    pub fn days_until(self, later: Date) -> u32 {
        later.ordinal().saturating_sub(self.ordinal())
    }

    /// Days since the start of 1970.
    fn ordinal(self) -> u32 {
        let years: u32 = (FIRST_YEAR..self.year).map(|year| u32::from(days_of(year))).sum();
        let months: u32 = (1..self.month).map(|month| u32::from(days_in(self.year, month))).sum();
        years + months + u32::from(self.day) - 1
    }
}

impl Default for Date {
    fn default() -> Self {
        Date { year: FIRST_YEAR, month: 1, day: 1 }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

const fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

const fn days_of(year: u16) -> u16 {
    if is_leap(year) { 366 } else { 365 }
}

const fn days_in(year: u16, month: u8) -> u8 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> Date {
        Date::parse(text).expect("a date")
    }

    #[test]
    fn only_days_that_exist_are_dates() {
        for text in ["2026-12-31", "2024-02-29", "2000-02-29", "1970-01-01", "9999-12-31"] {
            assert_eq!(date(text).to_string(), text);
        }
        for (text, why) in [
            ("2026-2-3", "form"),
            ("31.12.2026", "form"),
            ("2026-12-31T00", "form"),
            ("２026-12-3", "form"),
            ("2026-13-01", "no month 13"),
            ("2026-00-01", "no month 00"),
            ("2026-02-29", "28 days"),
            ("2100-02-29", "28 days"),
            ("2026-04-31", "30 days"),
            ("2026-04-00", "30 days"),
            ("1969-12-31", "before 1970"),
        ] {
            let error = Date::parse(text).expect_err(text);
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn dates_are_ordered_and_counted() {
        assert!(date("2026-12-31") < date("2027-01-01"));
        assert_eq!(date("2024-02-28").days_until(date("2024-03-01")), 2);
        assert_eq!(date("2026-12-31").days_until(date("2027-12-31")), 365);
        assert_eq!(date("2027-01-01").days_until(date("2026-12-31")), 0);
    }

    #[test]
    fn seconds_are_days_of_utc() {
        for (seconds, day) in [
            (0, "1970-01-01"),
            (86_399, "1970-01-01"),
            (86_400, "1970-01-02"),
            (951_782_400, "2000-02-29"),
            (1_798_761_599, "2026-12-31"),
            (1_798_761_600, "2027-01-01"),
        ] {
            assert_eq!(Date::of_unix_seconds(seconds).to_string(), day);
        }
        assert_eq!(Date::of_unix_seconds(u64::MAX).to_string(), "9999-12-31");
    }
}
