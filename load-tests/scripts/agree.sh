#!/usr/bin/env bash
# Shows that 'lab client' agrees with wrk and oha, if they are installed: rate within 1 %, median within 2 ms.
#
# Both send in a closed loop: each reports the rate that it reaches with 50 connections, and 'lab client' then sends at
# that rate by the clock. The target takes a fixed time for a request, so the rate does not depend on the client.
#
#   ./lab up                                                  # in another terminal
#   load-tests/scripts/agree.sh [http://127.0.0.1:8090/100]
set -euo pipefail

uri=${1:-http://127.0.0.1:8090/100}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
lab=${LAB:-$root/lab}
seconds=10
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
compared=0
differs=0

# Compares our figures with the other tool's rate (requests per second) and median (ms).
compare() {
  local name=$1 rate=$2 median=$3
  "$lab" client --uri "$uri" --requests-per-second "$rate" --duration "$seconds" --out "$results/$name.run" \
    >"$results/$name.txt" 2>"$results/$name.err" || { cat "$results/$name.err" >&2; exit 1; }
  compared=$((compared + 1))
  awk -v name="$name" -v rate="$rate" -v median="$median" '
    /^Latency since due/ { found = 1; next }
    found && NF > 6 {
      gsub(",", "", $(NF - 6)); gsub(",", "", $(NF - 5))
      ours = $(NF - 6); p50 = $(NF - 5)
      r = (ours / rate - 1) * 100; d = p50 - median
      ok = (r < 1 && r > -1 && d < 2 && d > -2)
      printf "%-5s %10.1f/s  p50 %8.2f ms\nours  %10.1f/s  p50 %8.2f ms  %+.2f %%  %+.2f ms: %s\n", name, rate, median,
        ours, p50, r, d, ok ? "agrees" : "DIFFERS"
      exit !ok
    }' "$results/$name.txt" || differs=1
}

if command -v wrk >/dev/null; then
  wrk -t1 -c50 -d"${seconds}s" --latency "$uri" >"$results/wrk.theirs"
  compare wrk "$(awk '/^Requests\/sec:/ { print $2 }' "$results/wrk.theirs")" "$(awk '
    $1 == "50%" { value = $2 + 0; print ($2 ~ /us$/) ? value / 1000 : ($2 ~ /ms$/) ? value : value * 1000 }' "$results/wrk.theirs")"
else
  echo "wrk is not installed"
fi
if command -v oha >/dev/null; then
  oha --no-tui -c 50 -z "${seconds}s" "$uri" >"$results/oha.theirs"
  compare oha "$(awk '/Requests\/sec:/ { print $2 }' "$results/oha.theirs")" "$(awk '
    $1 ~ /^50(\.00)?%$/ { print ($4 ~ /^ms/) ? $3 : $3 * 1000 }' "$results/oha.theirs")"
else
  echo "oha is not installed"
fi
if [ "$compared" = 0 ]; then
  echo "nothing to compare with: install wrk or oha" >&2
  exit 1
fi
exit "$differs"
