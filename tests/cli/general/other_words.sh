# Words that people bring along lead to the verb that does it here; nothing is done by guess.
for word in list kill rm delete stop up rent create sync upload download connect attach tail preflight queue; do
    { drawhitch "$word" b1 2>&1 || true; } | tr '\n' ' ' && echo
done
drawhitch lease import x 2>&1 || echo "exit $?"
drawhitch help up 2>&1 || echo "exit $?"
for alias in deploy launch status terminate destroy release; do
    drawhitch help "$alias" | head -n 1
done
