# What compares with crosswave: the commands, which are carried out when CROSSWAVE is set to the
# program.
quoted() {
    case $1 in
        '' | *[!A-Za-z0-9/._+=:,@%-]*)
            printf "'"
            printf '%s' "$1" | sed "s/'/'\\\\''/g"
            printf "'" ;;
        *) printf '%s' "$1" ;;
    esac
}
# Says why nothing is compared, which is a mistake where it was asked for.
not_compared() {
    echo "to compare with crosswave, $1"
    [ -z "${CROSSWAVE:-}" ] || exit 2
    exit 0
}
# The seed that the test bench was made for, where another one belongs to another test bench.
seed_exported=@seed@
wave= outcomes= seed= cycles_max=
for option in "$@"; do
    case $option in
        +vcd=*) wave=${wave:-${option#+vcd=}} ;;
        +outcomes=*) outcomes=${outcomes:-${option#+outcomes=}} ;;
        +seed=*) seed=${seed:-${option#+seed=}} ;;
        +cycles_max=*) cycles_max=${cycles_max:-${option#+cycles_max=}} ;;
        +quiet) ;;
        *) not_compared "leave $option out: configuration.toml does not have it" ;;
    esac
done
if [ -n "$outcomes" ] && [ "@input@" = stimulus ]; then
    not_compared "leave +outcomes=$outcomes out: this test bench replays what the hosts drove"
fi
if [ -n "$seed" ] && [ "$seed" != "${seed_exported:-$seed}" ]; then
    not_compared "leave +seed=$seed out: @input@.csv is that of seed $seed_exported; export again with run.seed = $seed"
fi
# Names that begin as options do.
case $wave in -*) wave=./$wave ;; esac
case $outcomes in -*) outcomes=./$outcomes ;; esac
if [ -z "$wave$outcomes" ]; then
    echo "to compare with crosswave, write a waveform: +vcd=FILE"
    exit
fi
set -- run "${here}configuration.toml" --quiet
[ -z "$seed" ] || set -- "$@" --set "run.seed=$seed"
[ -z "$cycles_max" ] || set -- "$@" --set "run.cycles_max=$cycles_max"
[ -z "$wave" ] || set -- "$@" --wave "$wave.crosswave.fst"
[ -z "$outcomes" ] || set -- "$@" --messages "$outcomes.crosswave.csv"
if [ -n "${CROSSWAVE:-}" ]; then
    # Exit code 1 says that messages were not delivered until cycles_max.
    "$CROSSWAVE" "$@" || {
        code=$?
        [ "$code" -eq 1 ] || exit "$code"
    }
    [ -z "$wave" ] || "$CROSSWAVE" diff "$wave" "$wave.crosswave.fst" $diff_options
    [ -z "$outcomes" ] || "$CROSSWAVE" diff "$outcomes" "$outcomes.crosswave.csv"
    exit
fi
printf 'compare:'
printf ' crosswave'
for argument in "$@"; do
    printf ' '
    quoted "$argument"
done
and=';'
[ -z "$wave" ] || {
    and=' &&'
    printf '; crosswave diff '
    quoted "$wave"
    printf ' '
    quoted "$wave.crosswave.fst"
    printf '%s' "${diff_options:+ $diff_options}"
}
[ -z "$outcomes" ] || {
    printf '%s crosswave diff ' "$and"
    quoted "$outcomes"
    printf ' '
    quoted "$outcomes.crosswave.csv"
}
echo
