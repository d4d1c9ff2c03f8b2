#include "cli/lease_view.hpp"

#include <cstdio>

#include "base/text.hpp"

namespace drawhitch::cli {

using term::Cell;
using term::Json;

Cell state_cell(model::LeaseState state) {
    const std::string_view name = model::name_of(state);
    const bool doubtful = state == model::LeaseState::unconfirmed;
    return Cell::value(name, std::string{name} + (doubtful ? " (may still bill)" : ""));
}

Cell money_cell(const std::optional<double>& amount, const std::string& currency) {
    if (!amount) return Cell::none();
    char text[64];
    std::snprintf(text, sizeof text, "%.2f", *amount);
    Cell cell = Cell::value(Json{*amount}, std::string{text} + " " + currency);
    cell.plain = text;
    return cell;
}

Cell time_cell(WallTime at, WallTime now) {
    return at == WallTime{} ? Cell::none() : Cell::time(at, now);
}

Cell clocks_cell(const std::vector<flow::ClockView>& clocks, WallTime now) {
    std::vector<std::string> words;
    Json list = Json::array();
    for (const flow::ClockView& clock : clocks) {
        words.push_back(clock.effect + (clock.at ? " " + Cell::time(*clock.at, now).human : " at an unknown time"));
        Json object = Json::object();
        object.set("name", clock.name).set("effect", clock.effect).set("close", clock.close);
        if (clock.at) {
            object.set_time("at", *clock.at, now);
        } else {
            object.set("at", Json{});
        }
        list.push(object);
    }
    return Cell::value(std::move(list), join(words, "; "));
}

Cell risks_cell(const std::vector<flow::RiskView>& risks) {
    std::vector<std::string> words;
    Json list = Json::array();
    for (const flow::RiskView& risk : risks) {
        words.push_back(risk.reason);
        list.push(Json::object().set("run", risk.run).set("reason", risk.reason));
    }
    return Cell::value(std::move(list), join(words, "; "));
}

std::string endpoint_text(const model::Endpoint& endpoint) {
    if (endpoint.transport == model::TransportKind::local) return "this machine";
    const std::string where = (endpoint.user.empty() ? "" : endpoint.user + "@") + endpoint.host;
    const std::string port = endpoint.port == 22 ? "" : " port " + std::to_string(endpoint.port);
    const std::string alias = endpoint.alias.empty() ? "" : " (ssh alias " + endpoint.alias + ")";
    return printable(where + port + alias);
}

Json endpoint_json(const model::Endpoint& endpoint) {
    Json object = Json::object();
    object.set("transport", model::name_of(endpoint.transport)).set("host", Json::name(endpoint.host));
    object.set("port", endpoint.port).set("user", Json::name(endpoint.user));
    object.set("alias", endpoint.alias.empty() ? Json{} : Json::name(endpoint.alias));
    return object.set("identity_file", endpoint.identity_file.empty() ? Json{} : Json::name(endpoint.identity_file));
}

}  // namespace drawhitch::cli
