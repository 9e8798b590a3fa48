"""Evaluates a service's endpoint rule set (endpoint-rule-set-1.json in the botocore wheel).

The language: https://smithy.io/2.0/additional-specs/rules-engine/specification.html. Rules are tried in
order; a function that gives false or nothing fails its rule; what a condition assigns is seen by the rule's
own sub-rules only.
"""

import re

_LABEL = re.compile(r"^(?!-)[a-zA-Z\d-]{1,63}(?<!-)$")
_IPV4 = re.compile(r"^\d{1,3}(\.\d{1,3}){3}$")
_INDEXED = re.compile(r"^(\w*)\[(\d+)\]$")
_REFERENCE = re.compile(r"\{([^{}]+)\}")


class NoEndpoint(Exception):
    """The rules refuse the parameters; the text is theirs."""


class RuleSet:
    def __init__(self, rule_set, partitions):
        self._rules = rule_set["rules"]
        self._parameters = rule_set["parameters"]
        self._partitions = partitions["partitions"]

    def resolve(self, **parameters):
        """-> {"url", "properties"}; raises NoEndpoint."""
        scope = {}
        for name, spec in self._parameters.items():
            value = parameters.get(name, spec.get("default"))
            if value is not None:
                scope[name] = value
        for rule in self._rules:
            found = self._try(rule, dict(scope))
            if found:
                return found
        raise NoEndpoint("No rule fits these parameters")

    def _try(self, rule, scope):
        for condition in rule.get("conditions", []):
            result = self._call(condition, scope)
            if result is None or result is False:
                return None
        kind = rule["type"]
        if kind == "error":
            raise NoEndpoint(self._value(rule["error"], scope))
        if kind == "endpoint":
            endpoint = rule["endpoint"]
            return {
                "url": self._value(endpoint["url"], scope),
                "properties": self._deep(endpoint.get("properties", {}), scope),
            }
        for sub_rule in rule["rules"]:
            found = self._try(sub_rule, dict(scope))
            if found:
                return found
        return None

    def _deep(self, value, scope):
        if isinstance(value, dict):
            return {key: self._deep(item, scope) for key, item in value.items()}
        if isinstance(value, list):
            return [self._deep(item, scope) for item in value]
        return self._value(value, scope)

    def _value(self, value, scope):
        if isinstance(value, dict):
            return self._call(value, scope) if "fn" in value else scope.get(value["ref"])
        if isinstance(value, str):
            return _REFERENCE.sub(lambda match: str(self._path(match.group(1), scope)), value)
        return value

    @staticmethod
    def _path(reference, scope):
        value = scope
        for part in reference.split("#"):
            value = value[part]
        return value

    def _call(self, call, scope):
        arguments = [self._value(argument, scope) for argument in call["argv"]]
        result = self._functions()[call["fn"]](*arguments)
        if "assign" in call:
            scope[call["assign"]] = result
        return result

    def _functions(self):
        return {
            "isSet": lambda value: value is not None,
            "not": lambda value: not value,
            "booleanEquals": lambda a, b: a is b,
            "stringEquals": lambda a, b: a == b,
            "getAttr": _get_attribute,
            "substring": _substring,
            "isValidHostLabel": _is_host_label,
            "aws.isVirtualHostableS3Bucket": lambda value, dots: (
                3 <= len(value or "")
                and value == value.lower()
                and not _IPV4.match(value)
                and _is_host_label(value, dots)
            ),
            "aws.partition": self._partition,
            "aws.parseArn": _parse_arn,
        }

    def _partition(self, region):
        for partition in self._partitions:
            if region in partition["regions"] or re.match(partition["regionRegex"], region):
                return dict(partition["outputs"], name=partition["id"])
        first = self._partitions[0]
        return dict(first["outputs"], name=first["id"])


def _get_attribute(value, path):
    for part in path.split("."):
        indexed = _INDEXED.match(part)
        if not indexed:
            value = value[part]
            continue
        name, index = indexed.group(1), int(indexed.group(2))
        value = value.get(name) if name else value
        return value[index] if value is not None and index < len(value) else None
    return value


def _substring(value, start, stop, reverse):
    if start >= stop or len(value) < stop or not value.isascii():
        return None
    return value[len(value) - stop : len(value) - start] if reverse else value[start:stop]


def _is_host_label(value, dots):
    if value is None:
        return False
    labels = value.split(".") if dots else [value]
    return all(_LABEL.match(label) for label in labels)


def _parse_arn(value):
    parts = (value or "").split(":", 5)
    if len(parts) < 6 or parts[0] != "arn" or not (parts[1] and parts[2] and parts[5]):
        return None
    return {
        "partition": parts[1],
        "service": parts[2],
        "region": parts[3],
        "accountId": parts[4],
        "resourceId": parts[5].replace(":", "/").split("/"),
    }
