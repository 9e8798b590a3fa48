"""Writes one service's C++: structs in a header, tables in a source file."""

import math

from names import capitalised, literal, pascal, sentence, snake

CPP_TYPES = {
    "string": "std::string",
    "integer": "std::int64_t",
    "number": "double",
    "boolean": "bool",
    "timestamp": "Timestamp",
    "blob": "Blob",
}
LOCATIONS = {
    "uri": "uri",
    "querystring": "query",
    "header": "header",
    "headers": "header_map",
    "statusCode": "status_code",
}
# AWS names its reads so; its models mark them only in a few services.
READS = ("Describe", "Filter", "Get", "Head", "List", "Lookup", "Search", "Simulate", "Validate")
TIMESTAMPS = {"iso8601": "iso8601", "rfc822": "rfc822", "unixTimestamp": "epoch_seconds"}


def cpp_namespace(service):
    return service.replace("-", "_")


def index(services):
    """The header and source that list all services."""
    namespaces = [cpp_namespace(name) for name in services]
    header = [
        "// Every generated service.",
        "#pragma once",
        "",
        "#include <span>",
        "",
        '#include "aws/shapes/shape.h"',
        "",
        "namespace instantstart::aws {",
        "",
        "/// By name.",
        "std::span<const ServiceInfo* const> all_services();",
        "/// nullptr when nothing is generated for it.",
        "const ServiceInfo* find_service(std::string_view name);",
        "",
        "}  // namespace instantstart::aws",
        "",
    ]
    source = ['#include "aws/shapes/services.h"', ""]
    source += [f'#include "aws/shapes/{namespace}.h"' for namespace in sorted(namespaces)]
    source += [
        "",
        "namespace instantstart::aws {",
        "",
        "std::span<const ServiceInfo* const> all_services() {",
        "  static const ServiceInfo* const services[] = {",
        *[f"      &{cpp_namespace(name)}::service()," for name in sorted(services)],
        "  };",
        "  return services;",
        "}",
        "",
        "const ServiceInfo* find_service(std::string_view name) {",
        "  for (const ServiceInfo* service : all_services()) {",
        "    if (service->name == name) return service;",
        "  }",
        "  return nullptr;",
        "}",
        "",
        "}  // namespace instantstart::aws",
        "",
    ]
    return "\n".join(header), "\n".join(source)


