#include "sandbox/app/ports.h"

#include "base/decode.h"
#include "base/json.h"

namespace instantstart::sandbox {

Type describe(Ports*) {
  using P = Ports;
  return object_type<P>(
      "Ports", "Where the sandbox listens.",
      {field<&P::aws>("aws", "The services of AWS.", {.defaulted = true, .rule = {.min = 0, .max = 65535}}),
       field<&P::kubernetes>("kubernetes", "The API servers.",
                             {.defaulted = true, .rule = {.min = 0, .max = 65535}})});
}

Ports read_ports(const store::StateDirectory& state) {
  const auto text = store::read_private_file(state.path(), k_ports_file);
  if (!text) return {};
  const auto value = parse_json(*text);
  if (!value) return {};
  const auto ports = decode<Ports>(*value);
  return ports ? *ports : Ports();
}

Result<> write_ports(const store::StateDirectory& state, const Ports& ports) {
  return state.write_private_file(k_ports_file, to_text(encode(ports)));
}

}  // namespace instantstart::sandbox
