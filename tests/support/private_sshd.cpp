#include "support/private_sshd.hpp"
#include "support/skip.hpp"

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

#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>

#include "base/cancel.hpp"
#include "base/text.hpp"
#include "io/transport/key_file.hpp"

extern char** environ;  // NOLINT: POSIX declares no header for it

namespace drawhitch::support {

namespace {

int wait_for(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

std::uint16_t free_port() {
    const UniqueFd probe{::socket(AF_INET, SOCK_STREAM, 0)};
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    auto* bytes = reinterpret_cast<sockaddr*>(&address);
    if (!probe || ::bind(probe.get(), bytes, size) != 0 || ::getsockname(probe.get(), bytes, &size) != 0) {
        throw std::runtime_error("no free port on 127.0.0.1");
    }
    return ntohs(address.sin_port);
}

model::HostKey public_key(const std::string& path) {
    model::HostKey key;
    key.blob = transport::public_blob(read_file(path));
    key.type = transport::key_type(key.blob);
    key.fingerprint = transport::fingerprint_of(key.blob);
    key.source = "test";
    return key;
}

// Every process below one, the nearest first. Processes come and go meanwhile, so it is a snapshot.
std::vector<pid_t> descendants(pid_t root) {
    std::vector<pid_t> found;
    std::multimap<pid_t, pid_t> children;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream file(entry.path() / "stat");
        std::string stat;
        std::getline(file, stat);
        // "pid (name) state ppid …", where the name may hold anything.
        const std::size_t at = stat.rfind(')');
        if (at == std::string::npos || stat.size() < at + 5) continue;
        children.emplace(static_cast<pid_t>(std::stol(stat.substr(at + 4))), static_cast<pid_t>(std::stol(name)));
    }
    std::vector<pid_t> todo{root};
    while (!todo.empty()) {
        const auto [begin, end] = children.equal_range(todo.back());
        todo.pop_back();
        for (auto child = begin; child != end; ++child) {
            found.push_back(child->second);
            todo.push_back(child->second);
        }
    }
    return found;
}

// The system's password database, with this user living elsewhere.
std::string passwd_with(const std::string& user, const std::string& home) {
    std::string text =
        user + ":x:" + std::to_string(::geteuid()) + ":" + std::to_string(::getegid()) + "::" + home + ":/bin/bash\n";
    const std::string all = read_file("/etc/passwd");
    for (std::string_view line : split(all, '\n')) {
        if (!line.empty() && !line.starts_with(user + ":")) text.append(line).append("\n");
    }
    return text;
}

// dropbear looks for keys in the home that the password database names, and a password lies in that database, too.
bool wants_own_accounts(const SshdOptions& options) {
    return options.dropbear || !options.password.empty();
}

const char* namespace_flags() {
    return ::geteuid() == 0 ? "-m" : "-rm";
}

// A test that is killed must not leave its servers behind.
std::string dies_with_us() {
    return ::access("/usr/bin/setpriv", X_OK) == 0 ? "/usr/bin/setpriv --pdeathsig KILL " : "";
}

// Containers, chroots and some distributions forbid it.
bool may_make_namespaces() {
    try {
        run_tool({"unshare", namespace_flags(), "--propagation", "private", "true"});
        return true;
    } catch (const std::runtime_error&) {
        return false;
    }
}

}  // namespace

pid_t start_tool(const std::vector<std::string>& argv, const std::string& output) {
    std::vector<char*> words;
    for (const std::string& word : argv)
        words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawnattr_t attributes{};
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    pid_t pid = -1;
    const int failed = ::posix_spawnp(&pid, words[0], &actions, &attributes, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failed != 0) throw std::runtime_error("cannot start " + argv.front());
    return pid;
}

void run_tool(const std::vector<std::string>& argv) {
    const TempDir dir;
    if (wait_for(start_tool(argv, dir / "output")) != 0) {
        throw std::runtime_error(argv.front() + " failed: " + read_file(dir / "output"));
    }
}

void make_key(const std::string& path, const std::string& type, const std::string& passphrase) {
    if (!passphrase.empty()) {
        run_tool({"ssh-keygen", "-q", "-t", type, "-N", passphrase, "-C", "test", "-a", "4", "-f", path});
        return;
    }
    // Making keys is slow (RSA) and their identity is of no matter, but a host's and a client's key must differ.
    struct Pair {
        std::string secret{};
        std::string open{};
    };
    static std::map<std::string, Pair> made;
    const std::string name = type + (path.find("host") != std::string::npos ? " host" : " client");
    if (made.count(name) == 0) {
        const TempDir dir;
        std::vector<std::string> argv{"ssh-keygen", "-q", "-t", type, "-N", "", "-C", "test", "-f", dir / "key"};
        if (type == "rsa") argv.insert(argv.end(), {"-b", "2048"});
        run_tool(argv);
        made[name] = Pair{read_file(dir / "key"), read_file(dir / "key.pub")};
    }
    write_file(path, made[name].secret, 0600);
    write_file(path + ".pub", made[name].open, 0644);
}

PrivateSshd::PrivateSshd(const SshdOptions& options) {
    if (wants_own_accounts(options) && !may_make_namespaces())
        skip_without("the right to make mount namespaces, which a server with accounts of its own needs");
    const passwd* account = ::getpwuid(::geteuid());
    if (account == nullptr) throw std::runtime_error("this user has no account entry, so no sshd can log it in");
    user_ = account->pw_name;
    if (::mkdir(home().c_str(), 0700) != 0) throw std::runtime_error("cannot create " + home());
    if (options.dropbear && ::access("/usr/sbin/dropbear", X_OK) != 0) skip_without("dropbear");
    make_keys(options);
    // A free port may be taken by another test in the moment before the server binds it.
    for (int attempt = 0; attempt < 5; ++attempt) {
        port_ = free_port();
        write_config(options);
        launch(options);
        if (await_greeting()) return;
        stop();
    }
    throw std::runtime_error("the private server did not start:\n" + log());
}

PrivateSshd::~PrivateSshd() {
    stop();
}

void PrivateSshd::stop() {
    if (pid_ <= 0) return;
    // The connections it serves have sessions of their own and would outlive it.
    for (const pid_t child : descendants(pid_))
        ::kill(child, SIGKILL);
    ::kill(pid_, SIGKILL);
    wait_for(pid_);
    pid_ = -1;
}

void PrivateSshd::make_keys(const SshdOptions& options) {
    for (const std::string& type : options.host_key_types) {
        const std::string path = dir_ / ("host_key_" + type);
        make_key(path, type);
        host_keys_.push_back(public_key(path + ".pub"));
        if (options.dropbear) run_tool({"dropbearconvert", "openssh", "dropbear", path, path + ".db"});
    }
    make_key(client_key(), options.client_key_type);
    if (::mkdir((home() + "/.ssh").c_str(), 0700) != 0) throw std::runtime_error("cannot create " + home() + "/.ssh");
    write_file(home() + "/.ssh/authorized_keys", read_file(client_key() + ".pub"), 0600);
}

void PrivateSshd::write_config(const SshdOptions& options) {
    std::string text = "MaxStartups 100\n";  // of this one keyword the last line counts
    for (const std::string& line : options.config)
        text += line + "\n";
    text += "Port " + std::to_string(port_) + "\nListenAddress 127.0.0.1\nPidFile none\nStrictModes no\nUsePAM no\n" +
            "AuthorizedKeysFile " + home() + "/.ssh/authorized_keys\nPasswordAuthentication no\n" +
            "KbdInteractiveAuthentication no\nPermitRootLogin yes\nUseDNS no\nPrintMotd no\nLogLevel VERBOSE\n" +
            "SetEnv HOME=" + home() + "\n";
    for (const std::string& type : options.host_key_types)
        text += "HostKey " + (dir_ / ("host_key_" + type)) + "\n";
    if (!options.login_shell.empty()) {
        // As sshd would start it: SHELL -c TEXT, at the first shell level, where bash reads the user's start-up file.
        text += "ForceCommand exec env -u SHLVL " + options.login_shell + " -c \"$SSH_ORIGINAL_COMMAND\"\n";
    }
    write_file(dir_ / "sshd_config", text, 0600);
    write_file(dir_ / "passwd", passwd_with(user_, home()), 0644);
    if (!options.password.empty()) {
        run_tool({"/bin/sh", "-c",
                  "h=$(openssl passwd -5 " + shell_quote(options.password) + ") && echo " + user_ +
                      ":$h:20000:0:99999:7::: > " + (dir_ / "shadow")});
    }
    // A root sshd insists on its privilege separation directory.
    if (::geteuid() == 0 && ::mkdir("/run/sshd", 0755) != 0 && errno != EEXIST)
        throw std::runtime_error("cannot create /run/sshd");
}

// A server with accounts of its own gets a password database in a mount namespace that ends with it.
std::vector<std::string> PrivateSshd::command(const SshdOptions& options) const {
    const std::string sshd = "exec " + dies_with_us() + "/usr/sbin/sshd -D -e -f " + (dir_ / "sshd_config");
    if (!wants_own_accounts(options)) return {"/bin/sh", "-c", sshd};
    std::string serve = "mount --bind " + (dir_ / "passwd") + " /etc/passwd && ";
    if (!options.password.empty()) serve += "mount --bind " + (dir_ / "shadow") + " /etc/shadow && ";
    if (options.dropbear) {
        serve +=
            "exec " + dies_with_us() + "dropbear -F -E -p 127.0.0.1:" + std::to_string(port_) + " -P " + (dir_ / "pid");
        for (const std::string& type : options.host_key_types)
            serve += " -r " + (dir_ / ("host_key_" + type + ".db"));
        for (const std::string& argument : options.args)
            serve += " " + shell_quote(argument);
    } else {
        serve += sshd;
    }
    // Mounting takes root, if only of a namespace; an ordinary user's server must serve as that user again, since there
    // group rights may not be changed.
    if (const std::size_t at = serve.rfind("exec "); ::geteuid() != 0 && at != std::string::npos) {
        serve.replace(at, 5,
                      "exec unshare --user --map-user=" + std::to_string(::geteuid()) +
                          " --map-group=" + std::to_string(::getegid()) + " ");
    }
    return {"unshare", namespace_flags(), "--propagation", "private", "/bin/sh", "-c", serve};
}

void PrivateSshd::launch(const SshdOptions& options) {
    pid_ = start_tool(command(options), dir_ / "log");
}

// True when it serves; false when it has ended, or nobody greets for ten seconds.
bool PrivateSshd::await_greeting() {
    const Cancel never;
    const Instant patience = system_clock().now() + std::chrono::seconds{10};
    while (system_clock().now() < patience) {
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) == pid_) {
            pid_ = -1;
            return false;
        }
        const UniqueFd probe{::socket(AF_INET, SOCK_STREAM, 0)};
        const sockaddr_in address = loopback(port_);
        char byte = 0;
        if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
            ::recv(probe.get(), &byte, 1, 0) == 1) {
            return true;
        }
        system_clock().sleep(milliseconds{10}, never);
    }
    return false;
}

transport::SshTarget PrivateSshd::target(std::uint16_t port) const {
    transport::SshTarget target;
    target.host = "127.0.0.1";
    target.port = port != 0 ? port : port_;
    target.user = user_;
    target.identity_files = {client_key()};
    return target;
}

std::string PrivateSshd::log() const {
    return read_file(dir_ / "log");
}

}  // namespace drawhitch::support
