use std::io::Cursor;

use super::*;

/// A scope with two variables, the second of which is the first again, and an attribute.
const EXAMPLE: &[u8] = b"\xfe\0top\0\0\xfc\x00\x04\x81\x01\0\x05\xfc\0\x07e 1 A 0\0\x01\
    \x10\0D\xe9but [7:0]\0\x08\0\x10\0b\0\x08\x01\xff";

#[test]
fn entries_are_taken_apart() {
    let variable = |name: &str, is_alias| HierarchyEntry::Variable {
        kind: 16,
        name: name.into(),
        length: 8,
        stream: 0,
        is_alias,
    };
    let mut entries = Entries::new(EXAMPLE);
    let found: Vec<HierarchyEntry> = entries.by_ref().collect();
    let attribute = HierarchyEntry::Attribute {
        kind: 0,
        subkind: 7,
        text: "e 1 A 0".into(),
        number: 1,
    };
    let expected = [
        HierarchyEntry::Scope("top".into()),
        HierarchyEntry::Other,
        attribute,
        variable("D\u{fffd}but [7:0]", false),
        variable("b", true),
        HierarchyEntry::UpScope,
    ];
    assert_eq!(found, expected);
    assert_eq!(entries.rest(), b"");
}

/// Bytes that end anywhere give their whole entries.
#[test]
fn entries_that_are_cut_are_left() {
    let whole: Vec<HierarchyEntry> = Entries::new(EXAMPLE).collect();
    for length in 0..EXAMPLE.len() {
        let mut entries = Entries::new(&EXAMPLE[..length]);
        let found: Vec<HierarchyEntry> = entries.by_ref().collect();
        assert_eq!(found[..], whole[..found.len()]);
        assert!(found.len() < whole.len());
    }
}

/// A section of this kind.
fn section(packed: &[u8], length: usize) -> Vec<u8> {
    let mut bytes = vec![6];
    bytes.extend((packed.len() as u64 + 16).to_be_bytes());
    bytes.extend((length as u64).to_be_bytes());
    bytes.extend(packed);
    bytes
}

#[test]
fn declarations_are_unpacked() {
    let content = EXAMPLE.repeat(20);
    let once = lz4_flex::block::compress(&content);
    let mut twice = vec![once.len() as u8 | 0x80, (once.len() >> 7) as u8];
    twice.extend(lz4_flex::block::compress(&once));
    for (kind, packed) in [(6, &once), (7, &twice)] {
        let bytes = section(packed, content.len());
        let found = unpacked(&mut Cursor::new(&bytes), (kind, 0)).unwrap();
        assert_eq!(found.as_deref(), Ok(&content[..]), "{kind}");
        let wrong = section(packed, usize::MAX);
        let found = unpacked(&mut Cursor::new(&wrong), (kind, 0)).unwrap();
        assert!(found.is_err());
    }
}
