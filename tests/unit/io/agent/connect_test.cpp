// Agent::connect: finding and installing the helper, over a local shell that stands for a box.
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>

#include "base/random.hpp"
#include "base/text.hpp"
#include "io/agent/agent.hpp"
#include "io/transport/local.hpp"
#include "support/fake_transport.hpp"
#include "support/skip.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;
using agent::Agent;
using agent::HelperImages;

namespace fs = std::filesystem;

namespace {

// Environment variables of this process, which the local shell inherits, put back at the end.
class Environment {
  public:
    void set(const std::string& name, const std::string& value) {
        remember(name);
        ::setenv(name.c_str(), value.c_str(), 1);
    }
    void unset(const std::string& name) {
        remember(name);
        ::unsetenv(name.c_str());
    }
    ~Environment() {
        for (const auto& [name, value] : before_) {
            if (value) {
                ::setenv(name.c_str(), value->c_str(), 1);
            } else {
                ::unsetenv(name.c_str());
            }
        }
    }

  private:
    void remember(const std::string& name) {
        const char* value = std::getenv(name.c_str());
        before_.emplace(name, value == nullptr ? std::nullopt : std::optional<std::string>(value));
    }
    std::map<std::string, std::optional<std::string>> before_{};
};

// Counts what is started on the way to another transport.
class CountingTransport final : public transport::Transport {
  public:
    explicit CountingTransport(transport::Transport& inner) : inner_(inner) {}
    Result<std::unique_ptr<transport::Process>> exec(const Op& op, const transport::BoxCommand& command) override {
        ++(command.text().find("/bin/sh -c") != std::string::npos ? scripts : programs);
        return inner_.exec(op, command);
    }
    [[nodiscard]] std::string describe() const override { return inner_.describe(); }

    int scripts{0};
    int programs{0};

  private:
    transport::Transport& inner_;
};

// A box whose home is a directory of the test, without any other place but those every machine has.
struct LocalBox {
    support::TempDir dir{};
    Environment environment{};
    support::TestOp op{};
    transport::LocalTransport local{};
    CountingTransport counted{local};

    LocalBox() {
        fs::create_directories(home());
        environment.set("HOME", home());
        environment.unset("XDG_RUNTIME_DIR");
    }
    [[nodiscard]] std::string home() const { return dir / "home"; }
    [[nodiscard]] std::string cache() const { return home() + "/.cache/drawhitch"; }
    Result<std::unique_ptr<Agent>> connect(const agent::ConnectOptions& options = {},
                                           const HelperImages& images = HelperImages::embedded()) {
        return Agent::connect(op, counted, images, options);
    }
    std::string connected_path(const agent::ConnectOptions& options = {}) {
        auto agent = connect(options);
        if (!agent) FAIL(agent.error().message << " (" << agent.error().why << ")");
        return (*agent)->helper_path();
    }
};

std::string own_arch() {
#if defined(__x86_64__)
    return "x86_64";
#else
    return "aarch64";
#endif
}

agent::HelperImage own_image() {
    return HelperImages::embedded().find(own_arch()).value();
}

}  // namespace

TEST_CASE("a fresh box gets the helper into the user's cache, once, for the user alone") {
    LocalBox box;
    const auto first = box.connect();
    REQUIRE(first);
    CHECK((*first)->installed());
    CHECK((*first)->helper_path() == box.cache() + "/helper-" + own_image().build_id);
    CHECK((*first)->hello().build_id == own_image().build_id);
    CHECK((*first)->hello().home == box.home());
    struct stat info {};
    REQUIRE(::stat(box.cache().c_str(), &info) == 0);
    CHECK((info.st_mode & 0777U) == 0700);
    CHECK(std::distance(fs::directory_iterator(box.cache()), {}) == 1);
    const auto second = box.connect();
    REQUIRE(second);
    CHECK_FALSE((*second)->installed());
}

