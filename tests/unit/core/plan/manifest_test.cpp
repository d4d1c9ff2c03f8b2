#include "core/plan/manifest.hpp"

#include <catch2/catch_test_macros.hpp>

#include "core/proto/digest.hpp"

using namespace drawhitch;
using plan::ManifestFile;

namespace {

ManifestFile file(const std::string& path, const std::string& content) {
    ManifestFile made{};
    made.entry = {path,
                  path,
                  content.size(),
                  {1'700'000'000, 5},
                  proto::content_digest(content).hex(),
                  proto::sha256(content).hex(),
                  model::RosterClass::nice};
    made.structure = model::Structure::sound;
    made.mode = 0755;
    return made;
}

}  // namespace

TEST_CASE("a manifest comes back as it was written, whatever the names") {
    std::vector<ManifestFile> files{file("a b/ä.pt", "x"), file("back\\slash\nnewline", ""), file("\xff\xfe.bin", "zz"),
                                    file("quote\"tab\t", "q")};
    files[2].entry.unit = "\xff";
    const plan::ManifestHead head{"exp1", "r1", "/data/\xfe", {1'700'000'123, 0}};
    const auto read = plan::parse_manifest(plan::manifest_json(head, files));
    REQUIRE(read);
    CHECK(read->head.box == "exp1");
    CHECK(read->head.source == "/data/\xfe");
    CHECK(read->head.made.seconds == 1'700'000'123);
    REQUIRE(read->files.size() == files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        CHECK(read->files[i].entry.path == files[i].entry.path);
        CHECK(read->files[i].entry.unit == files[i].entry.unit);
        CHECK(read->files[i].entry.sha256 == files[i].entry.sha256);
        CHECK(read->files[i].entry.root == files[i].entry.root);
        CHECK(read->files[i].entry.size == files[i].entry.size);
        CHECK(read->files[i].entry.mtime == files[i].entry.mtime);
        CHECK(read->files[i].entry.wanted == files[i].entry.wanted);
        CHECK(read->files[i].structure == files[i].structure);
        CHECK(read->files[i].mode == 0755);
    }
    CHECK(plan::parse_manifest(plan::manifest_json(head, {})));
}

TEST_CASE("every prefix of a manifest is refused") {
    const std::vector<ManifestFile> files{file("a", "x"), file("b", "y")};
    const std::string text = plan::manifest_json({"b", "r", "/s", {}}, files);
    for (std::size_t length = 0; length + 1 < text.size(); ++length)
        REQUIRE(!plan::parse_manifest(std::string_view{text}.substr(0, length)));
}

TEST_CASE("a manifest that lies about its names or digests is refused") {
    auto bad = [](auto change) {
        std::vector<ManifestFile> files{file("a", "x"), file("b", "y")};
        change(files[1]);
        return !plan::parse_manifest(plan::manifest_json({}, files));
    };
    CHECK(bad([](ManifestFile& f) { f.entry.path = "../up"; }));
    CHECK(bad([](ManifestFile& f) { f.entry.path = "/abs"; }));
    CHECK(bad([](ManifestFile& f) { f.entry.path = "a"; }));
    CHECK(bad([](ManifestFile& f) { f.entry.sha256.pop_back(); }));
    CHECK(bad([](ManifestFile& f) { f.entry.root = "xyz"; }));
    CHECK(!plan::parse_manifest("[]"));
    CHECK(!plan::parse_manifest(R"({"schema":"drawhitch.manifest.1","files":[7]})"));
    CHECK(!plan::parse_manifest(R"({"schema":"drawhitch.manifest.1","files":[[]]})"));
    CHECK(!plan::parse_manifest(R"({"schema":"drawhitch.manifest.1","files":[{}]})"));
    CHECK(!plan::parse_manifest(R"({"schema":"drawhitch.manifest.1","files":{}})"));
    CHECK(!plan::parse_manifest(R"({"schema":"other","files":[]})"));
}

TEST_CASE("sums are lines that sha256sum reads, odd names escaped its way") {
    const std::vector<ManifestFile> files{file("plain", "x"), file("a\\b\nc", "y"), file("\xff", "z"),
                                          file("d\r", "w")};
    CHECK(plan::sums_text(files) == proto::sha256("x").hex() + "  plain\n" + "\\" + proto::sha256("y").hex() +
                                        "  a\\\\b\\nc\n" + proto::sha256("z").hex() + "  \xff\n" + "\\" +
                                        proto::sha256("w").hex() + "  d\\r\n");
}
