#include "cli/forgotten_dashes.hpp"

#include <catch2/catch_test_macros.hpp>

#include "cli/registry.hpp"

using namespace drawhitch::cli;

namespace {

std::string line_for(const std::vector<std::string>& words) {
    const Registry registry = all_commands();
    const auto located = locate(registry, words);
    REQUIRE(located);
    return with_dashes(*located).value_or("");
}

}  // namespace

TEST_CASE("a forgotten -- is put before the first word of the command") {
    CHECK(line_for({"run", "b1", "python", "train.py"}) == "drawhitch run b1 -- python train.py");
    CHECK(line_for({"run", "python3.11", "train.py"}) == "drawhitch run -- python3.11 train.py");
    CHECK(line_for({"run", "./train.sh"}) == "drawhitch run -- ./train.sh");
    CHECK(line_for({"run", "b1", "--name", "r1", "-o", "a b/*", "train", "--lr", "3"}) ==
          "drawhitch run b1 --name r1 -o 'a b/*' -- train --lr 3");
    CHECK(line_for({"exec", "b1", "ls", "-l"}) == "drawhitch exec b1 -- ls -l");
    CHECK(line_for({"-q", "run", "b1", "sh", "-c", "echo $HOME"}) == "drawhitch run --quiet b1 -- sh -c 'echo $HOME'");
}

TEST_CASE("where no command can be seen none is made up") {
    CHECK(line_for({"run", "b1"}).empty());
    CHECK(line_for({"run", "b1", "--lr", "3"}).empty());
    CHECK(line_for({"run", "--name", "python"}).empty());
    CHECK(line_for({"run", "b1", "--", "python"}).empty());
    CHECK(line_for({"pull", "b1", "r1", "x"}).empty());
    CHECK(line_for({"run", "b1", "sh", "-c", "T=hf_AbCdEfGhIjKlMnOpQrStUvWxYz01234567 x"}).empty());
}
