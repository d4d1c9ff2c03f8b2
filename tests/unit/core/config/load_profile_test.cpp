#include "core/config/load_profile.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "support/paths.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using config::load_profile;

namespace {

// A profile with every key there is, in working order. Tests replace one piece of it.
const std::string k_full = R"(schema = 1

[platform]
id = "full"
name = "Full"
kind = "container"
version = "1"
verified_on = 2026-06-30
max_age_d = 100
confidence = "A"
currency = "EUR"

[ssh]
transport = "openssh"
user = "root"
port = 2222
keepalive_s = 30

[[storage]]
name = "box"
path = "/"
role = ["scratch"]
survives = ["restart"]
wiped_after_stop_h = 5.5
scope = "instance"
inode_cap = 200000
price_gb_month = 0.1
stopped_factor = 2.0
bills_after_destroy = false
shared_writers_safe = true
secrets_ok = false

[[storage]]
name = "net"
path = "/workspace"
role = ["data", "durable"]
survives = ["restart", "stop", "terminate"]
scope = "datacenter"
bills_after_destroy = true

[[storage]]
name = "memory"
path = "/dev/shm"
role = ["volatile"]
survives = []
scope = "instance"
bills_after_destroy = false

[paths]
data_dir = "/workspace"
durable_dir = "/workspace/keep"
volatile_dir = "/dev/shm"
scratch = ["*.tmp"]

[env]
PIP_CACHE_DIR = "/workspace/.cache/pip"

[meter]
grain_s = 1
os_poweroff_stops = true
egress_gb = 0.09
ingress_gb = -1
forgotten_warn_h = 12

[[meter.verb]]
name = "stop"
stops = ["compute"]
destroys = ["box"]
reversible = true
restart_risk = "gpu_may_be_lost"
leaves_billing = ["disk"]
manual = "Console."

[[meter.verb]]
name = "terminate"
stops = ["compute", "disk"]
destroys = ["box"]
reversible = false

[[clock]]
name = "stale"
starts_on = "stopped"
after_h = 720
effect = "wipe:box"
spares = ["net"]
warn_before_h = 24
src = "docs"
conf = "B"

[spot]
offered = true
notice_s = 5
signal = "TERM"
outcome = "stopped"

[detach]
prefer = ["systemd-run", "setsid"]

[cuda]
source = "image"
arch = ["x86_64"]

[limits]
ready_timeout_s = 900
poll_s = 15
max_connections = 4
helper_threads = 2
mfa = false

[match]
hosts = ["*.full.example"]
env = ["FULL_POD_ID"]

[[match.relay]]
hosts = ["ssh.full.example"]
text = "Paste the direct line."

[[gotcha]]
id = "F1"
symptom = "odd"
when = "ready"
act = "warn"
text = "Say so."
src = "docs"
conf = "C"
)";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

std::string messages(const config::Loaded<model::Profile>& loaded) {
    std::string text;
    for (const auto& problem : loaded.problems)
        text += problem.text() + "\n";
    return text;
}

std::string shipped(const std::string& id) {
    return support::read_file(support::source_dir() + "/profiles/" + id + ".toml");
}

}  // namespace

TEST_CASE("a profile with every key is read as it is written") {
    const auto loaded = load_profile(k_full, "full.toml", "full");
    INFO(messages(loaded));
    REQUIRE(loaded.ok());
    const model::Profile& profile = loaded.value;
    CHECK(profile.platform.kind == model::PlatformKind::container);
    CHECK(profile.platform.verified_on == model::Date{2026, 6, 30});
    CHECK(profile.platform.currency == "EUR");
    CHECK(profile.ssh.transport == model::TransportKind::openssh);
    CHECK(profile.ssh.port == 2222);
    REQUIRE(profile.storage.size() == 3);
    CHECK(profile.storage[0].wiped_after_stop_h == 5.5);
    CHECK(profile.storage[0].inode_cap == 200000);
    CHECK_FALSE(profile.storage[0].secrets_ok);
    CHECK(model::survives(profile.storage[1], model::Downtime::terminate));
    CHECK(profile.paths.durable_dir == "/workspace/keep");
    CHECK(profile.env.at("PIP_CACHE_DIR") == "/workspace/.cache/pip");
    const model::MeterVerb* stop = model::find_verb(profile, model::Verb::stop);
    REQUIRE(stop != nullptr);
    CHECK(stop->restart_risk == model::RestartRisk::gpu_may_be_lost);
    CHECK(stop->destroys == std::vector<std::string>{"box"});
    REQUIRE(profile.clocks.size() == 1);
    CHECK(profile.clocks[0].wiped == "box");
    CHECK(profile.spot.outcome == model::SpotOutcome::stopped);
    CHECK(profile.detach == std::vector{model::DetachDriver::systemd_run, model::DetachDriver::setsid});
    CHECK(profile.limits.helper_threads == 2);
    CHECK(profile.match.relays.at(0).text == "Paste the direct line.");
    CHECK(profile.gotchas.at(0).confidence == model::Confidence::c);
}

