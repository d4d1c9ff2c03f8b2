# A push that is larger than wanted asks; without a terminal it is refused and nothing is sent; -y answers.
mkdir proj && cd proj
head -c 3000000 /dev/zero > data.bin
printf '[push]\nmax_total_mb = 1\n' > drawhitch.toml
drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" > /dev/null
drawhitch -q push b1 || echo "exit $?"
test ! -e "$SCRATCH/data/drawhitch" && echo "nothing was sent"
drawhitch -q -y push b1 | sed 's/release [0-9a-f]*/release HASH/'
