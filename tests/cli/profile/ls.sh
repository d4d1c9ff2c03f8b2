drawhitch profile ls | cut -f 1,6
mkdir -p "$XDG_CONFIG_HOME/drawhitch/profiles"
drawhitch profile show generic-ssh --toml > copy.toml
cp copy.toml "$XDG_CONFIG_HOME/drawhitch/profiles/generic-ssh.toml"
drawhitch profile show local --toml | sed '0,/^id = .*/s//id = "mine"/' > "$XDG_CONFIG_HOME/drawhitch/profiles/mine.toml"
echo 'nonsense' > "$XDG_CONFIG_HOME/drawhitch/profiles/broken.toml"
drawhitch profile ls | cut -f 1,6,7
