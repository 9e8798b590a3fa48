#include "capabilities/network/recent_blocks.h"

namespace instantstart::capabilities {
namespace {

constexpr std::size_t k_most = 16;

}  // namespace

std::vector<domain::Cidr> RecentBlocks::of_others(const domain::ClusterKey& key) const {
  std::vector<domain::Cidr> blocks;
  for (const auto& entry : entries_) {
    const bool same_place = entry.key.account == key.account && entry.key.region == key.region;
    if (same_place && entry.key.name != key.name) blocks.push_back(entry.block);
  }
  return blocks;
}

void RecentBlocks::remember(const domain::ClusterKey& key, const domain::Cidr& block) {
  std::erase_if(entries_, [&key](const Entry& entry) { return entry.key == key; });
  entries_.push_back({key, block});
  if (entries_.size() > k_most) entries_.pop_front();
}

}  // namespace instantstart::capabilities