TEST_CASE("a remembered helper is started without any script") {
    LocalBox box;
    const std::string path = box.connected_path();
    box.counted.scripts = 0;
    box.counted.programs = 0;
    CHECK(box.connected_path({path, {}, {}}) == path);
    CHECK(box.counted.scripts == 0);
    CHECK(box.counted.programs == 1);
}

TEST_CASE("a remembered helper that is gone, not executable, another program or another build is replaced") {
    LocalBox box;
    const std::string good = box.connected_path();
    const std::string known = box.dir / "remembered";
    const std::vector<std::function<void()>> spoil{
        [&] { fs::remove(known); },
        [&] { support::write_file(known, "#!/bin/sh\n", 0644); },
        [&] { support::write_file(known, "#!/bin/sh\necho hello; exit 0\n", 0755); },
        [&] {
            // The same program with a byte behind its end: it runs, and says another build id.
            support::write_file(known, own_image().bytes + "x", 0755);
        },
    };
    for (const auto& step : spoil) {
        step();
        CHECK(box.connected_path({known, {}, {}}) == good);
    }
}

TEST_CASE("a half-uploaded or damaged helper in place is not used but replaced") {
    LocalBox box;
    const std::string path = box.connected_path();
    const std::string half = own_image().bytes.substr(0, own_image().bytes.size() / 2);
    for (const std::string& content : {half, std::string("#!/bin/sh\nexit 0\n"), std::string()}) {
        fs::remove(path);
        support::write_file(path, content, 0700);
        const auto agent = box.connect();
        REQUIRE(agent);
        CHECK((*agent)->installed());
        CHECK((*agent)->helper_path() == path);
        CHECK(support::read_file(path) == own_image().bytes);
    }
}

TEST_CASE("places are taken in their order: cache, runtime directory, data directory, memory") {
    LocalBox box;
    fs::create_directories(box.dir / "run");
    fs::create_directories(box.dir / "data");
    box.environment.set("XDG_RUNTIME_DIR", box.dir / "run");
    const agent::ConnectOptions options{{}, box.dir / "data", {}};
    CHECK(box.connected_path(options).starts_with(box.cache()));
    // A home that cannot hold anything: a file in its place.
    box.environment.set("HOME", box.dir / "no-home");
    support::write_file(box.dir / "no-home", "");
    CHECK(box.connected_path(options).starts_with(box.dir / "run/drawhitch/"));
    box.environment.unset("XDG_RUNTIME_DIR");
    CHECK(box.connected_path(options).starts_with(box.dir / "data/.drawhitch-helper-"));
    box.environment.unset("HOME");
    CHECK(box.connected_path(options).starts_with(box.dir / "data/.drawhitch-helper-"));
}

TEST_CASE("a place that others may write to, that belongs to nobody of ours or is a symlink is passed over") {
    LocalBox box;
    fs::create_directories(box.dir / "data");
    const agent::ConnectOptions options{{}, box.dir / "data", {}};
    const std::string other = box.dir / "data/.drawhitch-helper-";
    for (const mode_t mode : {mode_t{0777}, mode_t{0770}, mode_t{0702}}) {
        fs::create_directories(box.cache());
        REQUIRE(::chmod(box.cache().c_str(), mode) == 0);
        CHECK(box.connected_path(options).starts_with(other));
        CHECK(fs::is_empty(box.cache()));
    }
    fs::remove_all(box.cache());
    fs::create_directories(box.dir / "target");
    fs::create_directory_symlink(box.dir / "target", box.cache());
    CHECK(box.connected_path(options).starts_with(other));
    CHECK(fs::is_empty(box.dir / "target"));
    if (::geteuid() == 0) {
        fs::remove_all(box.cache());
        fs::create_directories(box.cache());
        REQUIRE(::chown(box.cache().c_str(), 65'534, 65'534) == 0);
        CHECK(box.connected_path(options).starts_with(other));
    }
}

