#include "core/model/stand_in.hpp"

#include <catch2/catch_test_macros.hpp>
#include <vector>

using namespace drawhitch;
using model::SavedUnit;
using model::stand_in;

TEST_CASE("names that differ in numbers alone are of one series, in one directory") {
    CHECK(model::series_of("ckpt-100.pt") == model::series_of("ckpt-2000.pt"));
    CHECK(model::series_of("checkpoint-5/model.pt") == model::series_of("checkpoint-10/model.pt"));
    CHECK(model::series_of("a/x-1.pt") != model::series_of("b/x-1.pt"));
    CHECK(model::series_of("best.pt") != model::series_of("last.pt"));
    CHECK(model::series_of("epoch=3-step=100.ckpt") == model::series_of("epoch=12-step=4000.ckpt"));
    CHECK(model::series_of("x1.pt") != model::series_of("x.pt"));
}

TEST_CASE("the newest whole unit saved before the damaged one stands in for it") {
    const SavedUnit damaged{"ckpt-300.pt", {300, 0}};
    const std::vector<SavedUnit> good{
        {"ckpt-100.pt", {100, 0}}, {"ckpt-200.pt", {200, 0}}, {"ckpt-400.pt", {400, 0}}, {"best.pt", {290, 0}}};
    const auto found = stand_in(damaged, good);
    REQUIRE(found);
    CHECK(found->name == "ckpt-200.pt");
    CHECK_FALSE(found->later);
    CHECK(model::words_of(found) == "; ckpt-200.pt, saved before it, is whole");
}

TEST_CASE("where no earlier one is whole, the next later one is named as such") {
    const SavedUnit damaged{"ckpt-100.pt", {100, 0}};
    const auto found = stand_in(damaged, std::vector<SavedUnit>{{"ckpt-300.pt", {300, 0}}, {"ckpt-200.pt", {200, 0}}});
    REQUIRE(found);
    CHECK(model::words_of(found) == "; ckpt-200.pt, saved after it, is whole");
    CHECK_FALSE(stand_in(damaged, std::vector<SavedUnit>{{"best.pt", {50, 0}}, damaged}));
    CHECK(model::words_of(std::nullopt).empty());
}

TEST_CASE("of units saved at one time the one with the larger number is the later one") {
    const WallTime then{100, 0};
    const std::vector<SavedUnit> good{{"ckpt-90.pt", then}, {"ckpt-200.pt", then}, {"ckpt-100.pt", then}};
    CHECK(stand_in({"ckpt-110.pt", then}, good)->name == "ckpt-100.pt");
}
