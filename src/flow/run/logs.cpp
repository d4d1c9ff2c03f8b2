#include "flow/run/logs.hpp"

#include <algorithm>
#include <deque>
#include <optional>

#include "base/random.hpp"
#include "base/retry.hpp"
#include "base/text.hpp"
#include "core/model/run.hpp"
#include "core/parse/framed.hpp"
#include "core/parse/log_lines.hpp"
#include "core/plan/launch_scripts.hpp"
#include "flow/run/claim.hpp"
#include "flow/run/poll.hpp"
#include "flow/transfer/link.hpp"
#include "io/ledger/ledger.hpp"
#include "io/transport/script.hpp"

namespace drawhitch::flow {

namespace {

constexpr std::int64_t k_tail_bytes = 1 << 20;     // the most that is read to find the last lines
constexpr std::int64_t k_piece_bytes = 256 << 10;  // one piece of a growing log
constexpr std::int64_t k_backlog_bytes = 8 << 20;  // a follower further behind skips ahead
constexpr std::int64_t k_block = 4096;             // the box reads from a multiple of it
constexpr milliseconds k_one_look{30'000};

struct Piece {
    std::int64_t size{0};
    std::int64_t from{0};
    bool ended{false};
    std::string bytes{};
};

Result<model::Run> run_to_read(const Deps& deps, const model::Lease& lease, const std::string& name) {
    if (!name.empty()) return deps.ledger.run_by_name(lease.id, name);
    TRY_ASSIGN(auto runs, deps.ledger.runs(lease.id));
    if (runs.empty()) {
        return Error{Code::not_found, lease.name + " has no runs"}.then("drawhitch help run");
    }
    return std::move(runs.back());
}

// One reader of one log: where it is, and what it made of the bytes so far.
class LogReader {
  public:
    LogReader(const Op& op, Deps& deps, const model::Lease& lease, const model::Run& run, const LineSink& sink)
        : op_(op), deps_(deps), lease_(lease), run_(run), sink_(sink) {
        report_.run = run.spec.name;
    }

    Status tail(std::size_t lines);
    Status follow(milliseconds every);
    Status finish();
    [[nodiscard]] const LogReport& report() const { return report_; }

  private:
    Result<Piece> fetch(std::optional<std::int64_t> from, std::int64_t cap);
    Result<Piece> fetch_again(std::optional<std::int64_t> from, std::int64_t cap);
    Status take(const Piece& piece);

    const Op& op_;
    Deps& deps_;
    const model::Lease& lease_;
    const model::Run& run_;
    const LineSink& sink_;
    std::unique_ptr<transport::Transport> transport_{};
    parse::LogLines lines_{};
    std::string shown_bar_{};
    std::int64_t at_{0};
    LogReport report_{};
};

Result<Piece> LogReader::fetch(std::optional<std::int64_t> from, std::int64_t cap) {
    if (!transport_) {
        TRY_ASSIGN(transport_, deps_.connector.to(op_, lease_));
    }
    plan::LogSpec spec{random_hex(8), run_.spec.run_dir, from, cap};
    const transport::ScriptLimits limits{.out_bytes = static_cast<std::size_t>(cap) + (64U << 10U)};
    const Op look = op_.within(k_one_look);
    auto answer = transport::run_script(look, *transport_, plan::log_script(spec), {}, limits);
    if (!answer) {
        transport_.reset();
        if (answer.error().code == Code::deadline && op_.check()) {
            return Error{Code::timed_out, Retry::reconnect, lease_.name + " did not answer"};
        }
        return std::move(answer).error();
    }
    const auto sections = parse::framed(answer->out, spec.nonce);
    const parse::Section* state = sections.find("state");
    if (state == nullptr || !sections.finished) {
        return Error{Code::protocol, Retry::reconnect, "the answer of " + lease_.name + " was cut short"};
    }
    if (!parse::value_of(state->body, "dir")) {
        const Error absent{Code::not_found, "run " + run_.spec.name + " has no directory on " + lease_.name};
        return unbegun_problem(lease_.name, run_, op_.clock.wall()).value_or(absent);
    }
    Piece piece;
    piece.size = static_cast<std::int64_t>(
        parse::whole_number(parse::value_of(state->body, "size").value_or("")).value_or(0) & INT64_MAX);
    piece.from = static_cast<std::int64_t>(
        parse::whole_number(parse::value_of(state->body, "from").value_or("")).value_or(0) & INT64_MAX);
    piece.ended = parse::value_of(state->body, "ended").has_value();
    if (const parse::Section* bytes = sections.find("bytes"); bytes != nullptr && bytes->rc == 0) {
        piece.bytes = bytes->body;
    }
    return piece;
}

// Tries on while the box does not answer, for a follower.
Result<Piece> LogReader::fetch_again(std::optional<std::int64_t> from, std::int64_t cap) {
    for (int failures = 0;;) {
        auto piece = fetch(from, cap);
        if (piece || !is_unreachable(piece.error())) return piece;
        ++failures;
        if (failures == 1) op_.warn(piece.error().message + "; following goes on when it answers again");
        TRY(op_.check());
        op_.clock.sleep(next_delay({}, failures, std::nullopt, random_u64()), op_.cancel);
    }
}

Status LogReader::take(const Piece& piece) {
    report_.size = static_cast<std::uint64_t>(piece.size);
    report_.ended = piece.ended;
    // A log that became shorter was begun anew.
    if (piece.size < at_) {
        lines_.reset();
        at_ = 0;
    }
    const std::int64_t have = piece.from + static_cast<std::int64_t>(piece.bytes.size());
    if (piece.from > at_ || have <= at_) return ok();
    const auto fresh = std::string_view(piece.bytes).substr(static_cast<std::size_t>(at_ - piece.from));
    Status status = ok();
    lines_.feed(fresh, [&](std::string_view line) {
        if (status) status = sink_(line);
    });
    at_ = have;
    return status;
}

Status LogReader::tail(std::size_t lines) {
    TRY_ASSIGN(const Piece piece, fetch(std::nullopt, k_tail_bytes));
    report_.size = static_cast<std::uint64_t>(piece.size);
    report_.ended = piece.ended;
    at_ = piece.from + static_cast<std::int64_t>(piece.bytes.size());
    std::deque<std::string> last;
    std::size_t seen = 0;
    std::string cut;
    lines_.feed(piece.bytes, [&](std::string_view line) {
        // The first one may be the rest of a line.
        if (seen++ == 0 && piece.from > 0) {
            cut = line;
            return;
        }
        last.emplace_back(line);
        if (last.size() > lines) last.pop_front();
    });
    // One endless line, as a progress bar makes it: its last state is all there is to show.
    if (last.empty() && !cut.empty()) last.push_back(cut);
    report_.began_inside = piece.from > 0 && last.size() < lines;
    for (const std::string& line : last)
        TRY(sink_(line));
    return ok();
}

Status LogReader::follow(milliseconds every) {
    for (;;) {
        TRY(op_.check());
        TRY_ASSIGN(const Piece piece, fetch_again(at_, k_piece_bytes));
        const std::int64_t before = at_;
        TRY(take(piece));
        const std::int64_t behind = piece.size - at_;
        if (behind > k_backlog_bytes) {
            const std::int64_t skip = (behind - k_piece_bytes) / k_block * k_block;
            op_.note(human_bytes(static_cast<std::uint64_t>(skip)) +
                     " of log skipped: it grows faster than it can come");
            report_.skipped += static_cast<std::uint64_t>(skip);
            at_ += skip;
            lines_.reset();
            continue;
        }
        if (behind > 0 && at_ > before) continue;
        if (piece.ended) return ok();
        const std::string bar = lines_.current();
        if (!bar.empty() && bar != shown_bar_) {
            Event event;
            event.kind = EventKind::heartbeat;
            event.text = bar;
            op_.events.emit(event);
            shown_bar_ = bar;
        }
        op_.clock.sleep(every, op_.cancel);
    }
}

Status LogReader::finish() {
    const std::string bar = lines_.current();
    return bar.empty() ? ok() : sink_(bar);
}

}  // namespace

Result<LogReport> read_log(const Op& op, Deps& deps, const model::Lease& lease, const LogOptions& options,
                           const LineSink& sink) {
    TRY_ASSIGN(const model::Run run, run_to_read(deps, lease, options.run));
    LogReader reader(op, deps, lease, run, sink);
    TRY(reader.tail(options.lines));
    if (reader.report().size == 0 && !reader.report().ended) {
        if (auto problem = unbegun_problem(lease.name, run, op.clock.wall())) return std::move(*problem);
    }
    if (options.follow) TRY(reader.follow(options.every));
    TRY(reader.finish());
    return reader.report();
}

}  // namespace drawhitch::flow
