// Rules of pods and of what holds a pod template (pkg/apis/core/validation).
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "sandbox/kubernetes/objects/json_access.h"
#include "sandbox/kubernetes/objects/kind_rules.h"
#include "sandbox/kubernetes/objects/quantity.h"
#include "sandbox/kubernetes/objects/validate.h"

namespace instantstart::sandbox::kubernetes {
namespace {

const std::vector<std::string> k_pull_policies = {"Always", "IfNotPresent", "Never"};
const std::vector<std::string> k_protocols = {"TCP", "UDP", "SCTP"};
const std::vector<std::string> k_dns_policies = {"ClusterFirst", "ClusterFirstWithHostNet", "Default",
                                                 "None"};
constexpr std::int64_t k_max_port = 65535;

bool one_of(const std::vector<std::string>& allowed, const std::string& value) {
  return std::ranges::find(allowed, value) != allowed.end();
}

void check_ports(const json::object& container, const std::string& field, StatusCauses& causes) {
  const auto* ports = array_at(container, "ports");
  for (std::size_t i = 0; ports && i < ports->size(); ++i) {
    const auto* port = (*ports)[i].if_object();
    if (!port) continue;
    const auto place = fmt::format("{}.ports[{}]", field, i);
    const auto number = integer_at(*port, "containerPort");
    if (number == 0) {
      causes.push_back(field_required(place + ".containerPort"));
    } else if (number < 1 || number > k_max_port) {
      causes.push_back(field_invalid(place + ".containerPort", json::value(number),
                                     "must be between 1 and 65535, inclusive"));
    }
    const auto protocol = text_at(*port, "protocol");
    if (!protocol.empty() && !one_of(k_protocols, protocol)) {
      causes.push_back(field_not_supported(place + ".protocol", json::value(protocol), k_protocols));
    }
  }
}

void check_resources(const json::object& container, const std::string& field, StatusCauses& causes) {
  const auto* resources = object_at(container, "resources");
  const auto* limits = resources ? object_at(*resources, "limits") : nullptr;
  const auto* requests = resources ? object_at(*resources, "requests") : nullptr;
  const auto amount = [](const json::value& value) {
    return Quantity::parse(value.is_string() ? std::string(value.get_string()) : to_text(value))
        .value_or(Quantity());
  };
  for (const auto& [list, name] : {std::pair(limits, "limits"), std::pair(requests, "requests")}) {
    if (!list) continue;
    for (const auto& [key, value] : *list) {
      if (amount(value) < Quantity()) {
        causes.push_back(field_invalid(fmt::format("{}.resources.{}[{}]", field, name, std::string_view(key)),
                                       value, "must be greater than or equal to 0"));
      }
    }
  }
  if (!limits || !requests) return;
  for (const auto& [key, value] : *requests) {
    const auto* limit = at(*limits, key);
    const auto place = fmt::format("{}.resources.requests", field);
    const bool countable = std::string_view(key).find('/') != std::string_view::npos;
    if (limit && amount(value) > amount(*limit)) {
      causes.push_back(field_invalid(place, value,
                                     fmt::format("must be less than or equal to {} limit of {}",
                                                 std::string_view(key), amount(*limit).to_text())));
    } else if (countable && limit && amount(value) != amount(*limit)) {
      causes.push_back(field_invalid(
          place, value,
          fmt::format("must be equal to {} limit of {}", std::string_view(key), amount(*limit).to_text())));
    }
  }
}

void check_mounts(const json::object& container, const std::string& field,
                  const std::set<std::string>& volumes, StatusCauses& causes) {
  const auto* mounts = array_at(container, "volumeMounts");
  std::set<std::string> paths;
  for (std::size_t i = 0; mounts && i < mounts->size(); ++i) {
    const auto* mount = (*mounts)[i].if_object();
    if (!mount) continue;
    const auto place = fmt::format("{}.volumeMounts[{}]", field, i);
    const auto name = text_at(*mount, "name");
    const auto path = text_at(*mount, "mountPath");
    if (name.empty()) {
      causes.push_back(field_required(place + ".name"));
    } else if (!volumes.contains(name)) {
      causes.push_back(
          {"FieldValueNotFound", fmt::format("Not found: {}", to_text(json::value(name))), place + ".name"});
    }
    if (path.empty()) causes.push_back(field_required(place + ".mountPath"));
    if (!path.empty() && !paths.insert(path).second) {
      causes.push_back(field_invalid(place + ".mountPath", json::value(path), "must be unique"));
    }
  }
}

void check_environment(const json::object& container, const std::string& field, StatusCauses& causes) {
  const auto* variables = array_at(container, "env");
  for (std::size_t i = 0; variables && i < variables->size(); ++i) {
    const auto* variable = (*variables)[i].if_object();
    if (variable && text_at(*variable, "name").empty())
      causes.push_back(field_required(fmt::format("{}.env[{}].name", field, i)));
    const auto* from = variable ? object_at(*variable, "valueFrom") : nullptr;
    if (from && !text_at(*variable, "value").empty()) {
      causes.push_back(field_invalid(fmt::format("{}.env[{}].valueFrom", field, i), json::value(""),
                                     "may not be specified when `value` is not empty"));
    }
  }
}

void check_container(const json::object& container, const std::string& field,
                     const std::set<std::string>& volumes, std::set<std::string>& names,
                     StatusCauses& causes) {
  const auto name = text_at(container, "name");
  if (name.empty()) {
    causes.push_back(field_required(field + ".name"));
  } else if (auto why = check_dns1123_label(name); !why.empty()) {
    causes.push_back(field_invalid(field + ".name", json::value(name), why));
  } else if (!names.insert(name).second) {
    causes.push_back(field_duplicate(field + ".name", json::value(name)));
  }
  const auto image = text_at(container, "image");
  if (image.empty()) {
    causes.push_back(field_required(field + ".image"));
  } else if (image.front() == ' ' || image.back() == ' ') {
    causes.push_back(
        field_invalid(field + ".image", json::value(image), "must not have leading or trailing whitespace"));
  }
  const auto policy = text_at(container, "imagePullPolicy");
  if (!policy.empty() && !one_of(k_pull_policies, policy)) {
    causes.push_back(field_not_supported(field + ".imagePullPolicy", json::value(policy), k_pull_policies));
  }
  check_ports(container, field, causes);
  check_environment(container, field, causes);
  check_mounts(container, field, volumes, causes);
  check_resources(container, field, causes);
}

std::set<std::string> check_volumes(const json::object& spec, const std::string& field,
                                    StatusCauses& causes) {
  std::set<std::string> names;
  const auto* volumes = array_at(spec, "volumes");
  for (std::size_t i = 0; volumes && i < volumes->size(); ++i) {
    const auto* volume = (*volumes)[i].if_object();
    if (!volume) continue;
    const auto place = fmt::format("{}.volumes[{}]", field, i);
    const auto name = text_at(*volume, "name");
    if (name.empty()) {
      causes.push_back(field_required(place + ".name"));
    } else if (auto why = check_dns1123_label(name); !why.empty()) {
      causes.push_back(field_invalid(place + ".name", json::value(name), why));
    } else if (!names.insert(name).second) {
      causes.push_back(field_duplicate(place + ".name", json::value(name)));
    }
    if (volume->size() > 2)
      causes.push_back(field_forbidden(place, "may not specify more than 1 volume type"));
    if (volume->size() < 2) causes.push_back(field_required(place, "must specify a volume type"));
  }
  return names;
}

}  // namespace

void check_pod_spec(const json::object& spec, const std::string& field,
                    const std::vector<std::string>& restart_policies, StatusCauses& causes) {
  const auto volumes = check_volumes(spec, field, causes);
  std::set<std::string> names;
  const auto* containers = array_at(spec, "containers");
  if (!containers || containers->empty()) causes.push_back(field_required(field + ".containers"));
  for (const auto list : {"containers", "initContainers"}) {
    const auto* items = array_at(spec, list);
    for (std::size_t i = 0; items && i < items->size(); ++i) {
      const auto place = fmt::format("{}.{}[{}]", field, list, i);
      if (const auto* container = (*items)[i].if_object())
        check_container(*container, place, volumes, names, causes);
    }
  }
  const auto restart = text_at(spec, "restartPolicy");
  if (!one_of(restart_policies, restart)) {
    causes.push_back(field_not_supported(field + ".restartPolicy", json::value(restart), restart_policies));
  }
  const auto dns = text_at(spec, "dnsPolicy");
  if (!dns.empty() && !one_of(k_dns_policies, dns)) {
    causes.push_back(field_not_supported(field + ".dnsPolicy", json::value(dns), k_dns_policies));
  }
  if (integer_at(spec, "terminationGracePeriodSeconds") < 0) {
    causes.push_back(field_invalid(field + ".terminationGracePeriodSeconds",
                                   spec.at("terminationGracePeriodSeconds"),
                                   "must be greater than or equal to 0"));
  }
  if (const auto* deadline = at(spec, "activeDeadlineSeconds");
      deadline && integer_at(spec, "activeDeadlineSeconds") < 1) {
    causes.push_back(field_invalid(field + ".activeDeadlineSeconds", *deadline,
                                   "must be between 1 and 2147483647, inclusive"));
  }
  const auto account = text_at(spec, "serviceAccountName");
  if (auto why = account.empty() ? std::string() : check_dns1123_subdomain(account); !why.empty()) {
    causes.push_back(field_invalid(field + ".serviceAccountName", json::value(account), why));
  }
}

void check_pod_update(const json::object& before, const json::object& after, StatusCauses& causes) {
  const auto* old = object_at(before, "spec");
  const auto* fresh = object_at(after, "spec");
  if (!old || !fresh) return;
  // The comparison is made as if the fields that may change had not.
  json::object compared = *fresh;
  for (const auto list : {"containers", "initContainers"}) {
    auto* items = array_at(compared, list);
    const auto* old_items = array_at(*old, list);
    for (std::size_t i = 0; items && old_items && i < items->size() && i < old_items->size(); ++i) {
      auto* item = (*items)[i].if_object();
      const auto* old_item = (*old_items)[i].if_object();
      if (item && old_item && old_item->contains("image")) (*item)["image"] = old_item->at("image");
    }
  }
  for (const auto key : {"activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds", "nodeName",
                         "schedulingGates"}) {
    const auto* was = at(*old, key);
    const bool named = std::string_view(key) == "nodeName" && was && !is_zero(*was);
    if (named) continue;  // Bound once, bound for good.
    compared.erase(key);
    if (was) compared[key] = *was;
  }
  if (compared == *old) return;
  causes.push_back(
      field_forbidden("spec",
                      "pod updates may not change fields other than `spec.containers[*].image`,"
                      "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
                      "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to "
                      "be set to 1 if it was previously negative)"));
}

}  // namespace instantstart::sandbox::kubernetes
