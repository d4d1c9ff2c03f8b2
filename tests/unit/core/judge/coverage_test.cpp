#include "core/judge/coverage.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

namespace drawhitch::judge {

namespace {

const std::string k_one(64, '1');
const std::string k_two(64, '2');

UnitFacts unit_of(std::vector<UnitFile> files) {
    return {"ckpt", "/w/ckpt", model::RosterClass::must, std::move(files), {}, false};
}
UnitFile file(const std::string& path, const std::string& root = k_one) {
    return {path, 10, root, false, false};
}

}  // namespace

TEST_CASE("a unit is received when every file is in some receipt with the digest it has now") {
    Proofs proofs{};
    proofs.add_receipt("a", k_one, model::Structure::sound);
    proofs.add_receipt("b", k_two, model::Structure::unknown_format);
    const auto standing = proofs.stand(unit_of({file("a"), file("b", k_two)}));
    CHECK(standing.standing == Standing::received);
    CHECK(standing.files == 2);
    CHECK(standing.bytes == 20);
    CHECK(proofs.stand(unit_of({file("a"), file("c")})).standing == Standing::unproven);
    CHECK(proofs.stand(unit_of({file("a"), file("c")})).culprit == "c");
}

TEST_CASE("a copy that is not there any more covers nothing, unless another place holds it") {
    Proofs proofs{};
    proofs.add_mislaid("a", k_one, "/home/me/pulls/a");
    const auto standing = proofs.stand(unit_of({file("a")}));
    CHECK(standing.standing == Standing::mislaid);
    CHECK_FALSE(is_covered(standing.standing));
    CHECK(standing.culprit == "a");
    CHECK(standing.place == "/home/me/pulls/a");
    CHECK_FALSE(proofs.holds("a", k_one));
    CHECK(proofs.stand(unit_of({file("a", k_two)})).standing == Standing::changed);
    proofs.add_receipt("a", k_one, model::Structure::sound);
    CHECK(proofs.stand(unit_of({file("a")})).standing == Standing::received);
}

TEST_CASE("receipts add up, and any generation that matches counts") {
    Proofs proofs{};
    proofs.add_receipt("a", k_two, model::Structure::sound);
    CHECK(proofs.stand(unit_of({file("a")})).standing == Standing::changed);
    proofs.add_receipt("a", k_one, model::Structure::sound);
    CHECK(proofs.stand(unit_of({file("a")})).standing == Standing::received);
}

TEST_CASE("the same digest under another name proves nothing") {
    Proofs proofs{};
    proofs.add_receipt("other", k_one, model::Structure::sound);
    CHECK(proofs.stand(unit_of({file("a")})).standing == Standing::unproven);
}

TEST_CASE("a file pulled as it is and found broken is not covered, unless a copy elsewhere is") {
    Proofs proofs{};
    proofs.add_receipt("a", k_one, model::Structure::broken);
    CHECK(proofs.stand(unit_of({file("a")})).standing == Standing::broken);
    CHECK_FALSE(proofs.holds("a", k_one));
    proofs.add_copy("a", k_one, "s3://b/a");
    const auto standing = proofs.stand(unit_of({file("a")}));
    CHECK(standing.standing == Standing::placed);
    CHECK(standing.place == "s3://b/a");
}

TEST_CASE("no digest, no proof: empty ones match nothing") {
    Proofs proofs{};
    proofs.add_receipt("a", "", model::Structure::sound);
    proofs.add_copy("a", k_one, "");
    CHECK(proofs.stand(unit_of({{"a", 10, std::string{}, false, false}})).standing == Standing::unstable);
    CHECK(proofs.stand(unit_of({{"a", 10, std::nullopt, false, false}})).standing == Standing::unstable);
    CHECK(proofs.stand(unit_of({file("a")})).standing == Standing::unproven);
    CHECK_FALSE(proofs.holds("a", ""));
}

TEST_CASE("a unit being written is unstable even where a receipt holds its digest") {
    Proofs proofs{};
    proofs.add_receipt("a", k_one, model::Structure::sound);
    UnitFile open = file("a");
    open.open_for_writing = true;
    CHECK(proofs.stand(unit_of({open})).standing == Standing::unstable);
    UnitFacts surviving = unit_of({open});
    surviving.on_surviving_tier = true;
    CHECK(proofs.stand(surviving).standing == Standing::unstable);
}

TEST_CASE("a surviving tier covers what could be read, and nothing else") {
    Proofs proofs{};
    UnitFacts unit = unit_of({file("a")});
    unit.on_surviving_tier = true;
    CHECK(proofs.stand(unit).standing == Standing::survives);
    unit.files[0].unreadable = true;
    CHECK(proofs.stand(unit).standing == Standing::unknown);
}

TEST_CASE("a missing shard makes the set incomplete whatever is proven of the rest") {
    Proofs proofs{};
    proofs.add_receipt("a", k_one, model::Structure::sound);
    UnitFacts unit = unit_of({file("a")});
    unit.missing = "model-00002-of-00002.safetensors";
    const auto standing = proofs.stand(unit);
    CHECK(standing.standing == Standing::incomplete);
    CHECK(standing.culprit == unit.missing);
    CHECK(proofs.stand(unit_of({})).standing == Standing::unknown);
}

TEST_CASE("the file in the worst state speaks for its unit, in whatever order they come") {
    Proofs proofs{};
    proofs.add_receipt("ok", k_one, model::Structure::sound);
    proofs.add_receipt("old", k_two, model::Structure::sound);
    proofs.add_receipt("bad", k_one, model::Structure::broken);
    UnitFile lost = file("gone");
    lost.unreadable = true;
    std::vector<UnitFile> files{file("ok"), file("old"), file("bad"), file("new"), lost};
    for (int turn = 0; turn < 5; ++turn) {
        std::rotate(files.begin(), files.begin() + 1, files.end());
        const auto standing = proofs.stand(unit_of(files));
        CHECK(standing.standing == Standing::unknown);
        CHECK(standing.culprit == "gone");
    }
}

}  // namespace drawhitch::judge
