use super::*;

/// A block tells its first and its last time: of all its transactions, of which neither the
/// first nor the last one began first or ended last.
#[test]
fn blocks_have_the_times_of_their_transactions() {
    let mut bytes = Vec::new();
    let mut writer = FtrWriter::new(2, &mut bytes).unwrap();
    for (node, from_cycle, to_cycle) in [(0, 5, 9), (1, 4, 11), (0, 3, 13), (0, 7, 12)] {
        let transaction = Transaction {
            kind: TransactionKind::Message,
            node,
            from_cycle,
            to_cycle,
            attributes: Vec::new(),
        };
        writer.transaction(&transaction).unwrap();
    }
    writer.finish().unwrap();
    let has = |block: &[u8]| bytes.windows(block.len()).any(|found| found == block);
    // Tag 12, an array of 4, the stream, and two numbers of nanoseconds in a byte each.
    assert!(has(&[0xcc, 0x84, 1, 0x18, 30, 0x18, 130]), "{bytes:x?}");
    assert!(has(&[0xcc, 0x84, 2, 0x18, 40, 0x18, 110]), "{bytes:x?}");
}
