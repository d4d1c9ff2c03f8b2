#include <catch2/catch_test_macros.hpp>

#include "contract/transport_contract.hpp"
#include "io/transport/local.hpp"
#include "support/fake_transport.hpp"

namespace drawhitch {

namespace {

// What a shell would have done with the contract's scripts.
support::FakeReply answer(const support::FakeCall& call) {
    const auto is = [&](std::string_view name) {
        return call.script.starts_with("# contract: " + std::string(name) + "\n");
    };
    if (is("cat")) return {.out = call.input};
    if (is("exit 7")) return {.exit = {7, {}}};
    if (is("both")) return {.out = "to-out\n", .err = "to-err\n"};
    if (is("count")) return {.out = std::to_string(call.input.size()) + "\n"};
    if (is("odd")) return {.out = "a\\b|it's|! $x `y` %d \xC3\xA9 \xFF|done\n"};
    if (is("signal")) return {.exit = {137, "KILL"}};
    if (is("early")) return {.out = "enough\n", .exit = {3, {}}};
    if (is("flood")) return {.out = "end\n", .err = call.input};
    if (is("hang")) return {.hangs = true};
    return {.err = "unknown script\n", .exit = {127, {}}};
}

}  // namespace

TEST_CASE("the local transport keeps the contract", "[transport]") {
    contract::check_transport([] { return std::make_unique<transport::LocalTransport>(); });
}

TEST_CASE("the fake transport keeps the contract", "[transport]") {
    contract::check_transport(
        [] {
            auto fake = std::make_unique<support::FakeTransport>(answer);
            fake->set_piece(3'001);
            return fake;
        },
        {.runs_programs = false, .volume = 100'000});
}

}  // namespace drawhitch
