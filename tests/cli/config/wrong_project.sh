printf 'project = "nano"\nbogus = 1\n[pull]\ndir = 7\n' > drawhitch.toml
mkdir deeper
cd deeper
drawhitch push
