# All problems at once, each with its place.
drawhitch profile check
drawhitch profile show local --toml | sed '0,/^id = .*/s//id = "mine"/' > mine.toml
drawhitch profile check mine.toml
sed -i '1i bogus = 1' mine.toml
sed -i '0,/^kind = .*/s//kind = "spaceship"/' mine.toml
drawhitch profile check mine.toml
