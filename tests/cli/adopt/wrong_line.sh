drawhitch adopt b1 ssh -p 22 root@203.0.113.7 rm -r
