# shellcheck shell=sh disable=SC2154  # dh_name is set before
# Waits for the end of the watcher called dh_name, which ends with its command: 0 when both are gone, 3 when they live on
# for longer than anybody wants to wait.
dh_left=30
while cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n' | grep -q "^$dh_name\$"; do
    [ "$dh_left" -gt 0 ] || exit 3
    sleep 0.05 || { sleep 1 && dh_left=$((dh_left - 19)); }
    dh_left=$((dh_left - 1))
done 2>/dev/null
exit 0
