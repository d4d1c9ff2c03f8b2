#include "core/parse/progress.hpp"

#include <catch2/catch_test_macros.hpp>

#include "core/parse/log_lines.hpp"

using namespace drawhitch;

namespace {

std::string read(std::string_view log, bool begins_in_line = false) {
    return describe(parse::progress(log, begins_in_line));
}

std::vector<std::string> lines(std::string_view log, std::size_t piece = 1000) {
    parse::LogLines reader;
    std::vector<std::string> seen;
    for (; !log.empty(); log.remove_prefix(std::min(piece, log.size())))
        reader.feed(log.substr(0, piece), [&](std::string_view line) { seen.emplace_back(line); });
    if (!reader.current().empty()) seen.push_back(reader.current());
    return seen;
}

}  // namespace

TEST_CASE("steps, epochs and losses are read as jobs print them") {
    CHECK(read("step 20\n") == "step 20");
    CHECK(read("step=20/100 loss=1.93\n") == "step 20/100, loss 1.93");
    CHECK(read("[2026-01-01 10:00:00] Step: 1,200 of 3,000 | loss: 2.5e-1\n") == "step 1200/3000, loss 0.25");
    CHECK(read("{'loss': 1.9342, 'learning_rate': 5e-05, 'epoch': 0.48}\n") == "loss 1.934");
    CHECK(read("{'loss': 1.5, 'grad_norm': 0.3, 'epoch': 2}\n") == "epoch 2, loss 1.5");
    CHECK(read("Epoch 3/10\n") == "epoch 3/10");
    CHECK(read("Epoch: [4]\n") == "epoch 4");
    CHECK(read(" 45%|####5     | 450/1000 [00:10<00:12, 42.1it/s, loss=0.512]") == "step 450/1000, loss 0.512");
    CHECK(read("Epoch 0:  45%|####  | 45/100 [00:01<00:02, 30it/s, v_num=0, train_loss=0.9]") ==
          "step 45/100, epoch 0, loss 0.9");
    CHECK(read("Epoch 1/5\n 120/1875 [=>............................] - ETA: 5s - loss: 0.5012 - accuracy: 0.8\r") ==
          "step 120/1875, epoch 1/5, loss 0.5012");
    CHECK(read("global_step 77 loss tensor(0.25, grad_fn=<X>)\n") == "step 77, loss 0.25");
    CHECK(read("iter 5: loss 3.1, val_loss 9.9\n") == "step 5, loss 3.1");
    CHECK(read("iteration 12 | loss nan\n") == "step 12, loss NaN");
    CHECK(read("loss: inf\n") == "loss NaN");
    CHECK(read("loss = -0.5\n") == "loss -0.5");
}

TEST_CASE("the last mention counts, and a bar counts in its last state") {
    CHECK(read("step 1/9 loss 5\nstep 2/9 loss 4\nnoise\n") == "step 2/9, loss 4");
    CHECK(read(" 1%|#| 1/100 [x]\r 50%|#| 50/100 [x]\r 99%|#| 99/100 [x]") == "step 99/100");
    CHECK(read("step 3/9\nstep 12\n") == "step 12");
}

TEST_CASE("text that only looks like progress is none") {
    for (std::string_view text : {"", "footstep 5\n", "steps per epoch unknown\n", "stepwise 5\n", "lossless 5\n",
                                  "gloss 3\n", "50%|\n", "10/20\n", "step -5\n", "epochs: many\n", "\xff\xfe\x00step",
                                  "val_loss 0.3\n", "step 0.5\n", "step 99999999999999999999\n"}) {
        INFO(text);
        CHECK(read(text).empty());
    }
}

TEST_CASE("a piece that begins inside of a line leaves that line out") {
    CHECK(read("ep 999\nstep 5\n", true) == "step 5");
    CHECK(read("step 999\n", true).empty());
    CHECK(read("9 [x]\r 50%|#| 50/100 [x]", true) == "step 50/100");
}

TEST_CASE("a log is shown as a terminal would have, however it is cut into pieces") {
    const std::string log =
        "plain\n\x1b[1;31mred\x1b[0m\n\x1b]0;title\x07text\n 1%\r 50%\r100%\nab\b\bcd\ncrlf\r\nhalf \xe2\x82\n"
        "\x1b[2Jclear\x1b(Bx\ntab\there\nnul\x01\nlast";
    const std::vector<std::string> expected{"plain",           "red",    "text",      "100%",     "cd",  "crlf",
                                            "half \\xe2\\x82", "clearx", "tab\there", "nul\\x01", "last"};
    for (std::size_t piece : {1U, 2U, 3U, 7U, 1000U})
        CHECK(lines(log, piece) == expected);
}

TEST_CASE("a sequence cut short swallows no more than its line") {
    CHECK(lines("a\x1b[12;\nb\x1b]0;never ended\nc\n") == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("a line without end and a flood of bars take bounded memory") {
    const auto seen = lines(std::string(1'000'000, 'x'));
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].size() == parse::LogLines::k_line_bytes + std::string("…").size());
    std::string bars;
    for (int i = 0; i < 200'000; ++i)
        bars += "\r" + std::to_string(i);
    CHECK(lines(bars) == std::vector<std::string>{"199999"});
}
