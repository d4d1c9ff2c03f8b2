#include "io/demo/private_sshd.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/text.hpp"
#include "io/demo/children.hpp"

extern char** environ;  // NOLINT: POSIX declares no header for it

namespace drawhitch::demo {

namespace {

constexpr std::array k_sshd_places{"/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd", "/usr/local/bin/sshd"};
constexpr milliseconds k_start_limit{10'000};

// sshd re-executes itself, so it must be started by its absolute path.
Result<std::string> find_sshd() {
    for (const char* place : k_sshd_places) {
        if (::access(place, X_OK) == 0) return std::string{place};
    }
    return Error{Code::not_found, "there is no sshd on this machine to play the box"}
        .because("looked for /usr/sbin/sshd and its usual other places")
        .then("sudo apt-get install openssh-server");
}

Result<std::uint16_t> free_port() {
    const UniqueFd probe{::socket(AF_INET, SOCK_STREAM, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (!probe || ::bind(probe.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::getsockname(probe.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        return errno_error(errno, "find a free port on", "127.0.0.1");
    }
    return ntohs(address.sin_port);
}

Status write_file(const std::string& path, std::string_view text) {
    const UniqueFd file{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
    if (!file) return errno_error(errno, "create", path);
    return write_all(file.get(), text, path);
}

Result<std::string> read_file(const std::string& path) {
    const UniqueFd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!file) return errno_error(errno, "open", path);
    std::string text(65536, '\0');
    TRY_ASSIGN(const std::size_t count, read_full(file.get(), text, path));
    text.resize(count);
    return text;
}

Status make_directory(const std::string& path, mode_t mode) {
    if (::mkdir(path.c_str(), mode) != 0 && errno != EEXIST) return errno_error(errno, "create", path);
    return ok();
}

bool accepts(std::uint16_t port) {
    const UniqueFd probe{::socket(AF_INET, SOCK_STREAM, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return probe && ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

Result<std::unique_ptr<PrivateSshd>> PrivateSshd::start(const Op& op, std::string directory) {
    TRY_ASSIGN(const std::string program, find_sshd());
    std::unique_ptr<PrivateSshd> sshd{new PrivateSshd(std::move(directory))};
    const passwd* account = ::getpwuid(::geteuid());
    if (account == nullptr) return Error{Code::not_found, "this user has no account entry, so no sshd can log it in"};
    sshd->user_ = account->pw_name;
    TRY(make_directory(sshd->home(), 0700));
    TRY(sshd->make_keys(op, "ssh-keygen"));
    TRY_ASSIGN(sshd->port_, free_port());
    TRY(sshd->configure());
    TRY(sshd->launch(op, program));
    return sshd;
}

Status PrivateSshd::make_keys(const Op& op, const std::string& keygen) {
    for (const char* name : {"/host_key", "/client_key"}) {
        TRY_ASSIGN(const Finished made, run_to_end(op, {keygen, "-q", "-t", "ed25519", "-N", "", "-C", "drawhitch-demo",
                                                        "-f", directory_ + name}));
        if (made.exit_code != 0)
            return Error{Code::remote_failed, "ssh-keygen failed"}.because(std::string{trim(made.output)});
    }
    TRY_ASSIGN(const Finished shown,
               run_to_end(op, {keygen, "-l", "-E", "sha256", "-f", directory_ + "/host_key.pub"}));
    const auto words = split(shown.output, ' ');
    if (words.size() < 2 || words[1].substr(0, 7) != "SHA256:")
        return Error{Code::remote_failed, "ssh-keygen shows no fingerprint"};
    fingerprint_ = words[1];
    TRY_ASSIGN(const std::string key, read_file(directory_ + "/client_key.pub"));
    return write_file(directory_ + "/authorized_keys", key);
}

Status PrivateSshd::configure() {
    // SetEnv gives the box a home of its own, so that nothing of the user's home is read or written.
    const std::string text =
        "Port " + std::to_string(port_) + "\nListenAddress 127.0.0.1\nHostKey \"" + directory_ +
        "/host_key\"\nAuthorizedKeysFile \"" + directory_ + "/authorized_keys\"\nPidFile none\nStrictModes no\n" +
        "UsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\n" +
        "AllowUsers " + user_ + "\nPrintMotd no\nUseDNS no\nMaxStartups 30\nSetEnv HOME=\"" + home() + "\"\n";
    // A root sshd insists on its privilege separation directory.
    if (::geteuid() == 0) TRY(make_directory("/run/sshd", 0755));
    return write_file(directory_ + "/sshd_config", text);
}

Status PrivateSshd::launch(const Op& op, const std::string& program) {
    const std::string config = directory_ + "/sshd_config";
    const std::string log = directory_ + "/sshd.log";
    std::array<const char*, 7> argv{program.c_str(), "-D", "-f", config.c_str(), "-E", log.c_str(), nullptr};
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    for (const int fd : {0, 1, 2})
        posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
    posix_spawnattr_t attributes{};
    posix_spawnattr_init(&attributes);
    sigset_t none{};
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    // A group of its own: Ctrl-C at the terminal is for us, and we end the server when we have tidied up.
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    const int failed =
        ::posix_spawn(&pid_, program.c_str(), &actions, &attributes, const_cast<char* const*>(argv.data()), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failed != 0) {
        pid_ = -1;
        return errno_error(failed, "start", program);
    }
    return await_listening(op);
}

Status PrivateSshd::await_listening(const Op& op) {
    const Op limited = op.within(k_start_limit);
    while (!accepts(port_)) {
        int status = 0;
        const bool died = ::waitpid(pid_, &status, WNOHANG) == pid_;
        if (died) pid_ = -1;
        if (auto state = limited.check(); died || !state) {
            if (!state && state.error().code == Code::cancelled) return state;
            const auto log = read_file(directory_ + "/sshd.log");
            return Error{Code::remote_failed, "the private sshd did not start"}.because(log ? std::string{trim(*log)}
                                                                                            : std::string{});
        }
        op.clock.sleep(milliseconds{20}, op.cancel);
    }
    return ok();
}

PrivateSshd::~PrivateSshd() {
    if (pid_ > 0) {
        ::kill(pid_, SIGTERM);
        int status = 0;
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
    }
}

}  // namespace drawhitch::demo
