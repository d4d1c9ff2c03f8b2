# A data directory that is no fixed place of the box is refused before the box is asked.
for place in relative . ../up /tmp/../etc '~other/x'; do
    if drawhitch adopt b1 local --data-dir "$place"; then exit 99; else echo "$place: $?"; fi
done
drawhitch -q ls
