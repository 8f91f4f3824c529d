use std::path::Path;

use super::FileKind;

fn of(name: &str, bytes: &[u8]) -> FileKind {
    FileKind::of(Path::new(name), bytes)
}

#[test]
fn beginnings_tell_kinds() {
    let verilog = b"// a counter\n`timescale 1ns/1ps\nmodule top;\nendmodule\n";
    let vhdl = b"-- a counter\nlibrary ieee;\nuse ieee.std_logic_1164.all;\nentity top is\n";
    let cases: [(&[u8], FileKind); 28] = [
        (b"$date today $end", FileKind::Vcd),
        (b"\xef\xbb\xbf\n$timescale 1ns $end", FileKind::Vcd),
        (
            b"$scope module t $end\n$var port 1 <0 a $end",
            FileKind::ExtendedVcd,
        ),
        (b"$comment c $end $dumpports $end", FileKind::ExtendedVcd),
        (b"\0\0\0\0\0\0\0\x01\x49\0\0", FileKind::Fst),
        (b"\xfe\0\0\0\0\0\0\x10\0", FileKind::Fst),
        (b"GHDLwave\n\x10\0", FileKind::Ghw),
        (b"\x01\x38\0\x04", FileKind::Lxt),
        (b"\x13\x80\0\x01\x20", FileKind::Lxt2),
        (b"VZ\0\x01\x08", FileKind::Vzt),
        (b"\x1f\x8b\x08\0", FileKind::Gzip),
        (b"BZh91AY", FileKind::Compressed("bzip2")),
        (b"PK\x03\x04\x14", FileKind::Compressed("zip")),
        (b"\xff\xfe$\0d\0", FileKind::Utf16),
        (b"\0$\0d\0a", FileKind::Utf16),
        (b"{\"modules\": {}}", FileKind::Json),
        (b"[1, 2]", FileKind::Json),
        (b"[[1, 2], [3, 4]]\n", FileKind::Json),
        (
            b"# small\n\n[network] # of trees\nkind = \"fat-tree\"",
            FileKind::Toml,
        ),
        (b"[[faults]]\nnode = 3", FileKind::Toml),
        (b"network.kind = \"fat-tree\"\n", FileKind::Toml),
        (b"cycle,source,destination\n0,1,2\n", FileKind::Csv),
        (verilog, FileKind::Verilog),
        (vhdl, FileKind::Vhdl),
        (b"#! /usr/bin/vvp\n:ivl_version \"12.0\"", FileKind::Vvp),
        (b"[*]\n[*] GTKWave Analyzer v3\n", FileKind::GtkWaveSave),
        (b"hello\n", FileKind::Text),
        (b"", FileKind::Empty),
    ];
    for (bytes, kind) in cases {
        let shown = String::from_utf8_lossy(bytes);
        assert_eq!(of("a", bytes), kind, "{shown:?}");
    }
}

/// The name tells the kind where the content does not, and only there.
#[test]
fn names_tell_kinds_of_other_binary_files() {
    let bytes = b"\x15\0\x02\0";
    assert_eq!(of("a.fsdb", bytes), FileKind::Fsdb);
    assert_eq!(of("a.WLF", bytes), FileKind::Wlf);
    assert_eq!(of("vcdplus.vpd", bytes), FileKind::Vpd);
    assert_eq!(of("a.vcd", bytes), FileKind::Binary);
    assert_eq!(of("a.fsdb", b"$date $end"), FileKind::Vcd);
}

#[test]
fn a_mistake_says_what_was_found_and_expected() {
    let mistake = FileKind::Ghw.mistake("a waveform (VCD or FST)", FileKind::Ghw.to_waveform());
    assert_eq!(
        mistake.message,
        "found a waveform of GHDL (GHW), expected a waveform (VCD or FST)"
    );
    assert!(mistake.help.contains("--vcd="));
}
