#include "cli/suggest.hpp"

#include <catch2/catch_test_macros.hpp>
#include <vector>

using drawhitch::cli::nearest;

TEST_CASE("a slip of the fingers finds its word, another word finds nothing") {
    const std::vector<std::string> verbs{"pull", "push", "preflight", "stop-run", "ls"};
    CHECK(nearest("pul", verbs) == "pull");
    CHECK(nearest("psuh", verbs) == "push");
    CHECK(nearest("preflihgt", verbs) == "preflight");
    CHECK(nearest("stoprun", verbs) == "stop-run");
    CHECK(nearest("pref", verbs) == "preflight");
    CHECK_FALSE(nearest("banana", verbs));
    CHECK_FALSE(nearest("", verbs));
    CHECK_FALSE(nearest(std::string(100'000, 'p'), verbs));
}

TEST_CASE("what is advised for a verb to come does what that verb will do") {
    struct Row {
        const char* verb;
        const char* says;
        const char* next;
    };
    // Purposes by the command grammar: reap ends holders of GPU memory, stage copies between disks of the box, fetch
    // downloads on the box, export writes what is known, judge and probe are about GPUs, guard stops the meter.
    for (const Row& row : {Row{"reap", "GPU memory", "drawhitch exec -- nvidia-smi"},
                           Row{"stage", "from one disk of the box to another", "drawhitch help exec"},
                           Row{"fetch", "download on the box", "drawhitch help run"},
                           Row{"export", "one lease", "drawhitch help lease export"},
                           Row{"judge", "GPUs' health", "drawhitch exec -- nvidia-smi -q"},
                           Row{"probe", "GPUs", "drawhitch exec -- nvidia-smi -q"},
                           Row{"guard", "stops a box by itself", "drawhitch ls"},
                           Row{"adopt-run", "did not start", "drawhitch help cp"}}) {
        CAPTURE(row.verb);
        const drawhitch::Error error = drawhitch::cli::unknown_word("there is no command", row.verb, {});
        CHECK(error.why.find(row.says) != std::string::npos);
        CHECK(error.next == row.next);
    }
}
