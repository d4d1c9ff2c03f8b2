#include "cli/push_view.hpp"

#include <string>
#include <vector>

#include "base/op.hpp"
#include "base/text.hpp"
#include "flow/local_tree.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

using term::Json;

Json left_out_json(const std::vector<plan::LeftOut>& files) {
    Json list = Json::array();
    for (const plan::LeftOut& file : files) {
        list.push(Json::object().set("path", Json::name(file.path)).set("reason", file.reason));
    }
    return list;
}

}  // namespace

void tell_what_stays(const Op& op, term::Output& out, const flow::LocalTree& tree) {
    for (const plan::LeftOut& file : tree.held_back) {
        op.warn("held back: " + printable(file.path) + " (" + file.reason + "; `[push] allow_secrets` lets it go)");
    }
    for (const plan::LeftOut& file : tree.left_out) {
        op.warn("left out: " + printable(file.path) + " (" + file.reason + ")");
    }
    for (const plan::LeftOut& file : tree.remarks) {
        op.note(printable(file.path) + ": " + file.reason);
    }
    Json followed = Json::array();
    for (const flow::FollowedLink& link : tree.followed) {
        op.note(printable(link.path) + ": the link is followed to " + printable(link.target) +
                (link.files == 1 ? "" : " (" + counted(link.files, "file") + ")"));
        followed.push(Json::object()
                          .set("path", Json::name(link.path))
                          .set("target", Json::name(link.target))
                          .set("files", link.files));
    }
    for (const flow::FlawedFile& file : tree.flawed) {
        for (const parse::Flaw flaw : file.flaws) {
            const std::string text = printable(file.path) + ": " + std::string{parse::describe(flaw)};
            file.fixed ? op.note(text + " (fixed in what was pushed)")
                       : op.warn(text + " (`push --fix-eol` or `[push] fix_eol = true` repairs what is pushed)");
        }
    }
    Json flawed = Json::array();
    for (const flow::FlawedFile& file : tree.flawed) {
        Json flaws = Json::array();
        for (const parse::Flaw flaw : file.flaws) {
            flaws.push(parse::describe(flaw));
        }
        flawed.push(Json::object().set("path", Json::name(file.path)).set("flaws", flaws).set("fixed", file.fixed));
    }
    out.json("held_back", left_out_json(tree.held_back));
    out.json("left_out", left_out_json(tree.left_out));
    out.json("followed", followed);
    out.json("flawed", flawed);
}

}  // namespace drawhitch::cli
