drawhitch adopt b1 "ssh -J bastion root@203.0.113.7"