TEST_CASE("the shipped profiles are without a problem or a warning") {
    for (const std::string id : {"generic-ssh", "local"}) {
        const auto loaded = load_profile(shipped(id), id + ".toml", id);
        INFO(messages(loaded));
        CHECK(loaded.ok());
        CHECK(loaded.warnings.empty());
        CHECK(loaded.value.platform.id == id);
    }
}

TEST_CASE("a problem of a profile is told at its place, in words that name the key") {
    struct Row {
        std::string from{};
        std::string to{};
        std::string message{};
    };
    const std::vector<Row> rows = {
        {"schema = 1", "schema = 2", "full.toml:1:10: schema 2 is newer than this drawhitch knows (1)"},
        {"schema = 1", "", "'schema' is missing"},
        {"id = \"full\"", "id = \"Full\"", "full.toml:4:6: 'platform.id' may hold a-z, 0-9 and - only"},
        {"id = \"full\"", "id = \"other\"", "'platform.id' is 'other', but the file is named 'full'"},
        {"kind = \"container\"", "kind = \"contaner\"",
         "'platform.kind' knows no 'contaner', did you mean 'container'? (one of container vm"},
        {"currency =", "curency =", "full.toml:11:1: unknown key 'platform.curency', did you mean 'currency'?"},
        {"verified_on = 2026-06-30", "verified_on = \"2026-06-30\"",
         "'platform.verified_on' must be a date, not a string"},
        {"port = 2222", "port = 70000", "'ssh.port' is 70000, but must lie between 1 and 65535"},
        {"port = 2222", "port = 22.5", "'ssh.port' must be an integer, not a number"},
        {"user = \"root\"", "user = \"-oProxyCommand=x\"", "is no login name"},
        {"name = \"net\"", "name = \"box\"", "storage 'box' is there twice"},
        {"path = \"/workspace\"", "path = \"workspace\"", "'storage.path' 'workspace' is neither absolute nor under ~"},
        {"path = \"/workspace\"", "path = \"/workspace/../etc\"", "contains '..'"},
        {"survives = []", "survives = [\"stop\"]", "storage with the role 'volatile' survives neither"},
        {"survives = [\"restart\", \"stop\", \"terminate\"]", "survives = [\"restart\"]",
         "storage with the role 'durable' must survive 'stop' or 'terminate'"},
        {"data_dir = \"/workspace\"", "data_dir = \"/workspace/drawhitch/x\"", "drawhitch/<project> is added to it"},
        {"data_dir = \"/workspace\"", "data_dir = \"/workspace/{{project}}\"", "contains a placeholder"},
        {"data_dir = \"/workspace\"", "data_dir = \"/dev/shm/x\"", "'paths.data_dir' lies in memory"},
        {"durable_dir = \"/workspace/keep\"", "durable_dir = \"/opt\"",
         "storage 'box', which has not the role 'durable'"},
        {"volatile_dir = \"/dev/shm\"", "volatile_dir = \"/workspace\"", "has not the role 'volatile'"},
        {"scratch = [\"*.tmp\"]", "scratch = [\"*.{tmp,bak}\"]", "contains a brace"},
        {"PIP_CACHE_DIR", "HF_TOKEN", "variable 'HF_TOKEN' looks like a secret"},
        {"PIP_CACHE_DIR", "\"A B\"", "'A B' is no name of an environment variable"},
        {"destroys = [\"box\"]", "destroys = [\"bx\"]", "no storage is named 'bx', did you mean 'box'?"},
        {"destroys = [\"box\"]", "destroys = []", "storage 'box' does not survive stop, so 'destroys' must name it"},
        {"destroys = [\"box\"]", "destroys = [\"box\", \"net\"]",
         "stop destroys storage 'net', which says that it survives it"},
        {"name = \"terminate\"", "name = \"park\"", "'meter.verb' has no row named 'terminate'"},
        {"reversible = true", "reversible = \"yes\"", "'meter.verb.reversible' must be true or false, not a string"},
        {"effect = \"wipe:box\"", "effect = \"wipe:bux\"", "no storage is named 'bux'"},
        {"effect = \"wipe:box\"", "effect = \"wipe\"", "names no storage: write wipe:STORAGE"},
        {"spares = [\"net\"]", "spares = [\"nat\"]", "no storage is named 'nat'"},
        {"prefer = [\"systemd-run\", \"setsid\"]", "prefer = []", "names no way to start a run"},
        {"mfa = false", "mfa = true", "must be 1 where 'mfa' asks a person each time"},
        {"hosts = [\"*.full.example\"]", "hosts = [\"*\"]", "is no host pattern"},
        {"env = [\"FULL_POD_ID\"]", "env = [7]", "'match.env' must hold strings, not an integer"},
        {"act = \"warn\"", "", "'gotcha.act' is missing"},
        {"[detach]", "[detach]\nprefer = 1", "full.toml:"},
        {"[spot]", "[spott]", "unknown key 'spott', did you mean 'spot'?"},
        {"after_h = 720", "after_h = inf", "'clock.after_h' is inf, but must lie between"},
        {"name = \"Full\"", "name = \"\xff\"", "full.toml:5:"},
    };
    for (const Row& row : rows) {
        const auto loaded = load_profile(replaced(k_full, row.from, row.to), "full.toml", "full");
        INFO(row.to << "\n" << messages(loaded));
        CHECK_FALSE(loaded.ok());
        CHECK(messages(loaded).find(row.message) != std::string::npos);
    }
}

