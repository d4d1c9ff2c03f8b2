# cmake -DFILE=… -DOUT=… -P sha256.cmake: writes the file's SHA-256, 64 hex digits and nothing else.
file(SHA256 ${FILE} digest)
file(WRITE ${OUT} ${digest})
