#include "io/term/table.hpp"

#include <catch2/catch_test_macros.hpp>

#include "io/term/width.hpp"

using namespace drawhitch;
using namespace drawhitch::term;

namespace {

const std::vector<Column> k_columns{{.key = "path", .title = "PATH", .may_shrink = true},
                                    {.key = "bytes", .title = "SIZE", .align = Align::right},
                                    {.key = "extra", .machine_only = true},
                                    {.key = "seen", .title = "SEEN"}};

std::vector<Row> rows() {
    return {{Cell::name("a.bin"), Cell::bytes(2048), Cell::integer(7), Cell::time({0, 0}, {60, 0})},
            {Cell::name("checkpoints/long-name.safetensors"), Cell::bytes(5), Cell::none(), Cell::none()}};
}

}  // namespace

TEST_CASE("columns are aligned, numbers to the right, and lines carry no trailing blanks") {
    const auto all = rows();
    const Layout layout = plan_layout(k_columns, all, 0);
    CHECK(heading_line(k_columns, layout) == "PATH                                  SIZE  SEEN");
    CHECK(row_line(k_columns, layout, all[0]) == "a.bin                              2.0 KiB  1 min ago");
    CHECK(row_line(k_columns, layout, all[1]) == "checkpoints/long-name.safetensors      5 B  -");
}

TEST_CASE("a narrow terminal shrinks only columns that may be cut") {
    const auto all = rows();
    const Layout layout = plan_layout(k_columns, all, 36);
    for (const Row& row : all)
        CHECK(display_width(row_line(k_columns, layout, row)) <= 36);
    CHECK(row_line(k_columns, layout, all[1]).starts_with("checkpoints/lon…"));
    CHECK(row_line(k_columns, plan_layout(k_columns, all, 10), all[0]).starts_with("a.bin     2.0 KiB"));
}

TEST_CASE("TSV has raw numbers and escapes what would break a row") {
    CHECK(tsv_line(k_columns, rows()[0]) == "a.bin\t2048\t1970-01-01T00:00:00Z");
    CHECK(tsv_line(k_columns, rows()[1]) == "checkpoints/long-name.safetensors\t5\t");
    CHECK(tsv_escape("a\tb\nc\\d\r\x1b[31m\xFF") == "a\\tb\\nc\\\\d\\r\\x1b[31m\\xff");
}

TEST_CASE("JSON rows have every column, with the age of times") {
    CHECK(json_row(k_columns, rows()[0]).dump() ==
          R"({"path":"a.bin","bytes":2048,"extra":7,"seen":"1970-01-01T00:00:00Z","seen_age":60})");
}

TEST_CASE("names from a box cannot move the cursor or turn the line") {
    const Cell cell = Cell::name("evil\x1b]0;title\x07\xE2\x80\xAE");
    CHECK(cell.human == "evil\\x1b]0;title\\x07\\xe2\\x80\\xae");
}

TEST_CASE("wide and combining characters count as the terminal shows them") {
    CHECK(display_width("模型") == 4);
    CHECK(display_width("e\xCC\x81") == 1);
    CHECK(display_width("🙂") == 2);
    CHECK(cut_to_width("模型模型", 5) == "模型…");
    CHECK(cut_to_width("abc", 3) == "abc");
    CHECK(cut_to_width("abc", 0).empty());
    CHECK(pad_left("模", 4) == "  模");
}

