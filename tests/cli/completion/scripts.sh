# Each script is valid for its shell.
. "$CLI_TESTS/skip.sh.inc"
drawhitch completion bash | bash -n
command -v zsh > /dev/null || skip_without zsh
drawhitch completion zsh | zsh -n
command -v fish > /dev/null || skip_without fish
drawhitch completion fish | fish --no-execute