class Emitter:
    def __init__(self, service):
        self.service = service
        self.namespace = cpp_namespace(service.name)
        self.namespaces = []  # the XML namespaces met while the tables are written
        self._check_names()

    def _check_names(self):
        """Structs and operations share one namespace, the members of a struct another."""
        taken = {"Service": "the service"}
        for name in [*self.service.structures(), *self.service.operations]:
            if pascal(name) in taken:
                raise ValueError(f"{self.service.name}: {name} and {taken[pascal(name)]} have one C++ name")
            taken[pascal(name)] = name
        for name in self.service.structures():
            fields = [snake(member) for member in self.service.shapes[name].get("members", {})]
            twice = {field for field in fields if fields.count(field) > 1}
            if twice:
                raise ValueError(f"{self.service.name} {name}: two members are called {twice.pop()}")

    # -- types --

    def cpp_type(self, name):
        kind = self.service.kind(name)
        if kind == "structure":
            return pascal(name)
        if kind == "list":
            return f"std::vector<{self.cpp_type(self.service.shapes[name]['member']['shape'])}>"
        if kind == "map":
            return f"std::map<std::string, {self.cpp_type(self.service.shapes[name]['value']['shape'])}>"
        return CPP_TYPES[kind]

    def member_type(self, structure, member, reference):
        holder = "Recursive" if (structure, member) in self.service.recursive else "std::optional"
        return f"{holder}<{self.cpp_type(reference['shape'])}>"

    def header(self):
        service = self.service
        lines = [
            f"// {service.metadata['serviceFullName']} ({service.name} {service.metadata['apiVersion']}).",
            "// Generated from botocore's model by tools/aws_shapes/generate.py; do not edit.",
            "#pragma once",
            "",
            '#include "aws/shapes/shape.h"',
            "",
            f"namespace instantstart::aws::{self.namespace} {{",
            "",
        ]
        if any(name in service._closure(name) for name in service.structures()):
            lines += [f"struct {pascal(name)};" for name in service.structures()] + [""]
        for name in service.structures():
            lines += self.structure(name)
        for name, operation in service.operations.items():
            lines += self.operation_tag(name, operation)
        lines += [
            "const ServiceInfo& service();",
            "",
            f"}}  // namespace instantstart::aws::{self.namespace}",
            "",
        ]
        return "\n".join(lines)

    def structure(self, name):
        shape = self.service.shapes[name]
        lines = self.doc(shape)
        lines.append(f"struct {pascal(name)} {{")
        for member, reference in shape.get("members", {}).items():
            doc = sentence(reference.get("documentation"))
            declaration = f"  {self.member_type(name, member, reference)} {snake(member)};"
            lines.append(f"{declaration}  ///< {doc}" if doc else declaration)
        return lines + ["};", f"const ShapeInfo& shape_info(const {pascal(name)}*);", ""]

    def operation_tag(self, name, operation):
        return self.doc(operation) + [
            f"struct {name} {{",
            f"  using Input = {self.part_type(operation, 'input')};",
            f"  using Output = {self.part_type(operation, 'output')};",
            "  static const OperationInfo& info();",
            "};",
            "",
        ]

    @staticmethod
    def doc(documented):
        text = sentence(documented.get("documentation"))
        return [f"/// {text}"] if text else []

    @staticmethod
    def part_type(operation, part):
        return pascal(operation[part]["shape"]) if part in operation else "Empty"

    # -- tables --

    def source(self):
        service = self.service
        lines = [
            "// Generated from botocore's model by tools/aws_shapes/generate.py; do not edit.",
            f'#include "aws/shapes/{self.namespace}.h"',
            "",
            "#include <cstddef>",
            "",
            '#include "aws/shapes/access.h"',
            "",
            "// The structs have no base and no virtual function, so offsetof is well defined for them.",
            '#pragma clang diagnostic ignored "-Winvalid-offsetof"',
            "",
            f"namespace instantstart::aws::{self.namespace} {{",
            "namespace {",
            "",
            "extern const ServiceInfo k_service;",
        ]
        lines += [f"extern const ShapeInfo k_{name};" for name in service.order]
        lines += [f"extern const OperationInfo k_operation_{name};" for name in service.operations]
        tables = [line for name in service.order for line in self.shape_table(name)]
        for name in service.errors():
            tables += self.error_table(name)
        for name, operation in service.operations.items():
            tables += self.operation_table(name, operation)
        for index, (uri, prefix) in enumerate(self.namespaces):
            lines.append(
                f"constexpr XmlNamespace k_xml_namespace_{index}{{{literal(uri)}, {literal(prefix)}}};"
            )
        lines += ["", *tables]
        lines += self.service_table()
        lines += ["}  // namespace", ""]
        for name in service.structures():
            lines.append(f"const ShapeInfo& shape_info(const {pascal(name)}*) {{ return k_{name}; }}")
        for name in service.operations:
            lines.append(f"const OperationInfo& {name}::info() {{ return k_operation_{name}; }}")
        lines += ["const ServiceInfo& service() { return k_service; }", ""]
        lines += [f"}}  // namespace instantstart::aws::{self.namespace}", ""]
        return "\n".join(lines)

    def shape_table(self, name):
        shape = self.service.shapes[name]
        kind = self.service.kind(name)
        lines = []
        fields = [f".name = {literal(name)}", f".kind = ShapeKind::{kind}"]
        if shape.get("sensitive"):
            fields.append(".sensitive = true")
        if shape.get("union"):
            fields.append(".is_union = true")
        if shape.get("exception"):
            fields.append(".is_error = true")
        fields += self.limits(shape)
        if "enum" in shape:
            lines += self.text_array(f"k_{name}_values", shape["enum"])
            fields.append(f".values = k_{name}_values")
        if shape.get("members"):
            lines += self.member_array(name, shape)
            fields.append(f".members = k_{name}_members")
        if "payload" in shape:
            fields.append(f".payload = &k_{name}_members[{list(shape['members']).index(shape['payload'])}]")
        if kind == "map":
            fields.append(f".key = {self.element(shape['key'])}")
            fields.append(f".element = {self.element(shape['value'])}")
            fields.append(f".map = &k_map<{self.cpp_type(name)}>")
        if kind == "list":
            fields.append(f".element = {self.element(shape['member'])}")
            fields.append(f".list = &k_list<{self.cpp_type(name)}>")
        if kind == "structure" and name in self.rooted():
            fields.append(f".lifetime = &k_lifetime<{pascal(name)}>")
        return lines + [f"constinit const ShapeInfo k_{name}{{{', '.join(fields)}}};"]

    def rooted(self):
        operations = self.service.operations.values()
        parts = [
            operation[part] for operation in operations for part in ("input", "output") if part in operation
        ]
        return {part["shape"] for part in parts} | set(self.service.errors())

    @staticmethod
    def limits(shape):
        fields = []
        for bound in ("min", "max"):
            if bound in shape and math.isfinite(float(shape[bound])):
                fields.append(f".{bound} = {float(shape[bound])!r}")
        if "pattern" in shape:
            fields.append(f".pattern = {literal(shape['pattern'])}")
        return [f".limits = {{{', '.join(fields)}}}"] if fields else []

    def element(self, reference):
        merged = self.service.reference(reference)
        wire = self.wire(merged, merged.get("locationName", ""), merged.get("locationName", ""))
        return f"{{.shape = &k_{reference['shape']}, .wire = {wire}}}"

    def member_array(self, name, shape):
        lines = [f"constexpr MemberInfo k_{name}_members[] = {{"]
        for member, reference in shape["members"].items():
            lines.append(f"    {{{', '.join(self.member(name, shape, member, reference))}}},")
        return lines + ["};"]

    def member(self, structure, shape, member, reference):
        merged = self.service.reference(reference)
        wire_name = merged.get("locationName", member)
        cpp = f"{pascal(structure)}::{snake(member)}"
        fields = [
            f".name = {literal(member)}",
            f".shape = &k_{reference['shape']}",
            f".wire = {self.wire(merged, wire_name, self.form_name(merged, member))}",
            f".offset = offsetof({pascal(structure)}, {snake(member)})",
            f".holder = &k_holder<decltype({cpp})>",
        ]
        if "location" in merged:
            fields.append(f".location = Location::{LOCATIONS[merged['location']]}")
        if member in shape.get("required", []):
            fields.append(".required = true")
        if shape.get("payload") == member:
            fields.append(".payload = true")
        if merged.get("idempotencyToken"):
            fields.append(".idempotency_token = true")
        return fields

    def form_name(self, merged, member):
        if self.service.protocol == "ec2":
            if "queryName" in merged:
                return merged["queryName"]
            return capitalised(merged["locationName"]) if "locationName" in merged else member
        return merged.get("locationName", member)

    def wire(self, merged, name, form_name):
        fields = [f".name = {literal(name)}"] if name else []
        if form_name and self.service.protocol in ("query", "ec2"):
            fields.append(f".form_name = {literal(form_name)}")
        if "timestampFormat" in merged:
            fields.append(f".timestamp = TimestampFormat::{TIMESTAMPS[merged['timestampFormat']]}")
        if merged.get("flattened"):
            fields.append(".flattened = true")
        if merged.get("xmlAttribute"):
            fields.append(".xml_attribute = true")
        if "xmlNamespace" in merged:
            fields.append(f".xml_namespace = &{self.namespace_constant(merged['xmlNamespace'])}")
        return "{" + ", ".join(fields) + "}"

    def namespace_constant(self, given):
        namespace = given if isinstance(given, dict) else {"uri": given}
        fields = (namespace["uri"], namespace.get("prefix", ""))
        if fields not in self.namespaces:
            self.namespaces.append(fields)
        return f"k_xml_namespace_{self.namespaces.index(fields)}"

    @staticmethod
    def text_array(name, texts):
        return [f"constexpr std::string_view {name}[] = {{{', '.join(literal(text) for text in texts)}}};"]

    def error_table(self, name):
        shape = self.service.shapes[name]
        error = shape.get("error", {})
        retryable = shape.get("retryable")
        fields = [
            f".code = {literal(self.service.error_code(name))}",
            f".shape = &k_{name}",
            f".http_status = {error.get('httpStatusCode', 500 if shape.get('fault') else 400)}",
        ]
        if error.get("senderFault"):
            fields.append(".sender_fault = true")
        if retryable is not None:
            fields.append(".retryable = true")
        if (retryable or {}).get("throttling"):
            fields.append(".throttling = true")
        return [f"constinit const ErrorInfo k_error_{name}{{{', '.join(fields)}}};"]

    def operation_table(self, name, operation):
        lines = []
        http = operation["http"]
        override = self.service.overrides.get(name, {})
        fields = [
            ".service = &k_service",
            f".name = {literal(name)}",
            f".method = {literal(http['method'])}",
            f".uri = {literal(http['requestUri'])}",
            f".response_code = {http.get('responseCode', 200)}",
            f".input = &{self.part_table(operation, 'input')}",
            f".output = &{self.part_table(operation, 'output')}",
            f".has_output = {'true' if 'output' in operation else 'false'}",
            f".result_wrapper = {literal(operation.get('output', {}).get('resultWrapper', ''))}",
            f".request_root = {literal(self.root(operation, 'input', name))}",
            f".request_namespace = {self.request_namespace(operation)}",
            f".response_root = {literal(override.get('response_root', self.root(operation, 'output', name)))}",
        ]
        errors = sorted(
            {error["shape"] for error in operation.get("errors", [])}, key=self.service.error_code
        )
        if errors:
            pointers = ", ".join(f"&k_error_{error}" for error in errors)
            lines.append(f"constexpr const ErrorInfo* k_errors_of_{name}[] = {{{pointers}}};")
            fields.append(f".errors = k_errors_of_{name}")
        page_lines, page_fields = self.pages(name)
        lines += page_lines
        fields.append(f".pagination = {{{', '.join(page_fields)}}}")
        token = self.input_member(operation, lambda _, merged: merged.get("idempotencyToken"))
        fields.append(f".idempotency_token = {token}")
        checksum = operation.get("httpChecksum", {})
        chooser = checksum.get("requestAlgorithmMember")
        algorithm = self.input_member(operation, lambda member, _: member == chooser)
        fields.append(f".checksum_algorithm = {algorithm}")
        required = checksum.get("requestChecksumRequired") or operation.get("httpChecksumRequired")
        fields.append(f".checksum_required = {'true' if required else 'false'}")
        fields.append(f".unwrapped_output = {'true' if override.get('unwrapped_output') else 'false'}")
        read_only = name.startswith(READS) or override.get("read_only")
        fields.append(f".read_only = {'true' if read_only else 'false'}")
        fields.append(f".unsigned_request = {'true' if operation.get('authtype') == 'none' else 'false'}")
        return lines + [f"constinit const OperationInfo k_operation_{name}{{{', '.join(fields)}}};"]

    @staticmethod
    def part_table(operation, part):
        return f"k_{operation[part]['shape']}" if part in operation else "k_empty_shape"

    def root(self, operation, part, name):
        """The element that the body is; S3's and the query services' own where the model leaves it open."""
        if self.service.protocol in ("query", "ec2"):
            return f"{name}Response" if part == "output" else ""
        if self.service.protocol != "rest-xml" or part not in operation:
            return ""
        shape = self.service.shapes[operation[part]["shape"]]
        merged = self.service.reference(self.body_reference(operation, part))
        return merged.get("locationName", shape.get("payload", operation[part]["shape"]))

    def body_reference(self, operation, part):
        """The use of the shape that a document of rest-xml is: the payload member, or the whole structure."""
        shape = self.service.shapes[operation[part]["shape"]]
        return shape["members"][shape["payload"]] if "payload" in shape else operation[part]

    def request_namespace(self, operation):
        if self.service.protocol != "rest-xml" or "input" not in operation:
            return "nullptr"
        merged = self.service.reference(self.body_reference(operation, "input"))
        if "xmlNamespace" not in merged:
            return "nullptr"
        return f"&{self.namespace_constant(merged['xmlNamespace'])}"

    def pages(self, name):
        page = self.service.pagination(name)
        if not page:
            return [], []
        lines, fields = [], []
        for field, names in zip(("input_tokens", "output_tokens", "result_keys"), page):
            if names:
                lines += self.text_array(f"k_{field}_of_{name}", names)
                fields.append(f".{field} = k_{field}_of_{name}")
        for field, text in zip(("limit_key", "more_results"), page[3:]):
            if text:
                fields.append(f".{field} = {literal(text)}")
        return lines, fields

    def input_member(self, operation, chosen):
        if "input" in operation:
            name = operation["input"]["shape"]
            for index, (member, reference) in enumerate(self.service.shapes[name].get("members", {}).items()):
                if chosen(member, self.service.reference(reference)):
                    return f"&k_{name}_members[{index}]"
        return "nullptr"

    def service_table(self):
        service, metadata = self.service, self.service.metadata
        operations = ", ".join(f"&k_operation_{name}" for name in service.operations)
        lines = [f"constexpr const OperationInfo* k_operations[] = {{{operations}}};"]
        fields = [
            f".name = {literal(service.name)}",
            f".id = {literal(metadata['serviceId'])}",
            f".protocol = Protocol::{service.protocol.replace('-', '_')}",
            f".api_version = {literal(metadata['apiVersion'])}",
            f".signing_name = {literal(metadata.get('signingName', metadata['endpointPrefix']))}",
            f".endpoint_prefix = {literal(metadata['endpointPrefix'])}",
            f".global_endpoint = {literal(metadata.get('globalEndpoint', ''))}",
            f".json_version = {literal(metadata.get('jsonVersion', ''))}",
            f".target_prefix = {literal(metadata.get('targetPrefix', ''))}",
            f".xml_namespace = {literal(service.xml_namespace)}",
            f".query_compatible = {'true' if 'awsQueryCompatible' in metadata else 'false'}",
            ".operations = k_operations",
        ]
        if service.errors():
            pointers = ", ".join(f"&k_error_{name}" for name in service.errors())
            lines.append(f"constexpr const ErrorInfo* k_errors[] = {{{pointers}}};")
            fields.append(".errors = k_errors")
        return lines + [f"constinit const ServiceInfo k_service{{{', '.join(fields)}}};"]
