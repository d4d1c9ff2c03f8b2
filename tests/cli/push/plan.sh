# A plan shows what would go, what is held back and what is wrong with it, and makes no connection.
mkdir proj && cd proj
printf 'print()\n' > train.py
printf '#!/bin/sh\r\n' > run.sh
printf 'TOKEN=x\n' > .env
printf 'out/\n' > .gitignore
mkdir out && printf 'big' > out/model.pt
mkfifo pipe
drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" > /dev/null
drawhitch push -n b1 || echo "exit $?"
test ! -e "$SCRATCH/data/drawhitch" && echo "nothing was sent"
