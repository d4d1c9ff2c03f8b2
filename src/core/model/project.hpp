// Project and Settings: what drawhitch.toml and config.toml say (docs/project-file.md explains every key). Values only:
// config/load_project.hpp makes them from text and checks them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model/lease.hpp"
#include "core/model/roster.hpp"

namespace drawhitch::model {

// A name in the work tree that points to data lying elsewhere on the box.
struct Link {
    std::string name{};
    std::string target{};  // absolute, or "~/…"
};

// Links of the pushed tree that lead outside of it: left out and named, copied as links, or followed.
enum class OutsideLinks { skip, copy, follow };
// FIFOs, sockets, devices, unreadable files: named and left out, or the push is refused.
enum class SpecialFiles { warn, error };

struct PushRules {
    std::vector<std::string> exclude{};        // .gitignore lines, above all ignore files
    std::vector<std::string> allow_secrets{};  // globs of secret-looking files that may go all the same; needs trust
    std::uint64_t max_file_bytes{100'000'000};
    std::uint64_t max_total_bytes{1'000'000'000};
    bool fix_eol{false};
    OutsideLinks outside_links{OutsideLinks::skip};
    SpecialFiles special_files{SpecialFiles::warn};
};

struct EnvRules {
    std::string activate{};                // one shell line, part of the visible launch command
    std::string setup{};                   // shell script that builds the environment once per key
    std::vector<std::string> key_files{};  // files whose contents make the key
    std::vector<std::string> pass{};       // names of the laptop's variables that go to the run; needs trust
    std::vector<std::string> record{};     // names whose values the run record may keep
    std::map<std::string, std::string> vars{};
};

struct RunRules {
    int grace_s{30};           // between TERM and KILL
    std::string keep_on{};     // "" or "durable"
    std::string on_settled{};  // command on the box per settled unit; needs trust
};

struct PullRules {
    std::string dir{"pulls"};               // relative to the project
    std::vector<std::string> verify_cmd{};  // argv on the laptop, run for each unit; needs trust
    int verify_timeout_s{3600};             // for one run of it
};

struct Guard {
    std::optional<double> budget{};  // in the profile's currency
    std::optional<double> deadline_h{};
    std::optional<int> idle_min{};
};

// What both files may tune; unset = the next layer down decides (config/resolve.hpp).
struct Connection {
    std::optional<TransportKind> transport{};
    std::optional<int> max_connections{};
    std::optional<int> connect_timeout_s{};
    std::optional<int> stall_timeout_s{};
    std::optional<int> poll_s{};
    std::optional<std::string> bandwidth{};  // as written; config::parse_rate accepts it
};

struct Project {
    std::string name{};     // is_plain_name; "" = made from the directory's name
    std::string profile{};  // "" = from the box's lease
    std::string box{};
    Roster out{};
    std::vector<std::string> persist{};  // directories kept in <root>/shared and linked into every work tree
    std::vector<Link> links{};
    PushRules push{};
    EnvRules env{};
    RunRules run{};
    PullRules pull{};
    Guard guard{};
    std::vector<std::string> notify_command{};  // argv on the laptop; needs trust
    Connection connection{};
};

enum class Color { automatic, always, never };

// The user's own defaults, config.toml.
struct Settings {
    std::optional<std::string> profile{};
    std::optional<Color> color{};
    std::optional<bool> plain{};
    std::optional<bool> no_input{};
    std::optional<std::string> log_file{};
    std::optional<int> timeout_s{};
    std::vector<std::string> notify_command{};
    Connection connection{};
};

}  // namespace drawhitch::model
