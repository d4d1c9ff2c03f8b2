#include "io/ledger/sqlite_error.hpp"

#include <sqlite3.h>

#include <cerrno>
#include <cstring>

#include "base/text.hpp"
#include "io/disk/space.hpp"

namespace drawhitch::ledger {

namespace {

Error damaged(std::string text, const std::string& path) {
    return Error{Code::ledger, std::move(text)}
        .because("the ledger is the record of what you rent and of what was proven: keep the file")
        .then("mv -i " + shell_quote(path) + " " + shell_quote(path + ".damaged"));
}

// Less than SQLite writes at a time counts as nothing.
constexpr std::uint64_t k_least_room = 64U << 10U;

bool is_full(const std::string& path) {
    const auto space = disk::space_at(path);
    return space && (space->free_bytes < k_least_room || (space->counts_inodes && space->free_inodes == 0));
}

Error no_room(const std::string& path) {
    return disk::explain_full(Error{Code::no_space, "no space left for the ledger " + printable(path)}, path);
}

// `doing` is "open" or "read or write".
Error file_error(std::string_view doing, std::string_view detail, const std::string& path, int system_error) {
    if (system_error == ENOSPC || system_error == EDQUOT || is_full(path)) return no_room(path);
    Code code = Code::local_io;
    if (system_error == EACCES || system_error == EPERM) code = Code::permission;
    if (system_error == EROFS) code = Code::read_only;
    std::string text = "cannot ";
    text.append(doing).append(" the ledger ").append(printable(path));
    std::string why{detail};
    if (system_error != 0) why.append(": ").append(std::strerror(system_error));
    return Error{code, std::move(text)}.because(std::move(why)).then("ls -la " + shell_quote(path));
}

}  // namespace

Error sqlite_failure(int code, std::string_view detail, const std::string& path, int system_error) {
    const std::string shown = printable(path);
    switch (code & 0xff) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return Error{Code::locked, Retry::after_wait, "another program holds the ledger " + shown};
        case SQLITE_FULL:
            return no_room(path);
        case SQLITE_READONLY:
            return Error{Code::read_only, "the ledger cannot be written: " + shown}.then("ls -la " + shell_quote(path));
        case SQLITE_PERM:
        case SQLITE_AUTH:
            return Error{Code::permission, "access to the ledger is refused: " + shown}.then("ls -la " +
                                                                                             shell_quote(path));
        case SQLITE_CANTOPEN:
            return file_error("open", detail, path, system_error);
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
            if (code == SQLITE_IOERR_NOMEM) return Error{Code::local_io, "out of memory while using the ledger"};
            return file_error("read or write", detail, path, system_error);
        default: {
            std::string text = "the ledger failed: ";
            text.append(detail).append(" (").append(std::to_string(code)).append(")");
            return Error{Code::ledger, std::move(text)};
        }
    }
}

}  // namespace drawhitch::ledger
