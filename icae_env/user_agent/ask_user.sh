#!/bin/bash
# Ask the user one question: ask-user "What happens to ...?", or with the question on standard input.
# Hand in the workspace: submit. The episode is over once the command that this is part of has ended.
# What is wanted is put into a file that the host looks at while a command runs; the answer comes back in another.
box=${ICAE_ASK_BOX:-/run/ask-user}
name=${0##*/}
if [ "$name" = submit ]; then
    if [ $# -gt 0 ]; then
        echo 'usage: submit, without arguments; it hands in the workspace as it is' >&2
        exit 2
    fi
    kind=submit question=
else
    if [ "$1" = "--help" ] || { [ $# -eq 0 ] && [ -t 0 ]; }; then
        echo 'usage: ask-user "one question"' >&2
        exit 2
    fi
    kind=ask
    if [ $# -gt 0 ]; then question="$*"; else question=$(head -c 8000); fi
fi
mkdir -p "$box" || exit 3
# One at a time; the lock goes with the process that holds it.
exec 9>"$box/lock" || exit 3
flock -w 60 9 || { echo "$name: another question waits for its answer" >&2; exit 3; }
id=$kind-$$-$RANDOM$RANDOM
printf '%s\n%s' "$id" "$question" >"$box/new" && mv -f "$box/new" "$box/question" || exit 3
for ((tick = 0; tick < 3000; tick++)); do
    if [ -f "$box/answer" ]; then
        { IFS= read -r for && IFS= read -r left; } <"$box/answer"
        if [ "$for" = "$id" ]; then
            tail -n +3 "$box/answer"
            echo
            if [ -n "$left" ]; then echo "[$left]" >&2; fi
            exit 0
        fi
    fi
    sleep 0.02
done
rm -f "$box/question"
echo "$name: no answer came; it comes only while a command of yours is waited for" >&2
exit 3
