#include "capabilities/clusters/lifecycle_script.h"

#include <fmt/core.h>

#include "base/digest.h"
#include "domain/cluster_key.h"

namespace instantstart::capabilities {
namespace {

// The 60 s after an error let the log reach CloudWatch before the instance is taken away.
constexpr std::string_view k_script = R"SCRIPT(#!/bin/bash
set -Eeuo pipefail
readonly LOG_DIR=/var/log/provision
readonly VOLUME=/opt/sagemaker
mkdir -p "$LOG_DIR"
exec > >(tee -a "$LOG_DIR/provisioning.log") 2>&1

on_error() {
  local code=$?
  echo "on_create: failed in line $1 with code $code"
  sync
  sleep 60
  exit 1
}
trap 'on_error $LINENO' ERR
echo "on_create: started $(date --utc +%FT%TZ)"

# The second volume of the group is mounted a little after boot; a group without one has no such device.
has_volume() { mountpoint --quiet "$VOLUME"; }
for attempt in $(seq 1 12); do
  if has_volume; then break; fi
  if [ "$(lsblk --noheadings --nodeps --output TYPE | grep --count '^disk$')" -lt 2 ]; then break; fi
  echo "on_create: waiting for $VOLUME ($attempt of 12)"
  sleep 5
done

move_to_volume() {
  local from=$1 to=$2
  if [ -L "$from" ]; then
    echo "on_create: $from is moved already"
    return
  fi
  mkdir -p "$to"
  if [ -d "$from" ]; then
    cp --archive "$from/." "$to/"
    rm -rf "$from"
  fi
  ln -s "$to" "$from"
}

if has_volume; then
  kubelet_state=$(systemctl is-active kubelet || true)
  systemctl stop kubelet containerd || true
  move_to_volume /var/lib/containerd "$VOLUME/containerd"
  move_to_volume /var/lib/kubelet "$VOLUME/kubelet"
  systemctl start containerd
  if [ "$kubelet_state" = active ]; then systemctl start kubelet; fi
  echo "on_create: images and ephemeral storage are on $VOLUME"
else
  echo "on_create: no second volume"
fi

# A first mount of FSx for Lustre does not wait for these.
modprobe lnet || true
modprobe lustre || true
echo "on_create: done $(date --utc +%FT%TZ)"
exit 0
)SCRIPT";

}  // namespace

std::string_view lifecycle_script() { return k_script; }

std::string lifecycle_bucket(const ClusterTarget& cluster) {
  const std::string digest = to_hex(sha256(domain::to_text(key_of(cluster))));
  return "sagemaker-instantstart-" + digest.substr(0, 24);
}

std::string lifecycle_prefix() { return fmt::format("lifecycle/{}/", to_hex(sha256(k_script))); }

std::string lifecycle_key() { return lifecycle_prefix() + std::string(k_on_create); }

std::string lifecycle_uri(const ClusterTarget& cluster) {
  return fmt::format("s3://{}/{}", lifecycle_bucket(cluster), lifecycle_prefix());
}

}  // namespace instantstart::capabilities
