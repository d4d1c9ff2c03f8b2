#include "io/transport/openssh.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/random.hpp"
#include "base/text.hpp"
#include "core/proto/digest.hpp"
#include "io/transport/child.hpp"
#include "io/transport/key_file.hpp"
#include "io/transport/program.hpp"
#include "io/transport/ssh_error.hpp"

namespace drawhitch::transport {

namespace {

constexpr std::size_t k_log_bytes = 256U << 10U;
constexpr int k_ssh_failed = 255;  // what the program exits with when it fails itself

// Files of one run of the program, in the runtime directory; they go with the object.
class RunFiles {
  public:
    static Result<RunFiles> make(const OpensshSetup& setup, std::string_view known_hosts) {
        struct stat info {};
        if (::mkdir(setup.runtime_dir.c_str(), 0700) != 0 && errno != EEXIST) {
            return errno_error(errno, "create", setup.runtime_dir);
        }
        if (::lstat(setup.runtime_dir.c_str(), &info) != 0) return errno_error(errno, "look at", setup.runtime_dir);
        if (!S_ISDIR(info.st_mode) || info.st_uid != ::geteuid() || (info.st_mode & 077U) != 0) {
            return Error{Code::permission, printable(setup.runtime_dir) + " is not a directory of ours alone"}
                .because("whoever may write there could put a connection of theirs in our way")
                .then("chmod 700 " + shell_quote(setup.runtime_dir));
        }
        RunFiles files;
        const std::string base = setup.runtime_dir + "/" + random_hex(8);
        files.files_.known_hosts = base + ".hosts";
        files.files_.log = base + ".log";
        TRY(write_new(files.files_.known_hosts, known_hosts));
        TRY(write_new(files.files_.log, {}));
        return files;
    }

    RunFiles(RunFiles&& other) noexcept : files_(std::exchange(other.files_, {})) {}
    RunFiles& operator=(RunFiles&&) = delete;
    RunFiles(const RunFiles&) = delete;
    RunFiles& operator=(const RunFiles&) = delete;
    ~RunFiles() {
        for (const std::string* path : {&files_.known_hosts, &files_.log}) {
            if (!path->empty()) ::unlink(path->c_str());
        }
    }

    [[nodiscard]] const OpensshFiles& names() const { return files_; }
    void share(std::string control) { files_.control = std::move(control); }

    // The newest part of a file; empty when it cannot be read.
    [[nodiscard]] static std::string tail(const std::string& path) {
        const UniqueFd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
        struct stat info {};
        if (!fd || ::fstat(fd.get(), &info) != 0) return {};
        const auto size = static_cast<std::size_t>(info.st_size);
        std::string text(std::min(size, k_log_bytes), '\0');
        const auto count = pread_full(fd.get(), text, size - text.size(), path);
        text.resize(count ? *count : 0);
        return text;
    }

  private:
    RunFiles() = default;
    static Status write_new(const std::string& path, std::string_view text) {
        const UniqueFd fd{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
        if (!fd) return errno_error(errno, "create", path);
        return write_all(fd.get(), text, path);
    }

    OpensshFiles files_{};
};

// Its own messages without the debug lines, in which earlier addresses and keys are mentioned.
std::string messages(std::string_view log) {
    std::string kept;
    for (std::string_view line : split(log, '\n')) {
        // What a server says in place of its greeting is a debug line, too, and the one that explains most.
        const bool says = line.find("kex_exchange_identification: banner line") != std::string_view::npos ||
                          line.find("Control master terminated") != std::string_view::npos;
        if (!line.starts_with("debug") || says) kept.append(line).append("\n");
    }
    return kept;
}

// The program exits with 255 when it failed, and also when the box's command did. The log knows which.
bool heard_the_end(std::string_view log) {
    return log.find("rtype exit-status") != std::string_view::npos ||
           log.find("rtype exit-signal") != std::string_view::npos ||
           log.find("received exit status from master") != std::string_view::npos ||
           log.find("Received exit status from master") != std::string_view::npos;
}

bool asks(const OpensshSetup& setup) {
    return setup.attached || (setup.shared && setup.may_ask);
}

Error told_by(std::string_view log, const SshTarget& target, const OpensshSetup& setup) {
    Error error = openssh_error(messages(log), target);
    if (error.code == Code::host_key && error.next.empty()) error.next = setup.cure;
    if (error.code == Code::auth && wants_person(error.why) && !asks(setup)) {
        error.why = "it asks for more than a key (a one-time code?), and nobody can be asked here";
        error.why += setup.shared ? "; a connection that was opened from a terminal serves ten minutes longer" : "";
        error.next.clear();  // a key that is installed anew, or ssh -v, would help nobody
    }
    return error;
}

// One name for one endpoint: later processes of ours find the connection there.
std::string control_of(const SshTarget& target, const OpensshSetup& setup) {
    const std::string who = setup.alias.empty() ? target.shown() : setup.alias;
    return setup.runtime_dir + "/" + proto::sha256(who).hex().substr(0, 16) + ".sock";
}

class OpensshProcess final : public Process {
  public:
    OpensshProcess(std::unique_ptr<Child> child, RunFiles files, SshTarget target, OpensshSetup setup)
        : child_(std::move(child)), files_(std::move(files)), target_(std::move(target)), setup_(std::move(setup)) {}

