"""Names and literals in C++."""

import html
import re

KEYWORDS = set("""
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept
    const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype
    default delete do double dynamic_cast else enum explicit export extern false float for friend
    goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq
    private protected public register reinterpret_cast requires return short signed sizeof static
    static_assert static_cast struct switch template this thread_local throw true try typedef typeid
    typename union unsigned using virtual void volatile wchar_t while xor xor_eq
    """.split())


def snake(name):
    """VpcId → vpc_id, SSECustomerKeyMD5 → sse_customer_key_md5, NotificationARNs → notification_arns."""
    name = re.sub(r"([A-Z]{2,})s(?=[A-Z]|$)", lambda m: m[1][0] + m[1][1:].lower() + "s", name)
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    name = re.sub(r"[^A-Za-z0-9]+", "_", name).lower()
    return name + "_" if name in KEYWORDS else name


def pascal(name):
    return name[0].upper() + name[1:]


def capitalised(name):
    return name[0].upper() + name[1:]


def literal(text):
    """A C++ string literal of printable ASCII. An escape ends its literal, so that it takes no digit along."""
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "?": "\\?"}
    parts = []
    for byte in text.encode("utf-8"):
        char = chr(byte)
        if char in escapes:
            parts.append(escapes[char])
        elif 32 <= byte < 127:
            parts.append(char)
        else:
            parts.append(f'\\x{byte:02x}""')
    return '"' + "".join(parts) + '"'


def sentence(documentation, limit=160):
    """The first sentence of a model's HTML, on one line; empty when there is none."""
    text = html.unescape(re.sub(r"<[^>]+>", " ", documentation or ""))
    text = re.sub(r"\s+", " ", text).strip()
    text = text.encode("ascii", "replace").decode().replace("\\", "/")
    text = re.sub(r" ([.,;:])", r"\1", text)
    first = re.match(r"(.+?\.)(?= [A-Z]|$)", text)
    text = first[1] if first else text
    if len(text) > limit:
        text = text[: limit - 3].rsplit(" ", 1)[0] + "..."
    return text
