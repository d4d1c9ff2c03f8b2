// Output: everything that goes to standard output, in one of four formats. Handlers say what they found; this decides
// how it looks. Owns the JSON envelope. Must never be used for progress or errors, which belong on standard error.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "io/term/json.hpp"
#include "io/term/table.hpp"

namespace drawhitch::term {

enum class Format {
    table,  // a person at a terminal
    tsv,    // a pipe or file
    json,   // --json: one envelope
    jsonl,  // --jsonl: one object per line, the envelope last
};

// How a command ended, for the envelope.
struct Summary {
    int exit{0};
    std::vector<std::string> warnings{};
    std::vector<std::string> next{};
    const Error* error{nullptr};
};

struct OutputOptions {
    int fd{1};
    Format format{Format::table};
    std::size_t width{0};                  // of the terminal; 0: unlimited
    std::string command{};                 // the verb, for the envelope
    std::function<void()> before_write{};  // clears a live progress display that shares the terminal
};

class Output;

// A table being written. Rows go out as they come (a terminal first collects some to choose column widths), so memory
// stays bounded however many there are. Ends when it goes out of scope; one at a time per Output.
class RowWriter {
  public:
    RowWriter(Output& output, std::string key, std::vector<Column> columns);
    ~RowWriter();
    RowWriter(const RowWriter&) = delete;
    RowWriter& operator=(const RowWriter&) = delete;

    // `row` has one cell per column, in their order.
    void add(Row row);
    // Ends the table before the object goes out of scope.
    void finish();

  private:
    void flush_held();

    Output& output_;
    std::string key_;
    std::vector<Column> columns_;
    std::vector<Row> held_{};
    Layout layout_{};
    bool planned_{false};
    bool finished_{false};
    std::size_t count_{0};
};

// Thread-safe for `event_line`; everything else belongs to the command's own thread.
class Output {
  public:
    explicit Output(OutputOptions options);
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    ~Output() = default;

    [[nodiscard]] Format format() const { return options_.format; }
    // From now on one object a line where it was one envelope: for a command that may go on for days. To be called
    // before anything is written.
    void stream_lines() {
        if (options_.format == Format::json) options_.format = Format::jsonl;
    }
    [[nodiscard]] bool for_machines() const {
        return options_.format == Format::json || options_.format == Format::jsonl;
    }

    // Of the terminal that is written to; 0 where there is none.
    [[nodiscard]] std::size_t width() const { return options_.width; }

    // A paragraph for people and pipes; absent from JSON. A missing line end is added. The caller passes text of its
    // own or `printable` text.
    void text(std::string_view paragraph);
    // The same, broken at the terminal's width; as it is where there is no terminal.
    void words(std::string_view line);
    // Bytes exactly as they are (a script, a file); a terminal sees its control characters as escapes. Absent from
    // JSON.
    void raw(std::string_view bytes);
    // One named value: "title  value" on a terminal, "key<tab>value" in a pipe, data.KEY in JSON.
    void value(std::string_view key, std::string_view title, const Cell& cell);
    // data.KEY in JSON, nothing elsewhere.
    void json(std::string_view key, const Json& value);
    // A streamed table: data.KEY is an array of objects in JSON.
    RowWriter rows(std::string key, std::vector<Column> columns);
    // The whole table at once.
    void table(std::string key, std::vector<Column> columns, const std::vector<Row>& all);
    // One line {"type":"event",...} of --jsonl; nothing in other formats.
    void event_line(const Json& event) noexcept;

    // Writes what is held back and, in JSON formats, closes the envelope. Call once, last.
    void finish(const Summary& summary);

    // Nobody reads any more (EPIPE): a command that streams without end should stop, with Code::cancelled, which the
    // session then turns into a quiet end with exit code 0.
    [[nodiscard]] bool reader_gone() const { return reader_gone_; }
    // The first failure of a write other than a vanished reader.
    [[nodiscard]] const Status& status() const { return status_; }
    void flush();

  private:
    friend class RowWriter;

    void put(std::string_view text);
    void drain();
    void begin_member(std::string_view key);

    OutputOptions options_;
    std::mutex mutex_{};
    std::string buffer_{};
    Json data_{Json::object()};  // of --jsonl, whose envelope comes last
    bool opened_{false};         // the JSON envelope has begun
    bool has_members_{false};    // data has a member already
    bool reader_gone_{false};
    Status status_{Unit{}};
};

// The members `warnings`, `next`, `error`, `ok`, `exit` of the envelope, as they follow `data`.
std::string envelope_tail(const Summary& summary);

}  // namespace drawhitch::term
