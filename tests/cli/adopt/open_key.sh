touch key && chmod 644 key
drawhitch adopt b1 ssh -p 1 -i ./key root@127.0.0.1 2>&1 | sed "s,$SCRATCH,SCRATCH,g"
