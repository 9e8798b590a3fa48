#!/usr/bin/env python3
"""Writes the table by which the simulated API server reads protobuf bodies: generate.py API APIMACHINERY OUTPUT

API and APIMACHINERY are folders of the Go modules k8s.io/api and k8s.io/apimachinery of one release (`go mod download -json
k8s.io/api@v0.36.3` names them). Numbers and types come from generated.proto, JSON names from the tags in types.go. Only
messages that a served kind leads to are kept. OUTPUT is committed: it changes with a Kubernetes release, not with a build.
"""

import pathlib
import re
import sys

ROOTS = """
core.v1: Binding ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolumeClaim PersistentVolume Pod PodTemplate
  ReplicationController ResourceQuota Secret ServiceAccount Service
apps.v1: ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet
authentication.v1: SelfSubjectReview TokenReview TokenRequest
authorization.v1: LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview
autoscaling.v1: HorizontalPodAutoscaler Scale
autoscaling.v2: HorizontalPodAutoscaler
batch.v1: CronJob Job
coordination.v1: Lease
discovery.v1: EndpointSlice
events.v1: Event
networking.v1: IngressClass Ingress NetworkPolicy
policy.v1: PodDisruptionBudget Eviction
rbac.v1: ClusterRoleBinding ClusterRole RoleBinding Role
scheduling.v1: PriorityClass
storage.v1: CSIDriver CSINode StorageClass VolumeAttachment
meta.v1: DeleteOptions
"""

PREFIXES = [("k8s.io.api.", ""), ("k8s.io.apimachinery.pkg.apis.", ""), ("k8s.io.apimachinery.pkg.", "")]
FIELD = re.compile(r"^\s*(optional|repeated|required)?\s*(map<\w+, ?[\w.]+>|[\w.]+)\s+(\w+)\s*=\s*(\d+);")
TAG = re.compile(r'^\s*(\w+)?\s*([\w.\[\]*]+)?\s*`json:"([^"]*)" .*?protobuf:"[^"]*name=(\w+)[^"]*"')


def short(name: str) -> str:
    for prefix, replacement in PREFIXES:
        name = name.removeprefix(prefix) if name.startswith(prefix) else name
    return name


def read_proto(path: pathlib.Path, messages: dict) -> None:
    package, message = "", ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if found := re.match(r"package ([\w.]+);", line):
            package = short(found[1])
        elif found := re.match(r"message (\w+)", line):
            message = f"{package}.{found[1]}"
            messages[message] = []
        elif found := FIELD.match(line):
            label, kind, name, number = found.groups()
            key = "repeated " if label == "repeated" else ""
            if kind.startswith("map<"):
                key, kind = "map ", kind[4:-1].split(",")[1].strip()
            kind = kind.lstrip(".")
            if kind[0].isupper():
                kind = f"{package}.{kind}"
            messages[message].append((int(number), name, key, short(kind)))


def read_tags(path: pathlib.Path, package: str, tags: dict) -> None:
    struct = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if found := re.match(r"type (\w+) struct", line):
            struct = found[1]
        elif found := TAG.match(line):
            go_type = found[2] or found[1] or ""
            tags[f"{package}.{struct}", found[4]] = (found[3], go_type.startswith("*"))


def main() -> int:
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    messages, tags = {}, {}
    for module in map(pathlib.Path, sys.argv[1:3]):
        for proto in sorted(module.rglob("generated.proto")):
            read_proto(proto, messages)
            package = short("k8s.io." + re.search(r"k8s\.io/(.*)", str(proto.parent))[1].split("@")[0] + "." + ".".join(
                proto.parent.relative_to(module).parts))
            for source in proto.parent.glob("*.go"):
                if not source.name.startswith("zz_") and source.name != "generated.pb.go":
                    read_tags(source, package, tags)
    roots = []
    for line in re.sub(r"\n\s+", " ", ROOTS).strip().splitlines():
        group, kinds = line.split(":")
        roots += [f"{group}.{kind}" for kind in kinds.split()]
    kept, todo = {}, roots
    while todo:
        name = todo.pop()
        if name in kept or name not in messages:
            continue
        rows = []
        for number, field, key, kind in messages[name]:
            json_tag, pointer = tags.get((name, field), (field, False))
            json_name = json_tag.split(",")[0] or "-"
            keep = pointer or "omitempty" not in json_tag
            rows.append(f"{number} {json_name} {'+' if keep else '.'} {key}{kind}")
            todo.append(kind)
        kept[name] = rows
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        out.write("// Made by tools/kubernetes_protobuf/generate.py from the Go modules k8s.io/api and k8s.io/apimachinery\n"
                  "// (Apache License 2.0); not to be edited. protobuf_table.h says how to read it.\n"
                  '#include "sandbox/kubernetes/api/protobuf_table.h"\n\n'
                  "namespace instantstart::sandbox::kubernetes {\n\n// clang-format off\n"
                  "const std::span<const ProtobufMessageText> k_protobuf_messages = [] {\n"
                  "  static constexpr ProtobufMessageText messages[] = {\n")
        for name in sorted(kept):
            out.write(f'    {{"{name}", "{";".join(kept[name])}"}},\n')
        out.write("  };\n  return std::span<const ProtobufMessageText>(messages);\n}();\n// clang-format on\n\n"
                  "}  // namespace instantstart::sandbox::kubernetes\n")
    print(f"{len(kept)} messages, {sum(map(len, kept.values()))} fields")
    return 0


if __name__ == "__main__":
    sys.exit(main())
