#include "cli/run.hpp"

int main(int argc, char** argv) {
    return drawhitch::cli::main(argc, argv);
}
