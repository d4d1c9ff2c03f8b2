# A port where something else listens: what it said is told, and the command that shows more.
mkfifo port
python3 - <<'PY' &
import socket
server = socket.create_server(("127.0.0.1", 0))
with open("port", "w") as file:
    file.write(str(server.getsockname()[1]))
while True:
    peer, _ = server.accept()
    peer.sendall(b"HTTP/1.1 400 \x1b[31mBad Request\r\n\r\n")
    peer.close()
PY
port=$(cat port)
ssh-keygen -q -t ed25519 -N "" -f "my key"
code=0
drawhitch adopt b1 ssh -p "$port" -i "my key" root@127.0.0.1 2>&1 | sed "s/$port/PORT/g; s,$SCRATCH,SCRATCH,g" || code=$?
echo "exit $code"
kill %1
