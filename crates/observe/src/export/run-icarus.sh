#!/bin/sh
# Compiles and runs the exported network in Icarus Verilog 11 or newer.
# Further options of the test bench may follow, such as +vcd=FILE. At the end stand the commands
# that compare what was written with crosswave; with CROSSWAVE=crosswave they are carried out.
set -eu
case $0 in
    */*) here=${0%/*}/ ;;
    *) here=./ ;;
esac
case $here in
    [+-]*) here=./$here ;;
esac
# Icarus opens no file whose name has other characters than these.
LC_ALL=C
export LC_ALL
for option in "$@"; do
    case $option in
        *[!\ -~]*)
            echo "run-icarus.sh: $option: Icarus opens files only whose names are printable ASCII;" \
                "give another name, and rename the file" >&2
            exit 2 ;;
    esac
done
# The compiler hands file names to a shell, so it is given none of this folder's.
(CDPATH= cd -- "$here" && iverilog -g2012 -Wall -Wno-timescale @defines@-y . -I . -s testbench \
    -o testbench.vvp @own_files@testbench.v)
# The first of two equal options counts. The input is opened here: its name may be any.
vvp -n "${here}testbench.vvp" "$@" +@input@=/dev/fd/3 @options@$(cat -- "${here}plusargs.txt") \
    3< "${here}@input@.csv"@options_file@

@diff_options@
@compare@
