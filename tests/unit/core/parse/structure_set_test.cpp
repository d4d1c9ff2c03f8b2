#include "core/parse/structure_set.hpp"

#include <catch2/catch_test_macros.hpp>
#include <map>

#include "support/memory_siblings.hpp"
#include "support/structure_cases.hpp"

using namespace drawhitch;
using model::Structure;
using support::golden_structure;
using support::MemoryReader;
using support::MemorySiblings;
using support::structure_of;

namespace {

parse::StructureVerdict set_verdict(const std::string& path, std::string_view bytes, MemorySiblings& beside) {
    MemoryReader file{bytes};
    auto verdict = parse::check_set(path, file, beside);
    REQUIRE(verdict);
    return *verdict;
}

// A safetensors file of one float for each name.
std::string safetensors(const std::vector<std::string>& names) {
    std::string header = "{";
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string begin = std::to_string(4 * i);
        const std::string end = std::to_string(4 * i + 4);
        header += (i > 0 ? ",\"" : "\"") + names[i] + R"(":{"dtype":"F32","shape":[1],"data_offsets":[)" + begin + "," +
                  end + "]}";
    }
    header += "}";
    return support::little(header.size(), 8) + header + std::string(4 * names.size(), 'w');
}

constexpr const char* k_index = "model.safetensors.index.json";
const std::string k_map =
    R"({"metadata":{"total_size":12},"weight_map":{"a":"m-1.safetensors","b":"m-1.safetensors","c":"m-2.safetensors"}})";

MemorySiblings shards() {
    MemorySiblings beside{};
    beside.files = {{"m-1.safetensors", safetensors({"a", "b"})}, {"m-2.safetensors", safetensors({"c", "more"})}};
    return beside;
}

constexpr const char* k_stored[] = {"__0_0.distcp", "__0_1.distcp", "__0_2.distcp"};

MemorySiblings distributed() {
    MemorySiblings beside{};
    for (const char* name : k_stored)
        beside.files[name] = golden_structure(std::string("distributed/") + name);
    return beside;
}

std::string metadata() {
    return golden_structure("distributed/.metadata");
}

}  // namespace

TEST_CASE("an index is sound where every tensor is in the shard that it names") {
    MemorySiblings beside = shards();
    const auto verdict = set_verdict(k_index, k_map, beside);
    CHECK(verdict.state == Structure::sound);
    CHECK(verdict.format == "shard index");
}

TEST_CASE("an index that names a tensor of a shard that lacks it is broken") {
    MemorySiblings beside = shards();
    beside.files["m-1.safetensors"] = safetensors({"a"});
    const auto verdict = set_verdict(k_index, k_map, beside);
    CHECK(verdict.state == Structure::broken);
    CHECK(verdict.detail == "tensor b, which it says is in m-1.safetensors, is not there");
    // Whatever else cannot be judged.
    beside.files.erase("m-2.safetensors");
    CHECK(set_verdict(k_index, k_map, beside).state == Structure::broken);
}

TEST_CASE("an index is not judged where a shard is missing or damaged, and of other shards the names are not read") {
    MemorySiblings beside = shards();
    beside.files.erase("m-2.safetensors");
    CHECK(set_verdict(k_index, k_map, beside).detail == "m-2.safetensors, which it names, is not here");
    CHECK(set_verdict(k_index, k_map, beside).state == Structure::unknown_format);
    beside.files["m-2.safetensors"] = "cut";
    CHECK(set_verdict(k_index, k_map, beside).detail == "m-2.safetensors, which it names, is broken");
    CHECK(set_verdict("tokens.index.json", "{\"a\": 1}", beside).state == Structure::unknown_format);
    MemorySiblings pickled{};
    pickled.files = {{"pytorch_model-1.bin", "PK"}};
    const std::string map = R"({"weight_map":{"a":"pytorch_model-1.bin"}})";
    CHECK(set_verdict("pytorch_model.bin.index.json", map, pickled).state == Structure::sound);
    pickled.files.clear();
    CHECK(set_verdict("pytorch_model.bin.index.json", map, pickled).state == Structure::unknown_format);
}

