# Each script is valid for its shell, where the shell is here.
drawhitch completion bash | bash -n
if command -v zsh >/dev/null; then drawhitch completion zsh | zsh -n; fi
if command -v fish >/dev/null; then drawhitch completion fish | fish --no-execute; fi
