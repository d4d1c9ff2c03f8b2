for topic in exit-codes environment config output global-options; do
    drawhitch help "$topic" | head -n 1
done
