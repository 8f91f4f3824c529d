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
wave= outcomes= seed= cycles_max=
for option in "$@"; do
    case $option in
        +vcd=*) wave=${wave:-${option#+vcd=}} ;;
        +outcomes=*) outcomes=${outcomes:-${option#+outcomes=}} ;;
        +seed=*) seed=${seed:-${option#+seed=}} ;;
        +cycles_max=*) cycles_max=${cycles_max:-${option#+cycles_max=}} ;;
        +quiet) ;;
        *)
            echo "to compare with crosswave, leave $option out: configuration.toml does not have it"
            exit ;;
    esac
done
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
    "$CROSSWAVE" "$@" || [ $? -eq 1 ]
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
