//! The known word that a user may have meant.

use strsim::osa_distance;

/// The nearest of `known` to `word`, when one is near: at most two slips, and fewer than half as
/// many as the word has letters, or one slip in a word of two. A slip is a letter inserted,
/// deleted or changed, or two neighbours that changed places.
pub fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let length = word.chars().count();
    // Words that long are near to none of ours.
    if length > 32 {
        return None;
    }
    known
        .iter()
        .map(|&candidate| (osa_distance(word, candidate), candidate))
        .min_by_key(|&(distance, _)| distance)
        .filter(|&(distance, _)| distance <= 2 && 2 * distance < length.max(3) && length > 1)
        .map(|(_, candidate)| candidate)
}

/// `"a", "b"`: names as they are written in a configuration.
pub fn list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_words() {
        let known = ["words", "source", "messages", "a"];
        assert_eq!(nearest("mesages", &known), Some("messages"));
        assert_eq!(nearest("wrods", &known), Some("words"));
        assert_eq!(nearest("soucre", &known), Some("source"));
        assert_eq!(nearest("x", &known), None);
        let tables = ["network", "traffic", "run", "wave"];
        assert_eq!(nearest("wvae", &tables), Some("wave"));
        assert_eq!(nearest("rn", &tables), Some("run"));
        assert_eq!(nearest("run", &tables), Some("run"));
        assert_eq!(nearest("fun", &tables), Some("run"));
        assert_eq!(nearest("ab", &tables), None);
        assert_eq!(nearest("wire", &tables), None, "two letters of four");
        assert_eq!(nearest("", &known), None);
        assert_eq!(nearest("destination", &known), None);
    }
}
