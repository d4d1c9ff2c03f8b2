#include "core/judge/resume_names.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <string>

using drawhitch::judge::may_be_resumed_from;

TEST_CASE("whatever its ending, what lies in a checkpoint directory is never anybody's scratch") {
    const std::string path = GENERATE(as<std::string>{}, "checkpoint-500/optimizer.tmp", "out/my_ckpts/shard0.part",
                                      "global_step100/zero.tmp", "latest.tmp", "latest/rank0.lock", "last.swp",
                                      "runs/best/w.temp", "Checkpoints/a.tmp", "epoch_3/scheduler.tmp", "state.tmp");
    CAPTURE(path);
    CHECK(may_be_resumed_from(path));
}

TEST_CASE("a checkpoint that was never renamed to its last name is the newest state there is") {
    const std::string path = GENERATE(as<std::string>{}, "model.pt.tmp", "out/a.safetensors.part", "a.ckpt.tmp.4711",
                                      "a.npz.4711.tmp", "A.PT.TMP", "progress.json.new");
    CAPTURE(path);
    CHECK(may_be_resumed_from(path));
}

TEST_CASE("temporary files that no resume asks for, and compiled Python, may be scratch") {
    const std::string path = GENERATE(as<std::string>{}, "a.tmp", "cache/page.part", "download.4711.tmp",
                                      "__pycache__/model.cpython-312.pyc", "checkpoint/__pycache__/io.cpython-312.pyc",
                                      "__pycache__/latest.cpython-312.pyc.139872", ".train.py.swp");
    CAPTURE(path);
    CHECK_FALSE(may_be_resumed_from(path));
}
