#include "contract/caller.h"

namespace instantstart::contract {

Type describe(Role*) {
  return enum_type<Role>("Role", "What a principal may do; each role may do what the one before may.",
                         {{Role::viewer, {"viewer", "Look at everything."}},
                          {Role::operator_, {"operator", "Also change things."}},
                          {Role::admin, {"admin", "Also manage principals, tokens and policy."}}});
}

Type describe(Face*) {
  return enum_type<Face>("Face", "The way by which a call came in.",
                         {{Face::rest, {"rest", "The REST API or the web UI."}},
                          {Face::cli, {"cli", "The command line."}},
                          {Face::mcp, {"mcp", "An MCP client."}},
                          {Face::internal, {"internal", "The server itself."}}});
}

Type describe(PrincipalKind*) {
  return enum_type<PrincipalKind>("PrincipalKind", "What kind of caller a principal is.",
                                  {{PrincipalKind::person, {"person", "A person, or a script of theirs."}},
                                   {PrincipalKind::agent, {"agent", "An AI agent."}}});
}

}  // namespace instantstart::contract
