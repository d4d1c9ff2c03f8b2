# Old facts are said to be old; they are no problem of the file.
drawhitch profile show local --toml | sed 's/^verified_on = .*/verified_on = 2020-01-01/; s/^id = "local"/id = "mine"/' > mine.toml
drawhitch profile check mine.toml 2>&1 | sed 's/[0-9][0-9]* days/N days/'
