// Boxes with old kernels or strict sandboxes: newer system calls answer ENOSYS or EPERM, and older ones do the work.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

#include "support/skip.hpp"
#include "unit/helper/fixture.hpp"

using namespace drawhitch;
using namespace drawhitch::test;

namespace {

constexpr std::uint32_t k_number_at = offsetof(seccomp_data, nr);
constexpr std::uint32_t k_flags_at =
    offsetof(seccomp_data, args) + 4 * sizeof(std::uint64_t);  // low half, little-endian

// Forbids the newer calls to the calling thread for the rest of its life: copy_file_range, and renameat2 with flags
// (without any it is what some C libraries, and this project's fault injection, make of renameat). False where the
// system allows no filter.
bool forbid_newer_calls(unsigned answer) {
    std::vector<sock_filter> program{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, k_number_at),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_copy_file_range, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, k_flags_at),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (answer & SECCOMP_RET_DATA)),
    };
    const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

}  // namespace

TEST_CASE("without newer system calls, renames that must not replace and copies work all the same") {
    for (const unsigned answer : {unsigned{ENOSYS}, unsigned{EPERM}}) {
        support::TempDir dir;
        support::TestOp op;
        std::atomic<bool> filtered{false};
        support::InProcessHelper helper([&] { filtered = forbid_newer_calls(answer); });
        const auto agent = helper.connect(op);
        if (!filtered) support::skip_without("the right to filter system calls");
        const auto root = Connection::must(agent->open_root(op, dir / "root", true));
        const auto claim = Connection::must(agent->claim(op, root, {k_owner_a, 0, false, {}}));
        const std::string content = noise(3U << 20U);
        support::write_file(dir / "root/one", content, 0750);
        support::write_file(dir / "root/two", "2");
        CHECK(code_of(agent->rename(op, claim, "one", "two", true)) == Code::exists);
        CHECK(support::read_file(dir / "root/two") == "2");
        CHECK(agent->rename(op, claim, "one", "three", true));
        CHECK(support::read_file(dir / "root/three") == content);
        CHECK(agent->copy_file(op, claim, "three", "four"));
        CHECK(support::read_file(dir / "root/four") == content);
        // Directories cannot be linked; a look before the rename stands in.
        CHECK(agent->make_directory(op, claim, "staged", 0755, false));
        CHECK(agent->make_directory(op, claim, "taken", 0755, false));
        CHECK(code_of(agent->rename(op, claim, "staged", "taken", true)) == Code::exists);
        CHECK(agent->rename(op, claim, "staged", "release", true));
        CHECK(Connection::must(agent->probe_root(op, claim)).rename_no_replace);
    }
}