TEST_CASE("a home whose name a login shell would misread is passed over") {
    LocalBox box;
    for (const std::string name : {"with space", "semi;colon", "dollar$HOME", "quote'"}) {
        fs::create_directories(box.dir / name);
        box.environment.set("HOME", box.dir / name);
        fs::create_directories(box.dir / "data");
        CHECK(box.connected_path({{}, box.dir / "data", {}}).starts_with(box.dir / "data/"));
        CHECK(fs::is_empty(box.dir / name));
    }
}

TEST_CASE("helpers of other builds go when they are old, younger ones and foreign files stay") {
    LocalBox box;
    fs::create_directories(box.cache());
    REQUIRE(::chmod(box.cache().c_str(), 0700) == 0);
    const auto put = [&](const std::string& name, int days) {
        support::write_file(box.cache() + "/" + name, "x");
        const std::time_t when = static_cast<std::time_t>(system_clock().wall().seconds) - days * 86'400;
        const utimbuf times{when, when};
        REQUIRE(::utime((box.cache() + "/" + name).c_str(), &times) == 0);
    };
    put("helper-0123456789abcdef", 40);
    put("helper-fedcba9876543210", 20);
    put(".new-0123456789abcdef.77", 3);
    put("notes", 400);
    REQUIRE(box.connect());
    CHECK_FALSE(fs::exists(box.cache() + "/helper-0123456789abcdef"));
    CHECK(fs::exists(box.cache() + "/helper-fedcba9876543210"));
    CHECK_FALSE(fs::exists(box.cache() + "/.new-0123456789abcdef.77"));
    CHECK(fs::exists(box.cache() + "/notes"));
}

TEST_CASE("an image that is not what it is called is not put in place") {
    LocalBox box;
    agent::HelperImage image = own_image();
    image.build_id = "0000000000000000";
    const auto agent = box.connect({}, HelperImages::of({image}));
    REQUIRE_FALSE(agent);
    CHECK(agent.error().code == Code::integrity);
    CHECK(fs::is_empty(box.cache()));
}

TEST_CASE("a box of an architecture without a helper is told as such") {
    LocalBox box;
    agent::HelperImage image = own_image();
    image.arch = "mips";
    const auto agent = box.connect({}, HelperImages::of({image}));
    REQUIRE_FALSE(agent);
    CHECK(agent.error().code == Code::noexec);
    CHECK(agent.error().why == "this program carries helpers for: mips");
}

namespace {

// A box that answers the survey and the upload with given texts.
support::FakeTransport scripted_box(std::vector<support::FakeReply> replies) {
    auto next = std::make_shared<std::size_t>(0);
    return support::FakeTransport([replies = std::move(replies), next](const support::FakeCall&) {
        return *next < replies.size() ? replies[(*next)++] : support::FakeReply{};
    });
}

Error connect_error(support::FakeTransport& box) {
    support::TestOp op;
    agent::HelperImage image;
    image.arch = "x86_64";
    image.build_id = "0123456789abcdef";
    image.bytes = "ELF";
    auto agent = Agent::connect(op, box, HelperImages::of({image}), {});
    REQUIRE_FALSE(agent);
    return std::move(agent).error();
}

support::FakeReply says(std::string out, std::string err = {}) {
    support::FakeReply reply;
    reply.out = std::move(out);
    reply.err = std::move(err);
    return reply;
}

}  // namespace

TEST_CASE("when no place may execute, every place is named with its reason") {
    auto box =
        scripted_box({says("arch x86_64\nbad /home/u/.cache/drawhitch: programs may not run there (noexec)\n"
                           "bad /tmp/drawhitch-0: less than 4 MiB free\n")});
    const Error error = connect_error(box);
    CHECK(error.code == Code::noexec);
    CHECK(error.why.find("/home/u/.cache/drawhitch: programs may not run there") != std::string::npos);
    CHECK(error.why.find("/tmp/drawhitch-0") != std::string::npos);
}

