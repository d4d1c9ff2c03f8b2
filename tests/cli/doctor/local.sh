drawhitch adopt me local > /dev/null
drawhitch doctor me | cut -f1-3 | grep -E "^(connection|box	(helper|shell|system|clock|data|root))	"
