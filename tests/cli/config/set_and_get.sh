# Comments stay; the file is private; each layer stands above the next.
file=$(drawhitch config path)
drawhitch config set color never
{ echo '# mine'; cat "$file"; } > tmp && cat tmp > "$file"
drawhitch config set connection.poll_s 30
drawhitch config set color always
cat "$file"
stat -c %a "$file"
drawhitch config get color
drawhitch config get color --json
DRAWHITCH_COLOR=never drawhitch config get color --json
printf '[connection]\npoll_s = 5\n' > drawhitch.toml
drawhitch config get connection.poll_s
rm drawhitch.toml
drawhitch config get connection.poll_s
drawhitch config set color ''
drawhitch config get color
cat "$file"
