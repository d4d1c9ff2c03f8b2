#include "io/ledger/sqlite_error.hpp"

#include <sqlite3.h>

#include <catch2/catch_test_macros.hpp>
#include <cerrno>

#include "support/temp_dir.hpp"

using namespace drawhitch;
using namespace drawhitch::ledger;

TEST_CASE("what SQLite meets is told by its kind, with what to type") {
    const support::TempDir folder;
    const std::string path = folder / "ledger.db";
    struct Row {
        int code{0};
        int system_error{0};
        Code wanted{Code::internal};
    };
    for (const Row row :
         {Row{SQLITE_BUSY, 0, Code::locked}, Row{SQLITE_LOCKED, 0, Code::locked}, Row{SQLITE_FULL, 0, Code::no_space},
          Row{SQLITE_READONLY, 0, Code::read_only}, Row{SQLITE_PERM, 0, Code::permission},
          Row{SQLITE_CANTOPEN, EACCES, Code::permission}, Row{SQLITE_CANTOPEN, EROFS, Code::read_only},
          Row{SQLITE_CANTOPEN, ENOSPC, Code::no_space}, Row{SQLITE_CANTOPEN, 0, Code::local_io},
          Row{SQLITE_IOERR_WRITE, ENOSPC, Code::no_space}, Row{SQLITE_IOERR_WRITE, EDQUOT, Code::no_space},
          Row{SQLITE_IOERR_READ, EIO, Code::local_io}, Row{SQLITE_IOERR_NOMEM, 0, Code::local_io},
          Row{SQLITE_NOTADB, 0, Code::ledger}, Row{SQLITE_CORRUPT, 0, Code::ledger},
          Row{SQLITE_CONSTRAINT_UNIQUE, 0, Code::exists}, Row{SQLITE_CONSTRAINT_FOREIGNKEY, 0, Code::not_found},
          Row{SQLITE_CONSTRAINT_CHECK, 0, Code::ledger}, Row{SQLITE_ERROR, 0, Code::ledger}}) {
        CAPTURE(row.code, row.system_error);
        const Error error = sqlite_failure(row.code, "detail", path, row.system_error);
        CHECK(error.code == row.wanted);
        CHECK_FALSE(error.message.empty());
    }
    CHECK(sqlite_failure(SQLITE_FULL, "", path).next.starts_with("df -"));
    CHECK(sqlite_failure(SQLITE_CANTOPEN, "", path, EACCES).next.starts_with("ls -la "));
}
