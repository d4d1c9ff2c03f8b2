#include "io/term/output.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <exception>
#include <utility>

#include "base/text.hpp"
#include "io/term/width.hpp"

namespace drawhitch::term {

namespace {

constexpr int k_schema = 1;
constexpr std::size_t k_flush_at = 64UL * 1024;
constexpr std::size_t k_rows_to_plan = 256;  // rows seen before the column widths of a terminal are fixed
constexpr std::size_t k_value_title_columns = 14;
constexpr int k_poll_ms = 1000;  // a non-blocking standard output is looked at again after this long

Json list_of(const std::vector<std::string>& lines) {
    Json list = Json::array();
    for (const std::string& line : lines)
        list.push(line);
    return list;
}

Json error_object(const Error& error) {
    Json object = Json::object();
    object.set("id", id(error.code)).set("message", error.message);
    object.set("why", error.why.empty() ? Json{} : Json{error.why});
    object.set("context", list_of(error.context));
    return object;
}

// For a terminal: lines and tabs stay, what could move the cursor becomes visible.
std::string tamed(std::string_view bytes) {
    std::string shown;
    while (!bytes.empty()) {
        const std::size_t end = std::min(bytes.find_first_of("\n\t"), bytes.size());
        shown += printable(bytes.substr(0, end));
        if (end < bytes.size()) shown += bytes[end];
        bytes.remove_prefix(std::min(end + 1, bytes.size()));
    }
    return shown;
}

std::string envelope_head(std::string_view command) {
    return "\"schema\":" + std::to_string(k_schema) + ",\"command\":" + json_string(command);
}

}  // namespace

std::string envelope_tail(const Summary& summary) {
    std::vector<std::string> next = summary.next;
    if (summary.error != nullptr && !summary.error->next.empty()) next.insert(next.begin(), summary.error->next);
    std::string tail = ",\"warnings\":" + list_of(summary.warnings).dump() + ",\"next\":" + list_of(next).dump();
    tail += ",\"error\":" + (summary.error == nullptr ? Json{} : error_object(*summary.error)).dump();
    tail += std::string{",\"ok\":"} + (summary.exit == 0 ? "true" : "false");
    return tail + ",\"exit\":" + std::to_string(summary.exit);
}

RowWriter::RowWriter(Output& output, std::string key, std::vector<Column> columns)
    : output_(output), key_(std::move(key)), columns_(std::move(columns)) {
    if (output_.format() == Format::json) {
        output_.begin_member(key_);
        output_.put("[");
    }
}

RowWriter::~RowWriter() {
    try {
        finish();
    } catch (const std::exception&) {  // out of memory while unwinding: the rows are lost, the process goes on
        finished_ = true;
    }
}

void RowWriter::add(Row row) {
    assert(row.size() == columns_.size());
    ++count_;
    switch (output_.format()) {
        case Format::json:
            if (count_ > 1) output_.put(",");
            output_.put("\n" + json_row(columns_, row).dump());
            return;
        case Format::jsonl:
            output_.put("{\"type\":\"row\",\"name\":" + json_string(key_) +
                        ",\"value\":" + json_row(columns_, row).dump() + "}\n");
            output_.flush();
            return;
        case Format::tsv:
            output_.put(tsv_line(columns_, row) + "\n");
            return;
        case Format::table:
            break;
    }
    if (planned_) {
        output_.put(row_line(columns_, layout_, row) + "\n");
        return;
    }
    held_.push_back(std::move(row));
    if (held_.size() >= k_rows_to_plan) flush_held();
}

void RowWriter::flush_held() {
    layout_ = plan_layout(columns_, held_, output_.options_.width);
    planned_ = true;
    output_.put(heading_line(columns_, layout_) + "\n");
    for (const Row& row : held_)
        output_.put(row_line(columns_, layout_, row) + "\n");
    held_.clear();
}

void RowWriter::finish() {
    if (std::exchange(finished_, true)) return;
    if (output_.format() == Format::json) output_.put(count_ == 0 ? "]" : "\n]");
    if (output_.format() == Format::table && !held_.empty()) flush_held();
}

Output::Output(OutputOptions options) : options_(std::move(options)) {}

void Output::put(std::string_view text) {
    const std::lock_guard lock{mutex_};
    if (options_.format == Format::json && !std::exchange(opened_, true)) {
        buffer_ += "{" + envelope_head(options_.command) + ",\"data\":{";
    }
    buffer_ += text;
    if (buffer_.size() >= k_flush_at || options_.format == Format::table) drain();
}

void Output::flush() {
    const std::lock_guard lock{mutex_};
    drain();
}

void Output::drain() {
    const std::string full = std::exchange(buffer_, {});
    std::string_view rest = full;
    if (!rest.empty() && options_.before_write) options_.before_write();
    while (!rest.empty() && !reader_gone_ && status_) {
        const ssize_t count = ::write(options_.fd, rest.data(), rest.size());
        if (count >= 0) {
            rest.remove_prefix(static_cast<std::size_t>(count));
        } else if (errno == EAGAIN) {
            pollfd ready{options_.fd, POLLOUT, 0};
            ::poll(&ready, 1, k_poll_ms);
        } else if (errno == EPIPE) {
            reader_gone_ = true;
        } else if (errno != EINTR) {
            status_ = errno_error(errno, "write to", "standard output");
        }
    }
}

void Output::begin_member(std::string_view key) {
    put((std::exchange(has_members_, true) ? "," : "") + json_string(key) + ":");
}

void Output::text(std::string_view paragraph) {
    if (for_machines()) return;
    put(paragraph);
    if (paragraph.empty() || paragraph.back() != '\n') put("\n");
}

void Output::words(std::string_view line) {
    text(options_.format == Format::table ? broken_at(line, options_.width) : std::string{line});
}

void Output::raw(std::string_view bytes) {
    if (for_machines()) return;
    put(options_.format == Format::table ? tamed(bytes) : std::string{bytes});
    flush();
}

void Output::value(std::string_view key, std::string_view title, const Cell& cell) {
    switch (options_.format) {
        case Format::table: {
            const std::string line = pad_right(title, k_value_title_columns) + "  " + cell.human;
            put((cell.words ? broken_at(line, options_.width) : line) + "\n");
            return;
        }
        case Format::tsv:
            put(std::string{key} + "\t" + tsv_escape(cell.plain) + "\n");
            return;
        case Format::json:
        case Format::jsonl:
            json(key, cell.json);
            if (cell.age) json(std::string{key} + "_age", *cell.age);
            return;
    }
}

void Output::json(std::string_view key, const Json& value) {
    if (options_.format == Format::json) {
        begin_member(key);
        put(value.dump());
    } else if (options_.format == Format::jsonl) {
        data_.set(key, value);
    }
}

RowWriter Output::rows(std::string key, std::vector<Column> columns) {
    return RowWriter{*this, std::move(key), std::move(columns)};
}

void Output::table(std::string key, std::vector<Column> columns, const std::vector<Row>& all) {
    RowWriter writer = rows(std::move(key), std::move(columns));
    for (const Row& row : all)
        writer.add(row);
}

void Output::event_line(const Json& event) noexcept {
    if (options_.format != Format::jsonl) return;
    try {
        put("{\"type\":\"event\",\"event\":" + event.dump() + "}\n");
        flush();
    } catch (const std::exception&) {  // an event is lost, which the contract of sinks allows
        return;
    }
}

void Output::finish(const Summary& summary) {
    if (options_.format == Format::json) {
        put("}" + envelope_tail(summary) + "}\n");
    } else if (options_.format == Format::jsonl) {
        put("{\"type\":\"result\"," + envelope_head(options_.command) + ",\"data\":" + data_.dump() +
            envelope_tail(summary) + "}\n");
    }
    flush();
}

}  // namespace drawhitch::term
