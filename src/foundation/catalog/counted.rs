//! Formats counts for people.

/// The number with commas between groups of three digits: `12,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `one` if `number` is 1, else `several`.
pub fn plural<'w>(number: u64, one: &'w str, several: &'w str) -> &'w str {
    if number == 1 { one } else { several }
}

/// The number and its noun: `1 state`, `2,000 states`.
pub fn counted(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", grouped(number), plural(number, one, several))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped_and_nouns_agree() {
        let texts = [0, 12, 123, 1234, 123_456, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "12", "123", "1,234", "123,456", "1,234,567"]);
        let texts = [0, 1, 2000].map(|number| counted(number, "state", "states"));
        assert_eq!(texts, ["0 states", "1 state", "2,000 states"]);
    }
}
