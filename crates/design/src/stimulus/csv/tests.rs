use super::*;
use crosswave_netlist::BitRange;

fn inputs() -> Vec<RunPort> {
    let port = |name: &str, width, first| RunPort {
        name: name.to_owned(),
        width,
        first,
        range: BitRange::default(),
        signed: false,
    };
    vec![port("a", 4, 0), port("b", 1, 4)]
}

#[test]
fn cells_are_read_and_empty_ones_hold() {
    let text = "cycle, b, a\n# nothing\n0,1,0xA\n\n2,,0b0011\n5,0,7\n";
    let stimulus = read("t", text, &inputs()).unwrap();
    assert_eq!(stimulus.cycles, 6);
    assert_eq!(stimulus.drives.len(), 5);
    let drive = &stimulus.drives[1];
    assert_eq!((drive.cycle, drive.input), (0, 0));
    let values: Vec<Bit> = drive.values().collect();
    assert_eq!(values, [Bit::Zero, Bit::One, Bit::Zero, Bit::One]);
}

#[test]
fn unknown_bits_are_kept_where_they_are() {
    let text = "cycle,a,b\n0,x,x\n1,0bx1,0b0\n2,0bzx10,1\n3,0x00_0f,0b0000001\n";
    let stimulus = read("t", text, &inputs()).unwrap();
    let found: Vec<String> = stimulus
        .drives
        .iter()
        .map(|drive| drive.values().map(Bit::as_char).rev().collect())
        .collect();
    let expected = ["xxxx", "x", "00x1", "0", "zx10", "1", "1111", "1"];
    assert_eq!(found, expected);
    let unknown = stimulus.drives.iter().map(Drive::is_unknown);
    let expected = [true, true, true, false, true, false, false, false];
    assert!(unknown.eq(expected));
}

#[test]
fn every_mistake_has_its_line() {
    let text = "cycle,a,b\n0,16,0\n0,1,1\n1,x,2\n2,1\n3,0xg,0b\n";
    let error = read("t.csv", text, &inputs()).unwrap_err();
    insta::assert_snapshot!(error, @r"
    error: t.csv: line 2, column a: `16` does not fit into 4 bits
      help: give a value as wide as the input

    error: t.csv: line 3, column cycle: cycle 0 comes after cycle 0
      help: cycles are whole numbers from 0, and rise

    error: t.csv: line 4, column b: `2` does not fit into 1 bits
      help: give a value as wide as the input

    error: t.csv: line 5: 2 cells, expected 3
      help: give every column a cell; an empty one changes nothing

    error: t.csv: line 6, column a: `0xg` is not a value
      help: values are decimal, 0x and hexadecimal digits, 0b and binary digits, or x

    error: t.csv: line 6, column b: `0b` is not a value
      help: values are decimal, 0x and hexadecimal digits, 0b and binary digits, or x
    ");
    let error = read("t.csv", "time,c\n", &inputs()).unwrap_err();
    insta::assert_snapshot!(error, @r"
    error: t.csv: line 1: the first column is `time`, expected `cycle`
      help: begin the header with `cycle,`

    error: t.csv: line 1, column 2: the design has no input `c` that can be driven
      help: the inputs are `a`, `b`
    ");
}

/// The values of the changes, as digits.
fn digits(stimulus: &Stimulus) -> Vec<String> {
    let drives = stimulus.drives.iter();
    drives
        .map(|drive| drive.values().map(Bit::as_char).rev().collect())
        .collect()
}

#[test]
fn tables_of_spreadsheets_are_read() {
    let plain = read("t", "cycle,a,b\n0,1,\n5,15,1\n", &inputs()).unwrap();
    for text in [
        "\u{feff}cycle,a,b\r\n0,1,\r\n# c\r\n5,0xF,0b1\r\n",
        "\"cycle\",\"a\",\"b\"\n\"0\",\"1\",\"\"\n\"5\" , \"15\",1\n",
        "cycle\t, a ,b\n 0 ,1, \n5,\" 15 \",  1",
    ] {
        assert_eq!(read("t", text, &inputs()).unwrap(), plain, "{text:?}");
    }
    let mut odd = inputs();
    odd[0].name = "a,\"b".to_owned();
    let stimulus = read("t", "cycle,\"a,\"\"b\"\n0,3\n", &odd).unwrap();
    assert_eq!(stimulus.inputs, [0]);
    for (text, expected) in [
        ("cycle,\"a\n0,1\n", "line 1: a cell in quotation marks"),
        ("cycle,a\n0,\"1\"2\n", "line 2: a cell in quotation marks"),
        ("cycle;a\n0;1\n", "line 1: the columns are separated by `;`"),
        (
            "cycle\ta\n0\t1\n",
            "line 1: the columns are separated by tabs",
        ),
    ] {
        let error = read("t.csv", text, &inputs()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn values_of_signed_inputs_may_be_negative() {
    let mut inputs = inputs();
    inputs[0].signed = true;
    let text = "cycle,a\n0,-1\n1,-3\n2,-8\n3,-0\n4,-0b11\n5,-0x7\n6,7\n7,15\n8,0xf\n";
    let stimulus = read("t", text, &inputs).unwrap();
    let expected = [
        "1111", "1101", "1000", "0000", "1101", "1001", "0111", "1111", "1111",
    ];
    assert_eq!(digits(&stimulus), expected);
    let text = "cycle,a,b\n0,-9,0\n1,16,-1\n2,--1,\n3,-x,\n4,-,\n";
    let error = read("t.csv", text, &inputs).unwrap_err().to_string();
    for expected in [
        "line 2, column a: `-9` does not fit into 4 bits",
        "line 3, column a: `16` does not fit into 4 bits",
        "line 3, column b: `-1` is negative, and `b` is not declared as signed",
        "line 4, column a: `-1` is not a value",
        "line 5, column a: `-x` is not a value",
        "line 6, column a: `` is not a value",
    ] {
        assert!(error.contains(expected), "{expected}: {error}");
    }
    // Wider than any number of the machine.
    inputs[0].width = 200;
    let stimulus = read("t", "cycle,a\n0,-2\n", &inputs).unwrap();
    assert_eq!(digits(&stimulus), [format!("{}0", "1".repeat(199))]);
}
