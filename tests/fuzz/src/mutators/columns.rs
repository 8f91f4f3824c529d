//! Mutations of text that has lines of cells or words.

use super::{NUMBERS, Random, plain};

/// A table whose cells lie between commas.
pub fn table(data: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    lines(data, ',', random)
}

/// Text whose words lie between blanks.
pub fn words(data: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    lines(data, ' ', random)
}

fn lines(data: &[u8], between: char, random: &mut Random) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(data).ok()?;
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    for _ in 0..=random.below(3) {
        let at = random.below(lines.len());
        match random.below(8) {
            0 if lines.len() > 1 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[at].clone()),
            2 => {
                let with = random.below(lines.len());
                lines.swap(at, with);
            }
            _ => {
                let other = lines[random.below(lines.len())].clone();
                lines[at] = line(&lines[at], &other, between, random);
            }
        }
    }
    Some(lines.join("\n").into_bytes())
}

/// A line with one cell changed; cells of another one may be put in.
fn line(text: &str, other: &str, between: char, random: &mut Random) -> String {
    let mut cells: Vec<String> = text.split(between).map(str::to_owned).collect();
    let others: Vec<&str> = other.split(between).collect();
    let at = random.below(cells.len());
    match random.below(7) {
        0 if cells.len() > 1 => drop(cells.remove(at)),
        1 => cells.insert(at, cells[at].clone()),
        2 => cells[at] = random.of(&others).copied().unwrap_or_default().to_owned(),
        3 => cells[at] = random.of(&NUMBERS).copied().unwrap_or_default().to_owned(),
        4 => {
            let bytes = plain(cells[at].as_bytes());
            cells[at] = String::from_utf8_lossy(&bytes).into_owned();
        }
        5 => {
            let with = random.below(cells.len());
            cells.swap(at, with);
        }
        _ => match cells[at].trim().parse::<u64>() {
            Ok(number) => {
                let near = match random.below(2) {
                    0 => number.wrapping_add(1),
                    _ => number.wrapping_sub(1),
                };
                cells[at] = near.to_string();
            }
            Err(_) => cells[at].push('0'),
        },
    }
    cells.join(&between.to_string())
}
