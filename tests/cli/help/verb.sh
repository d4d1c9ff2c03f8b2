drawhitch completion --help
drawhitch help completion | diff - <(drawhitch completion -h)
