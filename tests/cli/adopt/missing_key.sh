drawhitch adopt b1 ssh -p 1 -i missing root@127.0.0.1
