# cmake -DROOT=… -DOUT=… [-DGIT=…] -P commit.cmake: writes a source file that knows which commit is being built, with
# "+changes" when the working copy differs from it. Touches the file only when the answer changes.
set(commit "")
if(GIT AND EXISTS ${ROOT}/.git)
  execute_process(
    COMMAND ${GIT} -C ${ROOT} describe --always --exclude=* --abbrev=12 --dirty=+changes
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
set(text "namespace drawhitch::cli {\nextern const char* const k_commit;\nconst char* const k_commit = \"${commit}\";\n}\n")
set(old "")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUT} "${text}")
endif()
