#include "cli/fit_help.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "io/term/width.hpp"

namespace drawhitch::cli {

namespace {

constexpr std::size_t k_least = 40;
constexpr std::size_t k_most = 100;

// How a line of a page goes on when it is too long.
struct Block {
    std::string text{};  // without what leads the first line
    std::string first{};
    std::string next{};
    std::string break_mark{};  // behind each line that goes on
};

std::size_t indent_of(std::string_view line) {
    const std::size_t found = line.find_first_not_of(' ');
    return found == std::string_view::npos ? line.size() : found;
}

// Bytes before the last column: what follows the last gap of two blanks or more. The indent where there is no gap.
std::size_t column_of(std::string_view line) {
    const std::size_t indent = indent_of(line);
    const std::size_t gap = line.rfind("  ");
    if (gap != std::string_view::npos && gap > indent) return gap + 2;
    const std::string_view inside = line.substr(indent);
    const std::size_t digits = inside.find_first_not_of("0123456789");
    const bool numbered =
        indent > 0 && digits != std::string_view::npos && digits > 0 && inside.substr(digits).starts_with(". ");
    return numbered ? indent + digits + 2 : indent;
}

// A comment, a section or a key of a TOML file.
bool is_file_text(std::string_view line) {
    if (line.starts_with('#') || (line.starts_with('[') && line.ends_with(']'))) return true;
    const std::size_t equals = line.find(" = ");
    return equals != std::string_view::npos &&
           line.substr(0, equals).find_first_not_of("abcdefghijklmnopqrstuvwxyz_.") == std::string_view::npos;
}

bool is_prose(std::string_view line) {
    return !line.empty() && line.front() != ' ' && !is_file_text(line) && !line.starts_with("usage: ") &&
           !line.starts_with("also:  ");
}

bool is_comment_prose(std::string_view line) {
    return line.size() > 2 && line.starts_with("# ") && line[2] != ' ';
}

void fill(const Block& block, std::size_t width, std::string& out) {
    std::string line = block.first;
    bool begun = false;
    for (const std::string_view word : split(block.text, ' ')) {
        if (word.empty()) continue;
        const std::size_t mark = term::display_width(block.break_mark);
        if (begun && term::display_width(line) + 1 + term::display_width(word) + mark > width) {
            out += line + block.break_mark + "\n";
            line = block.next;
            begun = false;
        }
        if (begun) line += ' ';
        line += word;
        begun = true;
    }
    out += line + "\n";
}

class Page {
  public:
    Page(std::string_view page, std::size_t width) : lines_(split(page, '\n')), width_(width) {
        if (!lines_.empty() && lines_.back().empty()) lines_.pop_back();
    }

    std::string fitted() {
        while (at_ < lines_.size())
            take();
        return std::move(out_);
    }

  private:
    [[nodiscard]] bool fits(std::size_t from, std::size_t to) const {
        return std::all_of(lines_.begin() + static_cast<std::ptrdiff_t>(from),
                           lines_.begin() + static_cast<std::ptrdiff_t>(to),
                           [this](std::string_view line) { return term::display_width(line) <= width_; });
    }

    // Behind the last of the lines that belong to the one at `at_`.
    [[nodiscard]] std::size_t end_of_block() const {
        const std::string_view line = lines_[at_];
        const std::size_t column = column_of(line);
        const auto belongs = [&](std::string_view next) {
            if (is_prose(line)) return is_prose(next);
            if (is_comment_prose(line)) return is_comment_prose(next);
            return column > indent_of(line) && !next.empty() &&
                   indent_of(next) == term::display_width(line.substr(0, column)) && column_of(next) == indent_of(next);
        };
        std::size_t end = at_ + 1;
        while (end < lines_.size() && belongs(lines_[end]))
            ++end;
        return end;
    }

    [[nodiscard]] Block block_of(std::size_t end) const {
        const std::string_view line = lines_[at_];
        const std::size_t indent = indent_of(line);
        if (is_comment_prose(line)) return {joined(2, end), "# ", "# ", {}};
        if (line.starts_with("usage: ")) return {std::string{line}, {}, std::string(9, ' '), {}};
        const bool two_columns = column_of(line) > indent;
        if (!two_columns && indent > 0 && line.substr(indent).starts_with("drawhitch "))
            return {std::string{line.substr(indent)}, std::string(indent, ' '), std::string(indent + 4, ' '), " \\"};
        if (is_prose(line)) return {joined(0, end), {}, {}, {}};
        const std::size_t column = column_of(line);
        const std::string_view lead = line.substr(0, column);
        return {joined(column, end), std::string{lead}, std::string(term::display_width(lead), ' '), {}};
    }

    [[nodiscard]] std::string joined(std::size_t skip, std::size_t end) const {
        std::string text{lines_[at_].substr(skip)};
        for (std::size_t i = at_ + 1; i < end; ++i)
            text.append(" ").append(lines_[i].substr(is_comment_prose(lines_[i]) ? 2 : indent_of(lines_[i])));
        return text;
    }

    // A key of a file with a comment behind it, or a list in a comment.
    void split_file_line(std::string_view line) {
        const std::size_t comment = line.rfind("  # ");
        if (!line.starts_with("# ") && comment != std::string_view::npos) {
            const std::string_view key = line.substr(0, comment);
            out_.append(key.substr(0, key.find_last_not_of(' ') + 1)).append("\n");
            fill({std::string{line.substr(comment + 4)}, "#   ", "#   ", {}}, width_, out_);
            return;
        }
        const std::size_t text = line.starts_with('#') ? line.find_first_not_of(' ', 1) : 0;
        if (!line.starts_with("# ") || text == std::string_view::npos) {
            out_.append(line).append("\n");
            return;
        }
        const std::string lead{line.substr(0, text)};
        std::string_view rest = line.substr(text);
        // A wide gap stands between things of a list.
        constexpr std::string_view k_wide = "     ";
        for (std::size_t gap = rest.find(k_wide); gap != std::string_view::npos; gap = rest.find(k_wide)) {
            out_.append(lead).append(rest.substr(0, gap)).append("\n");
            rest = rest.substr(std::min(rest.size(), rest.find_first_not_of(' ', gap)));
        }
        out_.append(lead).append(rest).append("\n");
    }

    void take() {
        const std::size_t end = end_of_block();
        if (fits(at_, end)) {
            for (; at_ < end; ++at_)
                out_.append(lines_[at_]).append("\n");
            return;
        }
        const std::string_view line = lines_[at_];
        if (is_file_text(line) && !is_comment_prose(line) && line.front() != ' ') {
            split_file_line(line);
            ++at_;
            return;
        }
        fill(block_of(end), width_, out_);
        at_ = end;
    }

    std::vector<std::string_view> lines_;
    std::size_t width_;
    std::size_t at_{0};
    std::string out_{};
};

}  // namespace

std::string fit_help(std::string_view page, std::size_t width) {
    return Page{page, std::clamp(width, k_least, k_most)}.fitted();
}

}  // namespace drawhitch::cli
