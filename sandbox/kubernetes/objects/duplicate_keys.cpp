#include "sandbox/kubernetes/objects/duplicate_keys.h"

#include <algorithm>
#include <set>

#include "base/json.h"

namespace instantstart::sandbox::kubernetes {
namespace {

struct Level {
  bool object = false;
  std::string path;
  std::string key;  ///< Of the value that comes.
  std::size_t index = 0;
  std::set<std::string> keys;
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<std::string> run() {
    while (position_ < text_.size()) step();
    return std::move(found_);
  }

 private:
  void step() {
    const char c = text_[position_];
    if (c == '"') {
      auto text = take_string();
      if (!levels_.empty() && levels_.back().object && key_due_) note_key(std::move(text));
      return;
    }
    ++position_;
    if (c == '{' || c == '[') {
      levels_.push_back({c == '{', value_path(), "", 0, {}});
      key_due_ = c == '{';
    } else if (c == '}' || c == ']') {
      levels_.pop_back();
      key_due_ = false;
    } else if (c == ',') {
      if (!levels_.empty()) ++levels_.back().index;
      key_due_ = !levels_.empty() && levels_.back().object;
    }
  }

  std::string value_path() const {
    if (levels_.empty()) return {};
    const auto& level = levels_.back();
    if (!level.object) return level.path + "[" + std::to_string(level.index) + "]";
    return level.path.empty() ? level.key : level.path + "." + level.key;
  }

  std::string take_string() {
    const auto start = position_++;
    bool escaped = false;
    while (position_ < text_.size() && text_[position_] != '"') {
      if (text_[position_] == '\\') {
        escaped = true;
        ++position_;
      }
      ++position_;
    }
    ++position_;
    const auto raw = text_.substr(start, std::min(position_, text_.size()) - start);
    if (!escaped) return std::string(raw.substr(1, raw.size() - 2));
    const auto parsed = parse_json(raw);
    return parsed && parsed->is_string() ? std::string(parsed->get_string()) : std::string(raw);
  }

  void note_key(std::string key) {
    auto& level = levels_.back();
    level.key = std::move(key);
    key_due_ = false;
    if (level.keys.insert(level.key).second) return;
    auto path = value_path();
    if (std::ranges::find(found_, path) == found_.end()) found_.push_back(std::move(path));
  }

  std::string_view text_;
  std::size_t position_ = 0;
  bool key_due_ = false;
  std::vector<Level> levels_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> duplicate_keys(std::string_view text) { return Scanner(text).run(); }

}  // namespace instantstart::sandbox::kubernetes
