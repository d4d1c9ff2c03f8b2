drawhitch config path
drawhitch config path ledger
drawhitch config path --config mine.toml
drawhitch config path --json
touch drawhitch.toml
mkdir deeper && cd deeper
drawhitch config path project