TEST_CASE("a place that turns out to be full is passed over for the next, and the last failure is told") {
    auto box = scripted_box({says("arch x86_64\nplace /a\n"), says("failed write\n", "cat: No space left on device\n"),
                             says("arch x86_64\nplace /b\n"), says("failed run\n", "Permission denied\n"),
                             says("arch x86_64\n")});
    const Error error = connect_error(box);
    CHECK(error.code == Code::noexec);
    REQUIRE(box.calls().size() == 5);
    CHECK(box.calls()[1].input == "ELF");
    CHECK(box.calls()[2].script.find("T='/a'") != std::string::npos);
    CHECK(box.calls()[4].script.find("T='/a:/b'") != std::string::npos);
    auto full = scripted_box({says("arch x86_64\nplace /a\n"), says("failed write\n", "zstd: Disk quota exceeded\n"),
                              says("arch x86_64\n")});
    CHECK(connect_error(full).code == Code::no_space);
}

TEST_CASE("a shell that answers nonsense, and a connection that is lost, are told apart") {
    auto nonsense = scripted_box({says("% Invalid command\n")});
    CHECK(connect_error(nonsense).code == Code::shell_missing);
    support::FakeReply cut = says("arch x86_64\n");
    cut.error = Error{Code::link_lost, Retry::reconnect, "gone"};
    auto lost = scripted_box({cut});
    CHECK(connect_error(lost).code == Code::link_lost);
    CHECK(lost.calls().size() == 1);
    auto refused = scripted_box({});
    refused.refuse(Error{Code::auth, "no key"});
    CHECK(connect_error(refused).code == Code::auth);
}

namespace {

// A login shell in a mount namespace of its own where `mounts` were made; empty when this machine allows none.
std::string shell_with_mounts(const support::TempDir& dir, const std::string& mounts) {
    const std::string path = dir / "shell";
    const std::string probe = "unshare -rm true 2>/dev/null";
    if (std::system(probe.c_str()) != 0) return {};  // NOLINT(cert-env33-c): a constant
    support::write_file(path, "#!/bin/sh\nexec unshare -rm /bin/sh -c '" + mounts + " exec /bin/sh \"$@\"' sh \"$@\"\n",
                        0755);
    return path;
}

}  // namespace

TEST_CASE("on a box whose home is mounted noexec the helper goes where programs may run") {
    LocalBox box;
    fs::create_directories(box.home() + "/.cache");
    fs::create_directories(box.dir / "data");
    const std::string shell = shell_with_mounts(box.dir, "mount -t tmpfs -o noexec none \"$HOME/.cache\" || exit 99;");
    if (shell.empty()) support::skip_without("the right to make user and mount namespaces");
    transport::LocalTransport noexec_home(shell);
    const auto agent = Agent::connect(box.op, noexec_home, HelperImages::embedded(), {{}, box.dir / "data", {}});
    if (!agent) FAIL(agent.error().message << " (" << agent.error().why << ")");
    CHECK((*agent)->helper_path().starts_with(box.dir / "data/"));
}

TEST_CASE("on a box where nothing may execute the user is told which places were tried") {
    LocalBox box;
    const std::string shell = shell_with_mounts(box.dir,
                                                "mount -t tmpfs -o noexec none /dev/shm || exit 99;"
                                                "mount -t tmpfs -o noexec none /tmp || exit 99;");
    if (shell.empty()) support::skip_without("the right to make user and mount namespaces");
    transport::LocalTransport nowhere(shell);
    const auto agent = Agent::connect(box.op, nowhere, HelperImages::embedded(), {});
    REQUIRE_FALSE(agent);
    CHECK(agent.error().code == Code::noexec);
    for (const std::string place : {"/dev/shm/drawhitch-", "/tmp/drawhitch-"})
        CHECK(agent.error().why.find(place) != std::string::npos);
    CHECK(agent.error().why.find("noexec") != std::string::npos);
}
