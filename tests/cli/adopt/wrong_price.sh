drawhitch adopt b1 ssh root@203.0.113.7 --price-hour cheap
