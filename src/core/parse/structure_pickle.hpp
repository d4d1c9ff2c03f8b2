// Reads the opcodes of a pickle for the texts and numbers that stand in it. Nothing is built, imported or called: a
// pickle is a program, and this only lists its constants. Private to core/parse/structure*.cpp; its Errors are those of
// structure_bytes.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/parse/structure_bytes.hpp"

namespace drawhitch::parse {

// One constant, or something else that the program puts on its stack (neither text nor number).
struct PickleItem {
    std::optional<std::string> text{};
    std::optional<std::int64_t> number{};
};

class PickleWalk {
  public:
    explicit PickleWalk(Reader& file) : window_(file) {}

    // The next item; nothing behind the STOP opcode. Code::integrity where the file ends before that, Code::skipped at
    // an opcode that no protocol up to 5 has.
    Result<std::optional<PickleItem>> next();

  private:
    Result<std::string> bytes(std::uint64_t count);
    Result<std::uint64_t> number(std::size_t count);
    Status skip(std::uint64_t count);
    Status skip_lines(int count);
    Result<std::optional<PickleItem>> take(unsigned char opcode);
    Result<PickleItem> text(std::size_t length_bytes);
    Result<PickleItem> whole_number(unsigned char opcode);
    Status remember(std::uint64_t place);

    Window window_;
    std::uint64_t at_{0};
    PickleItem last_{};
    std::uint64_t remembered_{0};                  // how often MEMOIZE was met
    std::map<std::uint64_t, std::string> memo_{};  // texts alone, short ones alone
};

}  // namespace drawhitch::parse
