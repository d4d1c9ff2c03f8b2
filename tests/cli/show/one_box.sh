. "$CLI_TESTS/road.sh.inc"
adopt_here
run_job r1 model.bin sh -c 'echo weights > model.bin'
drawhitch show b1 | grep -e '^box' -e '^state' -e '^at_risk' -e '^r1' | cut -f 1-3
drawhitch show --json | field '[j["data"]["box"], j["data"]["runs"][0]["verdict"], j["data"]["runs"][0]["command"], j["data"]["at_risk"]]'
