#include "core/config/shared_sections.hpp"

#include "core/config/rate.hpp"

namespace drawhitch::config {

std::vector<std::string> read_argv(Reader& table, std::string_view key) {
    std::vector<std::string> argv;
    for (const Text& word : table.texts(key)) {
        if (argv.empty() && word.text.empty()) table.problem(word.at, table.named(key) + " names no program");
        if (word.text.find('\0') != std::string::npos)
            table.problem(word.at, table.named(key) + " contains a NUL byte");
        argv.push_back(word.text);
    }
    return argv;
}

model::Connection read_connection(Reader& root) {
    model::Connection connection;
    Reader table = root.table("connection");
    connection.transport = table.optional_word<model::TransportKind>("transport");
    connection.max_connections = table.optional_integer("max_connections", {1, 64});
    connection.connect_timeout_s = table.optional_integer("connect_timeout_s", {1, 3600});
    connection.stall_timeout_s = table.optional_integer("stall_timeout_s", {5, 3600});
    connection.poll_s = table.optional_integer("poll_s", {1, 3600});
    connection.bandwidth = table.optional_text("bandwidth");
    if (connection.bandwidth && !parse_rate(*connection.bandwidth)) {
        table.problem(table.at("bandwidth"), table.named("bandwidth") + " takes " + std::string{k_rate_words});
        connection.bandwidth.reset();
    }
    table.finish();
    return connection;
}

std::vector<std::string> read_notify(Reader& root) {
    Reader table = root.table("notify");
    std::vector<std::string> argv = read_argv(table, "command");
    table.finish();
    return argv;
}

}  // namespace drawhitch::config
