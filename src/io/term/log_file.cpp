#include "io/term/log_file.hpp"

#include <fcntl.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/rotating_file_sink.h>

#include <atomic>
#include <cerrno>

#include "base/fd.hpp"
#include "base/text.hpp"

namespace drawhitch::term {

namespace {

constexpr std::size_t k_file_size = 5UL * 1024 * 1024;
constexpr std::size_t k_kept_files = 2;  // beside the one being written

spdlog::level::level_enum level_of(EventKind kind) {
    switch (kind) {
        case EventKind::warning:
            return spdlog::level::warn;
        case EventKind::debug:
        case EventKind::advanced:
            return spdlog::level::debug;
        case EventKind::started:
        case EventKind::finished:
        case EventKind::note:
        case EventKind::heartbeat:
            return spdlog::level::info;
    }
    return spdlog::level::info;
}

}  // namespace

struct LogFile::Logger {
    explicit Logger(const std::string& path)
        : log("drawhitch", std::make_shared<spdlog::sinks::rotating_file_sink_mt>(path, k_file_size, k_kept_files)) {
        log.set_level(spdlog::level::debug);
        log.flush_on(spdlog::level::debug);  // what is not flushed is missing after a crash, when it matters
        log.set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %P %l %v", spdlog::pattern_time_type::utc);
        // A full disk must not print to the user's terminal from inside the library: whoever opened the file tells.
        log.set_error_handler([this](const std::string&) { failed = true; });
    }
    std::atomic<bool> failed{false};
    spdlog::logger log;
};

LogFile::LogFile(std::unique_ptr<Logger> logger) : logger_(std::move(logger)) {}
LogFile::~LogFile() = default;

bool LogFile::failed() const {
    return logger_->failed;
}

Result<std::unique_ptr<LogFile>> LogFile::open(const std::string& path) {
    {
        const UniqueFd file{::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600)};
        if (!file) return errno_error(errno, "write the log file", path);
    }
    try {
        return std::unique_ptr<LogFile>{new LogFile{std::make_unique<Logger>(path)}};
    } catch (const spdlog::spdlog_ex& problem) {
        return Error{Code::local_io, "cannot write the log file " + printable(path)}.because(problem.what());
    }
}

void LogFile::emit(const Event& event) noexcept {
    if (event.kind == EventKind::advanced) return;  // thousands a second
    try {
        const std::string text = printable(event.text);
        if (event.activity == 0) {
            logger_->log.log(level_of(event.kind), spdlog::string_view_t{text.data(), text.size()});
        } else {
            logger_->log.log(level_of(event.kind), "#{} {} {}", event.activity,
                             event.kind == EventKind::finished ? "end" : "begin", text);
        }
    } catch (const std::exception&) {  // out of memory: this line is lost
        return;
    }
}

}  // namespace drawhitch::term