TEST_CASE("the .metadata of a distributed checkpoint is read without running it") {
    const auto verdict = structure_of("checkpoint/.metadata", metadata());
    CHECK(verdict.state == Structure::sound);
    CHECK(verdict.format == "torch distributed checkpoint");
    const std::string whole = metadata();
    MemoryReader file{whole};
    const auto names = parse::stored_files(file);
    REQUIRE(names);
    REQUIRE(names->has_value());
    CHECK(**names == std::vector<std::string>{k_stored[0], k_stored[1], k_stored[2]});
    CHECK(support::cuts_that_pass(".metadata", whole).empty());
    CHECK(structure_of(".metadata", whole.substr(0, whole.size() - 1)).state == Structure::broken);
    CHECK(structure_of(".metadata", whole.substr(0, 80)).state == Structure::broken);
    CHECK(structure_of(".metadata", "").state == Structure::broken);
    CHECK(structure_of(".metadata", std::string(50, '\0')).state == Structure::broken);
    // Other programs call their files so, too.
    CHECK(structure_of(".metadata", "name = data set").state == Structure::unknown_format);
    CHECK(structure_of(".metadata", std::string("\x80\x04}\x94.", 5)).state == Structure::unknown_format);
}

TEST_CASE("every piece of a distributed checkpoint is found whole in its file") {
    MemorySiblings beside = distributed();
    CHECK(set_verdict(".metadata", metadata(), beside).state == Structure::sound);
    MemorySiblings one{};
    one.files["__0_0.distcp"] = golden_structure("distributed_one/__0_0.distcp");
    CHECK(set_verdict("c/.metadata", golden_structure("distributed_one/.metadata"), one).state == Structure::sound);
    one.files["__0_0.distcp"].pop_back();
    CHECK(set_verdict("c/.metadata", golden_structure("distributed_one/.metadata"), one).state == Structure::broken);
    for (const char* name : k_stored) {
        const std::string whole = beside.files[name];
        for (std::size_t length = 0; length < whole.size(); length += 13) {
            beside.files[name] = whole.substr(0, length);
            CHECK(set_verdict(".metadata", metadata(), beside).state == Structure::broken);
        }
        beside.files[name] = whole.substr(0, whole.size() - 1);
        CHECK(set_verdict(".metadata", metadata(), beside).detail ==
              std::string(name) + " ends 1 bytes before what lies in it");
        std::string bad = whole;
        bad[bad.find("\x80\x02") + 3] ^= 1;  // in the pickle of its first tensor
        beside.files[name] = bad;
        CHECK(set_verdict(".metadata", metadata(), beside).state == Structure::broken);
        beside.files[name] = whole;
    }
    beside.files.erase("__0_1.distcp");
    const auto missing = set_verdict(".metadata", metadata(), beside);
    CHECK(missing.state == Structure::unknown_format);
    CHECK(missing.detail == "__0_1.distcp, which it names, is not here");
}

TEST_CASE("an index and a .metadata that would take endless memory are not judged") {
    std::string map = R"({"weight_map":{)";
    for (int i = 0; i <= 1'000'000; ++i)
        map += "\"" + std::to_string(i) + "\":\"a\",";
    MemorySiblings none{};
    CHECK(set_verdict(k_index, map, none).detail == "it names more than a million tensors");
    std::string pickle = "\x80\x04";
    for (int i = 0; i <= 1'000'000; ++i)
        pickle += std::string(
            "\x8C\x01"
            "a\x94",
            4);
    CHECK(structure_of(".metadata", pickle + ".").detail == "its pickle has more than a million texts");
}

TEST_CASE("a .metadata that tells of other lengths, or of pieces that overlap, does not pass") {
    const std::string whole = metadata();
    MemorySiblings beside = distributed();
    // The length of the one piece in __0_0.distcp, 1641, as two bytes.
    const std::size_t length = whole.find(std::string("M\x69\x06", 3));
    REQUIRE(length != std::string::npos);
    std::string longer = whole;
    longer[length + 2] = 7;
    CHECK(set_verdict(".metadata", longer, beside).state == Structure::broken);
    const std::string one = golden_structure("distributed_one/.metadata");
    MemorySiblings all{};
    all.files["__0_0.distcp"] = golden_structure("distributed_one/__0_0.distcp");
    // The second piece begins where the first ends, at byte 1261.
    const std::size_t first = one.find(std::string("M\xED\x04", 3));
    const std::size_t second = one.find(std::string("M\xED\x04", 3), first + 3);
    REQUIRE(second != std::string::npos);
    std::string shared = one;
    shared.replace(second, 3, std::string("M\x01\x00", 3));
    const auto verdict = set_verdict(".metadata", shared, all);
    CHECK(verdict.state == Structure::unknown_format);
    CHECK(verdict.detail == "it tells of pieces of __0_0.distcp that overlap");
}
