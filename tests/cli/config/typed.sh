# In JSON a flag is a flag and a number a number; where a profile decides, the word says so.
for key in plain timeout_s connection.connect_timeout_s connection.poll_s color; do
    drawhitch config get $key --json | grep -o '"value":[^,]*'
done
drawhitch config set plain true && drawhitch config get --json | grep -o '"key":"plain","value":[^,]*'
drawhitch config get connection.poll_s
