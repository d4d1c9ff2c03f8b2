# Every library of others, each as one interface target dep_NAME. A good system package is preferred; what the
# distribution has too old comes from .deps/, which scripts/setup fills. Nothing is downloaded unless DRAWHITCH_FETCH
# is on.
find_package(PkgConfig REQUIRED)
set(DRAWHITCH_DEPS ${PROJECT_SOURCE_DIR}/.deps CACHE PATH "Where scripts/setup puts the libraries it builds")
set_property(GLOBAL PROPERTY dependency_lines "")

function(note_dependency name text)
  string(SUBSTRING "${name}                    " 0 16 padded)
  set_property(GLOBAL APPEND PROPERTY dependency_lines "  ${padded}${text}")
endfunction()

function(print_dependency_summary)
  get_property(lines GLOBAL PROPERTY dependency_lines)
  list(JOIN lines "\n" text)
  message(STATUS "Dependencies:\n${text}")
endfunction()

# dependency_by_pkgconfig(NAME MODULE MINIMUM)
function(dependency_by_pkgconfig name module minimum)
  pkg_check_modules(${name} REQUIRED IMPORTED_TARGET ${module}>=${minimum})
  add_library(dep_${name} INTERFACE)
  target_link_libraries(dep_${name} INTERFACE PkgConfig::${name})
  note_dependency(${name} "${${name}_VERSION} (system)")
endfunction()

# dependency_by_config(NAME PACKAGE MINIMUM TARGET)
function(dependency_by_config name package minimum target)
  find_package(${package} ${minimum} CONFIG REQUIRED)
  add_library(dep_${name} INTERFACE)
  target_link_libraries(dep_${name} INTERFACE ${target})
  note_dependency(${name} "${${package}_VERSION} (system)")
endfunction()

dependency_by_pkgconfig(nettle nettle 3.7)
dependency_by_pkgconfig(xxhash libxxhash 0.8)
dependency_by_pkgconfig(zstd libzstd 1.4)
dependency_by_pkgconfig(zlib zlib 1.2.11)
dependency_by_pkgconfig(sqlite sqlite3 3.37)
dependency_by_pkgconfig(curl libcurl 7.80)
# toml++ is compiled into the one file that uses it, without exceptions: the shared library that distributions ship was
# built with them.
find_package(tomlplusplus 3.0 CONFIG REQUIRED)
add_library(dep_toml INTERFACE)
target_include_directories(dep_toml SYSTEM INTERFACE
                           $<TARGET_PROPERTY:tomlplusplus::tomlplusplus,INTERFACE_INCLUDE_DIRECTORIES>)
note_dependency(toml "${tomlplusplus_VERSION} (system headers)")
dependency_by_config(json nlohmann_json 3.10 nlohmann_json::nlohmann_json)
dependency_by_config(cli11 CLI11 2.1 CLI11::CLI11)
dependency_by_config(spdlog spdlog 1.9 spdlog::spdlog)

# libssh2: 1.11.1 with the distribution's security patches. 1.11.0 works too and is taken only where a distribution
# patches it and nothing newer could be had.
add_library(dep_ssh2 INTERFACE)
pkg_check_modules(system_ssh2 QUIET IMPORTED_TARGET libssh2>=1.11.0)
if(EXISTS ${DRAWHITCH_DEPS}/lib/cmake/libssh2)
  # Built by scripts/setup because the system's lacks patches, which its version number does not tell.
  find_package(libssh2 CONFIG REQUIRED PATHS ${DRAWHITCH_DEPS} NO_DEFAULT_PATH)
  target_link_libraries(dep_ssh2 INTERFACE libssh2::libssh2_static)
  note_dependency(ssh2 "${libssh2_VERSION} (.deps)")
elseif(system_ssh2_FOUND AND system_ssh2_VERSION VERSION_GREATER_EQUAL 1.11.1)
  target_link_libraries(dep_ssh2 INTERFACE PkgConfig::system_ssh2)
  note_dependency(ssh2 "${system_ssh2_VERSION} (system)")
elseif(system_ssh2_FOUND)
  target_link_libraries(dep_ssh2 INTERFACE PkgConfig::system_ssh2)
  note_dependency(ssh2 "${system_ssh2_VERSION} (system; 1.11.1 is better: run scripts/setup)")
else()
  message(FATAL_ERROR "libssh2 1.11 is missing: run scripts/setup, or install it and set PKG_CONFIG_PATH")
endif()

if(DRAWHITCH_TESTS)
  find_package(Catch2 3.4 CONFIG QUIET)
  if(NOT Catch2_FOUND)
    find_package(Catch2 3.4 CONFIG QUIET PATHS ${DRAWHITCH_DEPS} NO_DEFAULT_PATH)
  endif()
  if(NOT Catch2_FOUND AND DRAWHITCH_FETCH)
    include(FetchContent)
    FetchContent_Declare(
      Catch2 URL https://github.com/catchorg/Catch2/archive/refs/tags/v3.7.1.tar.gz
      URL_HASH SHA256=c991b247a1a0d7bb9c39aa35faf0fe9e19764213f28ffba3109388e62ee0269c SYSTEM)
    FetchContent_MakeAvailable(Catch2)
    set(Catch2_VERSION 3.7.1)
    set(Catch2_FOUND TRUE)
  endif()
  if(NOT Catch2_FOUND)
    message(FATAL_ERROR "Catch2 3.4 is missing: run scripts/setup, or configure with -DDRAWHITCH_FETCH=ON")
  endif()
  note_dependency(catch2 "${Catch2_VERSION}")
endif()
