// A pull and a verify of thousands of files with every kind of name, by the whole program over SSH, and what crosses
// the wire when nothing has changed.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "support/program_bench.hpp"
#include "support/transfer_bench.hpp"

using namespace drawhitch;
using support::ProgramBench;
using support::Tree;

namespace {

constexpr int k_directories = 400;
constexpr int k_files = 5000;
constexpr std::size_t k_longest_name = 255;

std::string directory_of(int index) {
    static const char* const k_tops[] = {"-rf",         "with blank", "\xff\xfe", "line\nend",
                                         "back\\slash", "plain",      "*?[x]",    "'\"`$x"};
    return std::string(k_tops[index % 8]) + "/" + std::to_string(index / 8);
}

std::string name_of(int index) {
    const std::string number = std::to_string(index);
    switch (index % 10) {
        case 0:
            return "not utf-8 \xc3\x28\x80" + number;
        case 1:
            return "two\nlines\r" + number;
        case 2:
            return "--help" + number;
        case 3:
            return " blanks " + number + " ";
        case 4:
            return number + std::string(k_longest_name - number.size(), 'n');
        case 5:
            return "back\\slash\\n" + number;
        case 6:
            return "\x1b[31m\t" + number;
        case 7:
            return "#" + number + ".\xf0\x9f\x98\x80";
        default:
            return "f" + number + ".json";
    }
}

Tree many_names() {
    Tree tree;
    for (int i = 0; i < k_files; ++i) {
        const std::string path = "out/" + directory_of(i % k_directories) + "/" + name_of(i);
        tree[path] = i % 50 == 0 ? "" : "{\"n\": " + std::to_string(i) + "}";
    }
    return tree;
}

nlohmann::json pulled(const ProgramBench& bench) {
    return nlohmann::json::parse(bench.must({"pull", "b1", "r1", "--json"}).out).at("data");
}

}  // namespace

TEST_CASE("5000 files with every kind of name come home proven, and a second pull fetches nothing") {
    ProgramBench bench;
    const Tree tree = many_names();
    REQUIRE(tree.size() == static_cast<std::size_t>(k_files));
    support::make_run(bench, tree);
    const std::uint64_t start = bench.proxy().from_server();
    const auto first = pulled(bench);
    const std::uint64_t whole = bench.proxy().from_server() - start;
    const std::string to = bench.project() + "/pulls/b1/r1";
    CHECK(support::wrong_file(to, tree, true).empty());
    CHECK(first.at("fetched_bytes").get<std::uint64_t>() > 0);

    const std::uint64_t middle = bench.proxy().from_server();
    const auto second = pulled(bench);
    const std::uint64_t again = bench.proxy().from_server() - middle;
    INFO("over the wire from the box: " << whole << " bytes, then " << again);
    CHECK(second.at("fetched_bytes") == 0);
    // Names and digests only: 32 incompressible bytes a file, and some for its name and state.
    CHECK(again < static_cast<std::uint64_t>(k_files) * 128);
    CHECK(support::wrong_file(to, tree, true).empty());

    // Throws if a sum is wrong.
    support::run_tool({"sh", "-c", "cd \"$1\" && sha256sum -c --quiet --strict SHA256SUMS", "sh", to});
    CHECK(bench.run({"verify", "pulls/b1/r1"}).code == 0);
    CHECK(bench.run({"verify", "b1", "r1", "--box", "b1"}).code == 0);

    const std::string victim = tree.rbegin()->first;
    support::write_file(to + "/" + victim, "damaged");
    CHECK(bench.run({"verify", "pulls/b1/r1"}).code == 6);
    CHECK(pulled(bench).at("fetched_bytes").get<std::uint64_t>() == tree.rbegin()->second.size());
    CHECK(bench.run({"verify", "pulls/b1/r1"}).code == 0);
}