    Result<Step> step(const Op& op, std::string_view outgoing, bool end_of_input) override {
        TRY_ASSIGN(Step step, child_->step(op, outgoing, end_of_input));
        if (!step.exit || (step.exit->code != k_ssh_failed && step.exit->signal.empty())) return step;
        const std::string log = RunFiles::tail(files_.names().log);
        if (heard_the_end(log)) return step;
        return told_by(log, target_, setup_);
    }

  private:
    std::unique_ptr<Child> child_{};
    RunFiles files_;
    SshTarget target_{};
    OpensshSetup setup_{};
};

std::string known_hosts(const std::vector<model::HostKey>& pins) {
    std::string text;
    for (const model::HostKey& pin : pins)
        text += "drawhitch-box " + pin.type + " " + base64(pin.blob) + "\n";
    return text;
}

}  // namespace

std::string OpensshTransport::describe() const {
    const std::string way = setup_.shared ? " (openssh, shared connection)" : " (openssh)";
    return (setup_.alias.empty() ? target_.shown() : printable(setup_.alias)) + way;
}

Result<std::unique_ptr<Process>> OpensshTransport::exec(const Op& op, const BoxCommand& command) {
    TRY(op.check());
    TRY_ASSIGN(RunFiles files, RunFiles::make(setup_, known_hosts(pins_)));
    if (setup_.shared) files.share(control_of(target_, setup_));
    TRY_ASSIGN(std::vector<std::string> words, openssh_arguments(target_, setup_, files.names()));
    words.push_back(command.text());
    // A session of its own has no terminal, so that it cannot ask there; where it may, it keeps ours.
    TRY_ASSIGN(std::unique_ptr<Child> child, start_program(std::move(words), !asks(setup_)));
    return std::unique_ptr<Process>(
        std::make_unique<OpensshProcess>(std::move(child), std::move(files), target_, setup_));
}

bool OpensshTransport::is_open() const {
    return setup_.shared && ::access(control_of(target_, setup_).c_str(), F_OK) == 0;
}

Result<Exit> run_attached(const Op& op, const SshTarget& target, const OpensshSetup& setup,
                          const std::vector<model::HostKey>& pins, const std::string& remote) {
    TRY_ASSIGN(RunFiles files, RunFiles::make(setup, known_hosts(pins)));
    OpensshSetup attached = setup;
    attached.attached = true;
    if (setup.shared) files.share(control_of(target, setup));
    TRY_ASSIGN(std::vector<std::string> words, openssh_arguments(target, attached, files.names()));
    // A program that fills the screen needs a terminal there, too; the program allots one only to a shell by itself.
    if (!remote.empty() && ::isatty(0) == 1 && ::isatty(1) == 1) words.insert(words.begin() + 1, "-t");
    if (!remote.empty()) words.push_back(remote);
    TRY_ASSIGN(Exit exit, run_with_terminal(op, std::move(words)));
    if (exit.code != k_ssh_failed) return exit;
    const std::string log = RunFiles::tail(files.names().log);
    if (heard_the_end(log)) return exit;
    return told_by(log, target, attached);
}

Result<model::HostKey> learn_host_key(const Op& op, const SshTarget& target, const OpensshSetup& setup) {
    TRY_ASSIGN(const RunFiles files, RunFiles::make(setup, {}));
    OpensshSetup alone = setup;
    alone.shared = false;
    TRY_ASSIGN(std::vector<std::string> words, openssh_arguments(target, alone, files.names()));
    // It writes an unknown key into our empty file, then finds that it may not log in by any method.
    const auto end = std::find(words.begin(), words.end(), "--");
    words.insert(end, {"-o", "PreferredAuthentications=none"});
    std::replace(words.begin(), words.end(), std::string("StrictHostKeyChecking=yes"),
                 std::string("StrictHostKeyChecking=accept-new"));
    words.emplace_back("true");
    TRY(run_program(op, std::move(words)));
    const std::string learned = RunFiles::tail(files.names().known_hosts);
    const auto fields = split(std::string_view(learned).substr(0, learned.find('\n')), ' ');
    if (fields.size() < 3) return openssh_error(messages(RunFiles::tail(files.names().log)), target);
    model::HostKey key;
    key.blob = public_blob(std::string(fields[1]) + " " + std::string(fields[2]));
    key.type = key_type(key.blob);
    key.fingerprint = fingerprint_of(key.blob);
    if (key.blob.empty()) return Error{Code::host_key, "ssh noted a host key that cannot be read"};
    return key;
}

Result<std::string> read_ssh_config(const Op& op, const OpensshSetup& setup, const std::string& host) {
    if (host.empty() || host.front() == '-') return Error{Code::usage, "\"" + printable(host) + "\" is no host name"};
    std::vector<std::string> words{setup.program, "-G"};
    if (!setup.config_file.empty()) words.insert(words.end(), {"-F", setup.config_file});
    words.insert(words.end(), {"--", host});
    TRY_ASSIGN(ProgramOutput output, run_program(op.within(milliseconds{10'000}), std::move(words)));
    if (!output.exit.clean()) {
        return Error{Code::config, "ssh cannot read its configuration for " + printable(host)}
            .because(std::string(trim(output.err)))
            .then("ssh -G " + shell_quote(host));
    }
    return std::move(output.out);
}

}  // namespace drawhitch::transport
