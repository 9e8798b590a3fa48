#!/bin/sh
# `make run`: starts the server on port 3099 and leaves it running until Ctrl-C. With CI=true it uses a free port and a state directory of
# its own, shows what the command line answers, stops the server and exits 0.
set -eu
program=${1:?usage: tools/run PROGRAM}

if [ "${CI:-}" != true ]; then
  exec "$program" serve --verbose
fi

state=$(mktemp -d)/state
"$program" serve --state-dir "$state" --port 0 &
server=$!
trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -rf "$(dirname "$state")"' EXIT
while [ ! -e "$state/server.json" ]; do
  kill -0 "$server" 2>/dev/null || { echo "run: the server did not start" >&2; exit 1; }
  sleep 0.05
done
"$program" operation list --state-dir "$state"
kill "$server"
wait "$server"
echo "run: the server started, answered and stopped."
