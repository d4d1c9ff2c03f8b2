#include "io/term/log_file.hpp"

#include <fcntl.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <sys/stat.h>

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

// A full log is renamed, which must not happen to /dev/null.
spdlog::sink_ptr sink_for(const std::string& path, bool device) {
    if (device) return std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
    return std::make_shared<spdlog::sinks::rotating_file_sink_mt>(path, k_file_size, k_kept_files);
}

}  // namespace

struct LogFile::Logger {
    Logger(const std::string& path, bool device) : log("drawhitch", sink_for(path, device)) {
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
    bool device = false;
    {
        // Not waited for: a pipe without a reader would hold us, and no Ctrl-C is heard so early.
        const UniqueFd file{
            ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600)};
        const int problem = errno;
        struct stat found {};
        const bool there = (file ? ::fstat(file.get(), &found) : ::stat(path.c_str(), &found)) == 0;
        device = there && S_ISCHR(found.st_mode);
        if (there && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode) && !device)
            return Error{Code::usage, "the log file " + printable(path) + " is a pipe or the like"}.because(
                "it would hold up everything where nobody reads it");
        if (!file) return errno_error(problem, "write the log file", path);
    }
    try {
        return std::unique_ptr<LogFile>{new LogFile{std::make_unique<Logger>(path, device)}};
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
