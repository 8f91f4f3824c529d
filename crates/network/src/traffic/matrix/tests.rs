use super::*;
use insta::assert_snapshot;

fn read(text: &str) -> Result<WeightMatrix, Error> {
    WeightMatrix::read(text.as_bytes(), "m.csv", 8)
}

fn refused(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

/// Each destination gets its share of a source's messages: a chi-square test of 100,000 draws with
/// three degrees of freedom, which exceeds 16.3 once in a thousand.
#[test]
fn weights_are_met() {
    let text = "# a comment\n\nsource,destination,weight\n3,7,4\n3,0,1\n0,3,1\n3,5,0\n3,1,0.5\r\n3,2,2.5\n";
    let matrix = read(text).unwrap();
    assert_eq!(matrix.nodes(), 8);
    let sending: Vec<u32> = (0..8).filter(|&node| matrix.sends(node)).collect();
    assert_eq!(sending, [0, 3]);
    let mut counts = [0_u32; 8];
    let mut generator = random::generator(1, 2);
    let draws = 100_000;
    for _ in 0..draws {
        counts[matrix.draw(3, &mut generator) as usize] += 1;
        assert_eq!(matrix.draw(0, &mut generator), 3);
    }
    let shares = [(0, 0.125), (1, 0.0625), (2, 0.3125), (7, 0.5)];
    let mut chi_square = 0.0;
    for (node, share) in shares {
        let expected = share * f64::from(draws);
        chi_square += (f64::from(counts[node]) - expected).powi(2) / expected;
    }
    assert!(chi_square < 16.3, "{counts:?}: {chi_square}");
    assert_eq!(counts.iter().filter(|&&count| count > 0).count(), 4);
}

#[test]
fn wrong_lines_are_told() {
    let text =
        "source,destination,weight\n0,8,1\n1,1,2\n2,x,-1\n3,4\n0,1,1\n# late\n0,1,2\n5,6,1e-7\n";
    assert_snapshot!(refused(text), @"
    error: m.csv: line 2: destination: found `8`, expected a node, 0 to 7
      help: name nodes of the network, or make it larger

    error: m.csv: line 3: found a weight of node 1 to itself, expected none or 0
      help: leave it out: such messages do not enter the network

    error: m.csv: line 4: destination: found `x`, expected a node, 0 to 7
      help: name nodes of the network, or make it larger

    error: m.csv: line 4: weight: found `-1`, expected 0, or a number up to 10^6 with up to 6 decimals
      help: weights of a source count relative to each other: scale them

    error: m.csv: line 5: found 2 fields, expected 3: source,destination,weight

    error: m.csv: line 7: found 1 fields, expected 3: source,destination,weight
      help: comments stand before the column names

    error: m.csv: line 9: weight: found `1e-7`, expected 0, or a number up to 10^6 with up to 6 decimals
      help: weights of a source count relative to each other: scale them

    error: m.csv: line 8: found the pair 0,1 of line 6 again, expected it once
      help: give it one line, with the sum of the weights
    ");
    assert_snapshot!(refused("source,weight\n"), @"
    error: m.csv: line 1: found `source,weight`, expected the column names source,destination,weight
      help: name the columns before the weights
    ");
    assert_snapshot!(refused("# nothing\n"), @"error: m.csv: end of the file: the file ends before the column names source,destination,weight");
    assert_snapshot!(refused("source,destination,weight\n0,1,0\n1,1,0.0\n"), @"error: m.csv: end of the file: no weights above 0; expected one at least");
}
