#include "cli/structure_cell.hpp"

#include "core/parse/structure.hpp"

namespace drawhitch::cli {

term::Cell structure_cell(std::string_view path, model::Structure structure) {
    term::Cell cell = term::Cell::text(model::name_of(structure));
    if (structure != model::Structure::unknown_format || parse::has_known_ending(path)) return cell;
    cell.human = term::Cell::none().human;
    cell.plain = term::Cell::none().plain;
    return cell;
}

}  // namespace drawhitch::cli