TEST_CASE("docs/profiles.md explains every key of a profile") {
    const std::string page = support::read_file(support::source_dir() + "/docs/profiles.md");
    std::size_t keys = 0;
    for (std::size_t at = 0; at < k_full.size();) {
        const std::size_t end = k_full.find('\n', at);
        const std::string line = k_full.substr(at, end - at);
        at = end + 1;
        const std::size_t equals = line.find(" = ");
        if (equals == std::string::npos || line.starts_with("PIP_CACHE_DIR")) continue;
        const std::string key = line.substr(0, equals);
        INFO(line);
        CHECK((page.find("`" + key + "`") != std::string::npos || page.find("." + key + "`") != std::string::npos));
        ++keys;
    }
    CHECK(keys > 70);
}

TEST_CASE("all problems of a profile are told at once, in one error") {
    std::string text = replaced(k_full, "port = 2222", "port = 0");
    text = replaced(text, "currency =", "curency =");
    text = replaced(text, "spares = [\"net\"]", "spares = [\"nat\"]");
    const auto loaded = load_profile(text, "full.toml", "full");
    REQUIRE(loaded.problems.size() == 3);
    const Error error = config::problems_error(loaded.problems);
    CHECK(error.code == Code::config);
    CHECK(error.message == "full.toml has 3 problems");
    CHECK(std::count(error.why.begin(), error.why.end(), '\n') == 2);
}

TEST_CASE("an unknown key is found in every table of a profile") {
    std::size_t tables = 0;
    for (std::size_t at = k_full.find('['); at != std::string::npos; at = k_full.find("\n[", at + 1)) {
        const std::size_t line_end = k_full.find('\n', at + 1);
        const std::string header = k_full.substr(at, line_end - at);
        if (header.find("[env]") != std::string::npos) continue;  // any name may stand there
        std::string text = k_full;
        text.insert(line_end + 1, "zzz_unknown = 1\n");
        const auto loaded = load_profile(text, "full.toml", "full");
        INFO(header << "\n" << messages(loaded));
        REQUIRE(loaded.problems.size() == 1);
        CHECK(loaded.problems[0].message.find("unknown key") == 0);
        ++tables;
    }
    CHECK(tables == 17);
}

TEST_CASE("no prefix of a profile and no flipped byte does more than make problems") {
    for (const std::string& text : {k_full, shipped("generic-ssh"), shipped("local")}) {
        for (std::size_t size = 0; size < text.size(); ++size) {
            const auto loaded = load_profile(std::string_view(text).substr(0, size), "cut.toml", "");
            for (const auto& problem : loaded.problems)
                REQUIRE_FALSE(problem.message.empty());
        }
        for (std::size_t at = 0; at < text.size(); at += 3) {
            std::string flipped = text;
            flipped[at] = static_cast<char>(flipped[at] ^ 0x15);
            (void)load_profile(flipped, "flipped.toml", "");
        }
    }
}

TEST_CASE("a path belongs to the tier with the longest matching components, and to the weaker of two that share it") {
    const auto loaded = load_profile(k_full, "full.toml", "full");
    model::Profile profile = loaded.value;
    const auto tier = [&](std::string_view path) {
        const model::Storage* found = model::storage_of(profile, path);
        return found == nullptr ? std::string("none") : found->name;
    };
    CHECK(tier("/workspace/a/b") == "net");
    CHECK(tier("/workspace") == "net");
    CHECK(tier("/workspace2/a") == "box");
    CHECK(tier("//workspace//a/") == "net");
    CHECK(tier("~/x") == "box");
    CHECK(tier("") == "none");
    profile.storage.push_back(profile.storage[1]);
    profile.storage.back().name = "volume";
    profile.storage.back().survives = {model::Downtime::restart};
    CHECK(tier("/workspace/a") == "volume");
    profile.storage.push_back(profile.storage[0]);
    profile.storage.back().name = "home";
    profile.storage.back().path = "~";
    CHECK(tier("~/x") == "home");
    profile.storage.erase(profile.storage.begin());
    CHECK(tier("/elsewhere") == "none");
}

TEST_CASE("the age of verified facts counts whole days") {
    constexpr std::int64_t k_day = 86400;
    CHECK(config::age_days({1970, 1, 1}, WallTime{0, 0}) == 0);
    CHECK(config::age_days({2026, 6, 30}, WallTime{1782777600, 0}) == 0);  // 2026-06-30T00:00:00Z
    CHECK(config::age_days({2026, 6, 30}, WallTime{1782777600 + 120 * k_day + 5, 0}) == 120);
    CHECK(config::age_days({2026, 6, 30}, WallTime{1782777599, 0}) == -1);
    CHECK(config::age_days({2024, 2, 29}, WallTime{1709251200, 0}) == 1);  // 2024-03-01
    CHECK(config::age_days({1970, 1, 1}, WallTime{-1, 0}) == -1);
}