TEST_CASE("a column that wraps loses no word on a narrow screen") {
    const std::vector<term::Column> columns{{.key = "rule", .title = "WHAT"},
                                            {.key = "evidence", .title = "EVIDENCE", .wraps = true}};
    const std::string evidence = "the disk of /workspace has 3 GB free of 100 GB and the inodes are all used";
    const std::vector<term::Row> rows{{term::Cell::text("disk"), term::Cell::text(evidence)}};
    const auto layout = term::plan_layout(columns, rows, 40);
    CHECK(term::row_line(columns, layout, rows[0]) ==
          "disk  the disk of /workspace has 3 GB\n"
          "      free of 100 GB and the inodes are\n"
          "      all used");
    // A word that is longer than the line is whole all the same.
    const std::vector<term::Row> path{{term::Cell::text("disk"), term::Cell::text("at /" + std::string(60, 'p'))}};
    CHECK(term::row_line(columns, term::plan_layout(columns, path, 40), path[0]) ==
          "disk  at\n      /" + std::string(60, 'p'));
    // Where all fits, nothing is wrapped.
    CHECK(term::row_line(columns, term::plan_layout(columns, rows, 0), rows[0]) == "disk  " + evidence);
}

TEST_CASE("where all columns do not fit, the least important are left out, and no more than needed") {
    const std::vector<Column> columns{{.key = "box", .title = "BOX"},
                                      {.key = "profile", .title = "PROFILE", .drops = 1},
                                      {.key = "began", .title = "BEGAN", .drops = 2},
                                      {.key = "clocks", .title = "CLOCKS", .may_shrink = true}};
    const Row row{Cell::text("training"), Cell::text("generic-ssh"), Cell::text("3 days ago"),
                  Cell::text("ends in 12 h 30 min by itself")};
    const auto line = [&](std::size_t width) { return row_line(columns, plan_layout(columns, {row}, width), row); };
    CHECK(line(0) == "training  generic-ssh  3 days ago  ends in 12 h 30 min by itself");
    CHECK(line(60) == "training  generic-ssh  3 days ago  ends in 12 h 30 min by i…");
    CHECK(line(50) == "training  generic-ssh  ends in 12 h 30 min by its…");
    CHECK(line(40) == "training  ends in 12 h 30 min by itself");
    CHECK(line(20) == "training  ends in 1…");
    CHECK(tsv_line(columns, row) == "training\tgeneric-ssh\t3 days ago\tends in 12 h 30 min by itself");
}

TEST_CASE("a first cell that has to stay whole stands above its row where the terminal is too narrow") {
    const std::vector<Column> columns{{.key = "box", .title = "BOX", .apart = true},
                                      {.key = "state", .title = "STATE"},
                                      {.key = "spent", .title = "SPENT", .align = Align::right}};
    const std::vector<Row> all{{Cell::name("a-box-with-a-long-name"), Cell::text("active"), Cell::text("12.75 USD")},
                               {Cell::name("b1"), Cell::text("stopped"), Cell::text("3 USD")}};
    const Layout wide = plan_layout(columns, all, 60);
    CHECK(row_line(columns, wide, all[0]) == "a-box-with-a-long-name  active   12.75 USD");
    const Layout narrow = plan_layout(columns, all, 30);
    CHECK(heading_line(columns, narrow) == "BOX         STATE        SPENT");
    CHECK(row_line(columns, narrow, all[0]) == "a-box-with-a-long-name\n            active   12.75 USD");
    CHECK(row_line(columns, narrow, all[1]) == "b1          stopped      3 USD");
}

TEST_CASE("other cells that have to stay whole stand below their row, with what they are") {
    const std::vector<Column> columns{{.key = "verb", .title = "VERB"},
                                      {.key = "leaves", .title = "LEAVES BILLING", .apart = true},
                                      {.key = "manual", .title = "BY HAND", .wraps = true, .apart = true}};
    const std::vector<Row> all{
        {Cell::text("terminate"), Cell::text("whatever else you rent there"), Cell::text("End it in the console.")},
        {Cell::text("stop"), Cell::none(), Cell::text("Press stop.")}};
    const Layout narrow = plan_layout(columns, all, 30);
    CHECK(heading_line(columns, narrow) == "VERB");
    CHECK(row_line(columns, narrow, all[0]) ==
          "terminate\n    leaves billing: whatever\n    else you rent there\n    by hand: End it in the\n    console.");
    CHECK(row_line(columns, narrow, all[1]) == "stop\n    by hand: Press stop.");
}
