# What a person at a bash would be offered.
eval "$(drawhitch completion bash)"
offer() {
    COMP_WORDS=(drawhitch "$@")
    COMP_CWORD=$#
    _drawhitch
    echo "$*: ${COMPREPLY[*]}"
}
offer vers
offer --color a
offer version --color = n
offer completion ''
offer help exit
