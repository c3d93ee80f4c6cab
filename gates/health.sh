#!/bin/sh
# Runs the gates of agent.config.ts. Exit 0: healthy. Exit 1: blockers; a worker gets what is printed here
# in its prompt. Edit it freely; --json and --format are passed on.
cd "$(dirname "$0")/.." || exit 1
if [ ! -f dist/scripts/nightshift.js ]; then
  echo "gates: NO CHECK RAN: Nightshift is not built; run: npm ci" >&2
  exit 1
fi
exec node dist/scripts/nightshift.js gate "$@"
