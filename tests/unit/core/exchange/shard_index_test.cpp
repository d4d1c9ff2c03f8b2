#include "core/exchange/shard_index.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace drawhitch;
using Files = std::vector<std::string>;

TEST_CASE("an index names each file of its set once") {
    const auto files = exchange::shard_files(
        R"({"metadata": {"total_size": 9, "file": "no.bin"}, "weight_map": {"a": "m-2.bin", "b": "m-1.bin", "c": "m-2.bin"}})");
    REQUIRE(files);
    CHECK(*files == Files{"m-1.bin", "m-2.bin"});
    CHECK(exchange::is_shard_index("out/model.safetensors.index.json"));
    CHECK_FALSE(exchange::is_shard_index("out/config.json"));
}

TEST_CASE("what is no index, or half of one, names nothing") {
    CHECK_FALSE(exchange::shard_files(R"({"weights": {"a": "m.bin"}})"));
    CHECK_FALSE(exchange::shard_files(R"({"weight_map": {"a": "m.bin")"));
    CHECK_FALSE(exchange::shard_files(""));
    CHECK_FALSE(exchange::shard_files(std::string(100'000, '[')));
    // Deeper values of the map are none of its files.
    const auto odd = exchange::shard_files(R"({"weight_map": {"a": {"b": "x"}, "c": 1}})");
    REQUIRE(odd);
    CHECK(odd->empty());
}
