#include "io/term/screen.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace drawhitch::term;

TEST_CASE("colour: the flag wins, then NO_COLOR, then CLICOLOR_FORCE, then the terminal") {
    const ColorHints none{};
    const ColorHints no{.no_color = true};
    const ColorHints force{.force_color = true};
    const ColorHints both{.no_color = true, .force_color = true};
    const ColorHints dumb{.dumb = true};
    CHECK(wants_color(ColorMode::always, both, false));
    CHECK_FALSE(wants_color(ColorMode::never, force, true));
    CHECK_FALSE(wants_color(ColorMode::automatic, no, true));
    CHECK_FALSE(wants_color(ColorMode::automatic, both, true));
    CHECK(wants_color(ColorMode::automatic, force, false));
    CHECK(wants_color(ColorMode::automatic, none, true));
    CHECK_FALSE(wants_color(ColorMode::automatic, none, false));
    CHECK_FALSE(wants_color(ColorMode::automatic, dumb, true));
}

TEST_CASE("what is no terminal has the width it is given") {
    CHECK_FALSE(is_terminal(-1));
    CHECK(terminal_width(-1, 77) == 77);
}
