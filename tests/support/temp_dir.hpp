// TempDir: a private directory that goes away with the test.
#pragma once

#include <string>
#include <string_view>

namespace drawhitch::support {

class TempDir {
  public:
    TempDir();
    ~TempDir();
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    // The absolute path of something below.
    [[nodiscard]] std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }
    // Leaves the directory behind, for a look after a failure.
    void keep() { keep_ = true; }

  private:
    std::string path_{};
    bool keep_{false};
};

// Whole files, for arranging and checking; they throw on failure, so that a test stops where its ground is not firm.
void write_file(const std::string& path, std::string_view content, unsigned mode = 0644);
std::string read_file(const std::string& path);

}  // namespace drawhitch::support
