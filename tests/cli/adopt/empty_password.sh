drawhitch adopt b1 ssh -p 1 root@127.0.0.1 --password-stdin < /dev/null
