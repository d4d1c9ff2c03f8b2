#include "io/ledger/sqlite_error.hpp"

#include <sqlite3.h>

#include "base/text.hpp"

namespace drawhitch::ledger {

namespace {

Error damaged(std::string text, const std::string& path) {
    return Error{Code::ledger, std::move(text)}
        .because("the ledger is the record of what you rent and of what was proven: keep the file")
        .then("mv -i " + shell_quote(path) + " " + shell_quote(path + ".damaged"));
}

Error input_output(int code, std::string_view detail, const std::string& shown) {
    if (code == SQLITE_IOERR_NOMEM) return Error{Code::local_io, "out of memory while using the ledger"};
    std::string text = "cannot read or write the ledger ";
    text.append(shown).append(": ").append(detail);
    return Error{Code::local_io, std::move(text)};
}

}  // namespace

Error sqlite_failure(int code, std::string_view detail, const std::string& path) {
    const std::string shown = printable(path);
    switch (code & 0xff) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return Error{Code::locked, Retry::after_wait, "another program holds the ledger " + shown};
        case SQLITE_FULL:
            return Error{Code::no_space, "no space left for the ledger " + shown}.then("df -h " + shell_quote(path));
        case SQLITE_READONLY:
            return Error{Code::read_only, "the ledger cannot be written: " + shown}.then("ls -la " + shell_quote(path));
        case SQLITE_PERM:
        case SQLITE_AUTH:
            return Error{Code::permission, "access to the ledger is refused: " + shown};
        case SQLITE_CANTOPEN: {
            std::string text = "cannot open the ledger " + shown;
            return Error{Code::local_io, std::move(text)}
                .because(std::string{detail})
                .then("ls -la " + shell_quote(path));
        }
        case SQLITE_NOTADB:
            return damaged("the ledger is not a database: " + shown, path);
        case SQLITE_CORRUPT:
            return damaged("the ledger is damaged: " + shown + ": " + std::string{detail}, path);
        case SQLITE_CONSTRAINT:
            if (code == SQLITE_CONSTRAINT_UNIQUE || code == SQLITE_CONSTRAINT_PRIMARYKEY) {
                return Error{Code::exists, "the ledger holds such a record already"}.because(std::string{detail});
            }
            if (code == SQLITE_CONSTRAINT_FOREIGNKEY) {
                return Error{Code::not_found, "the ledger does not hold what this record belongs to"};
            }
            return Error{Code::ledger, "the ledger refused a record: " + std::string{detail}};
        case SQLITE_IOERR:
            return input_output(code, detail, shown);
        default: {
            std::string text = "the ledger failed: ";
            text.append(detail).append(" (").append(std::to_string(code)).append(")");
            return Error{Code::ledger, std::move(text)};
        }
    }
}

}  // namespace drawhitch::ledger
