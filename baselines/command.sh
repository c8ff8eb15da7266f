#!/bin/bash
# Run a program beside the shell and follow it.
#   agent.sh run SECONDS       runs the text in ./command with the task on standard input and in $ICAE_TASK
#   agent.sh follow SECONDS    prints what it printed since the last time, as soon as it is over or has handed in, or when the
#                              seconds are up: 75 if it still runs, 0 if it ended well, 124 if its time was up, else 1
folder=${0%/*}
most=200000 # bytes of output that are shown at once
grace=5     # seconds that it gets to end after it has handed in

run() {
    export ICAE_TASK=/workspace/start.md
    cd /workspace || exit 3
    timeout --kill-after=5 "$1" bash "$folder/command" <"$ICAE_TASK" >"$folder/output" 2>&1
    echo $? >"$folder/code.new"
    mv "$folder/code.new" "$folder/code"
}

handed_in() {
    local first=
    { read -r first </run/ask-user/answer; } 2>/dev/null
    [[ $first == submit-* ]]
}

wait_for_it() {
    local end=$((SECONDS + $1))
    while [ ! -f "$folder/code" ] && ((SECONDS < end)) && ! handed_in; do sleep 0.1; done
    handed_in || return
    end=$((SECONDS + grace))
    while [ ! -f "$folder/code" ] && ((SECONDS < end)); do sleep 0.1; done
}

show() {
    local from=0 size
    [ -f "$folder/shown" ] && read -r from <"$folder/shown"
    size=$(stat -c %s "$folder/output" 2>/dev/null || echo 0)
    echo "$size" >"$folder/shown"
    if ((size - from > most)); then
        echo "[... $((size - from - most)) bytes left out here ...]"
        from=$((size - most))
    fi
    tail -c "+$((from + 1))" "$folder/output" 2>/dev/null | head -c $((size - from))
}

case $1 in
run) run "$2" ;;
follow)
    wait_for_it "$2"
    over=
    [ -f "$folder/code" ] && read -r over <"$folder/code"
    show
    if [ -z "$over" ]; then exit 75; fi
    echo "[The command ended with code $over.]"
    case $over in 0 | 124) exit "$over" ;; *) exit 1 ;; esac
    ;;
esac
