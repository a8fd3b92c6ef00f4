//! Numbers of things, as they are told.

/// A number with a thin grouping of thousands, `12,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The word that goes with a number of things.
pub fn plural<'w>(number: u64, one: &'w str, several: &'w str) -> &'w str {
    if number == 1 { one } else { several }
}

/// How many of something, `1 state`, `2,000 states`.
pub fn counted(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", grouped(number), plural(number, one, several))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_agree_with_their_word() {
        let texts = [0, 12, 123, 1234, 123_456, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "12", "123", "1,234", "123,456", "1,234,567"]);
        let texts = [0, 1, 2000].map(|number| counted(number, "state", "states"));
        assert_eq!(texts, ["0 states", "1 state", "2,000 states"]);
    }
}
