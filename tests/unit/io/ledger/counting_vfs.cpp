#include "unit/io/ledger/counting_vfs.hpp"

#include <signal.h>
#include <sqlite3.h>
#include <unistd.h>

#include <new>

namespace drawhitch::ledger_test {

namespace {

constexpr const char* k_name = "drawhitch-counting";

struct State {
    FaultPlan plan{};
    long calls{0};
    long syncs{0};
};
State& state() {
    static State value{};
    return value;
}

sqlite3_vfs* real_vfs() {
    return sqlite3_vfs_find(nullptr);
}

// The file as SQLite sees it; the usual layer's file lies right behind it.
struct File {
    sqlite3_file base{};
    sqlite3_io_methods methods{};
};

sqlite3_file* real(sqlite3_file* file) {
    return reinterpret_cast<sqlite3_file*>(reinterpret_cast<File*>(file) + 1);
}
const sqlite3_io_methods& methods(sqlite3_file* file) {
    return *real(file)->pMethods;
}

[[noreturn]] void die() {
    ::kill(::getpid(), SIGKILL);
    for (;;)
        ::pause();
}

enum class Call { write, change, lock };

// Whether a fault of this kind strikes at calls of that kind: what stops the disk strikes where the disk changes, and a
// torn write is a fault of writes.
bool counts(Fault fault, Call call) {
    switch (fault) {
        case Fault::none:
        case Fault::fail:
            return true;
        case Fault::kill:
        case Fault::freeze:
            return call != Call::lock;
        case Fault::tear:
            return call == Call::write;
    }
    return true;
}

// True when this call has to fail.
bool strike(Call kind) {
    State& now = state();
    const bool stops = now.plan.fault == Fault::freeze || now.plan.fault == Fault::tear;
    if (!counts(now.plan.fault, kind)) return stops && now.calls >= now.plan.at;
    const long call = ++now.calls;
    if (stops) return call >= now.plan.at;
    if (now.plan.fault == Fault::kill && call == now.plan.at) die();
    return now.plan.fault == Fault::fail && call == now.plan.at;
}

int on_write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
    if (strike(Call::write)) {
        if (state().plan.fault == Fault::tear && state().calls == state().plan.at)
            (void)methods(file).xWrite(real(file), data, size / 2, offset);
        return SQLITE_FULL;
    }
    return methods(file).xWrite(real(file), data, size, offset);
}
int on_truncate(sqlite3_file* file, sqlite3_int64 size) {
    return strike(Call::change) ? SQLITE_IOERR_TRUNCATE : methods(file).xTruncate(real(file), size);
}
// A dead process loses nothing the kernel has, so the tests need not wait for the disk.
int on_sync(sqlite3_file*, int) {
    ++state().syncs;
    return strike(Call::change) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}
int on_lock(sqlite3_file* file, int level) {
    return strike(Call::lock) ? SQLITE_IOERR_LOCK : methods(file).xLock(real(file), level);
}
int on_shm_lock(sqlite3_file* file, int offset, int count, int flags) {
    // Unlocking cannot fail in the real layer either, but the process may die there.
    const bool failed = strike(Call::lock);
    if (failed && (flags & SQLITE_SHM_LOCK) != 0) return SQLITE_IOERR_SHMLOCK;
    return methods(file).xShmLock(real(file), offset, count, flags);
}
int on_delete(sqlite3_vfs*, const char* name, int sync) {
    return strike(Call::change) ? SQLITE_IOERR_DELETE : real_vfs()->xDelete(real_vfs(), name, sync);
}

// Calls that change nothing are passed on.
int on_close(sqlite3_file* file) {
    return methods(file).xClose(real(file));
}
int on_read(sqlite3_file* file, void* data, int size, sqlite3_int64 offset) {
    return methods(file).xRead(real(file), data, size, offset);
}
int on_size(sqlite3_file* file, sqlite3_int64* size) {
    return methods(file).xFileSize(real(file), size);
}
int on_unlock(sqlite3_file* file, int level) {
    return methods(file).xUnlock(real(file), level);
}
int on_check(sqlite3_file* file, int* out) {
    return methods(file).xCheckReservedLock(real(file), out);
}
int on_control(sqlite3_file* file, int op, void* argument) {
    return methods(file).xFileControl(real(file), op, argument);
}
int on_sector(sqlite3_file* file) {
    return methods(file).xSectorSize(real(file));
}
int on_traits(sqlite3_file* file) {
    return methods(file).xDeviceCharacteristics(real(file));
}
int on_shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** memory) {
    return methods(file).xShmMap(real(file), page, size, extend, memory);
}
void on_shm_barrier(sqlite3_file* file) {
    methods(file).xShmBarrier(real(file));
}
int on_shm_unmap(sqlite3_file* file, int remove) {
    return methods(file).xShmUnmap(real(file), remove);
}

int on_open(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* out, int flags, int* out_flags) {
    auto* file = new (out) File{};
    const int code = real_vfs()->xOpen(real_vfs(), name, real(out), flags, out_flags);
    if (real(out)->pMethods == nullptr) return code;
    file->methods =
        sqlite3_io_methods{2,           on_close,       on_read,      on_write,   on_truncate, on_sync,   on_size,
                           on_lock,     on_unlock,      on_check,     on_control, on_sector,   on_traits, on_shm_map,
                           on_shm_lock, on_shm_barrier, on_shm_unmap, nullptr,    nullptr};
    file->base.pMethods = &file->methods;
    return code;
}

}  // namespace

std::string counting_vfs() {
    static sqlite3_vfs vfs = [] {
        sqlite3_vfs made = *real_vfs();
        made.zName = k_name;
        made.pNext = nullptr;
        made.szOsFile = static_cast<int>(sizeof(File)) + real_vfs()->szOsFile;
        made.xOpen = on_open;
        made.xDelete = on_delete;
        return made;
    }();
    static const int registered = sqlite3_vfs_register(&vfs, 0);
    (void)registered;
    return k_name;
}

void plan_fault(FaultPlan plan) {
    state() = State{plan, 0, 0};
}

long calls_counted() {
    return state().calls;
}

long syncs_counted() {
    return state().syncs;
}

}  // namespace drawhitch::ledger_test
