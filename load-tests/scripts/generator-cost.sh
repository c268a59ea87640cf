#!/usr/bin/env bash
# CPU time per request that the load generator adds to the engine's own, in ms, from pairs of runs.
#
# OrdersSimulation and BareSimulation place the same orders at the same gateway. Each runs with many orders and with few,
# and the difference of its CPU time is divided by the difference of the orders, so that the start of the JVM and the
# warm-up do not count. The goal is at most 0.1 ms.
#
#   ./lab up                                                          # in another terminal
#   load-tests/scripts/generator-cost.sh [pairs] [http://127.0.0.1:8081] [http://127.0.0.1:8090]
set -euo pipefail

pairs=${1:-5}
gateway=${2:-http://127.0.0.1:8081}
backend=${3:-http://127.0.0.1:8090}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
unpacked=$root/load-tests/target/lab
java=${JAVA:-java}
few=5000
many=25000
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

[ -d "$unpacked" ] || { echo "run ./lab once first: it unpacks load-tests.jar" >&2; exit 1; }
"$java" -version 2>&1 | grep -q '"25' || { echo "JAVA must name a java of a JDK 25" >&2; exit 1; }

behave() {
  curl -sf -o "$results/answer" -X PUT "$backend/behaviour" -H 'Content-Type: application/json' -d "{\"delay\":{\"kind\":\"fixed\",\"millis\":$1},
    \"errorStatus\":503,\"capacity\":{\"model\":\"unlimited\"}}" || { echo "no backend at $backend: ./lab up" >&2; exit 1; }
}

# CPU seconds of one run: user and system time of the process and its children.
run() {
  local TIMEFORMAT='%U %S'
  { time "$java" --add-opens=java.base/java.lang=ALL-UNNAMED -Xmx512m -XX:+UseParallelGC \
    -Dlogback.configurationFile=lab-logback.xml -Dgatling.data.writers.0=file -Dgateway.url="$gateway" -Dbackend.url="$backend" \
    -Dmodes=sync -Dreset=true -Dusers=400 -Dorders="$2" -Dresults="$results/outcomes" -cp "$unpacked/BOOT-INF/classes:$unpacked/BOOT-INF/lib/*" \
    io.gatling.app.Gatling --simulation "dev.sluice.lab.kit.load.$1" --results-folder "$results" --no-reports \
    >"$results/output" 2>&1; } 2>"$results/time" || { cat "$results/output" >&2; exit 1; }
  awk '{ print $1 + $2 }' "$results/time"
}

# CPU time per request, in ms.
cost() {
  local less more
  less=$(run "$1" "$few") || exit 1
  more=$(run "$1" "$many") || exit 1
  awk -v less="$less" -v more="$more" -v orders=$((many - few)) 'BEGIN { printf "%.4f\n", (more - less) * 1000 / orders }'
}

behave 50

echo "CPU ms a request: ours, the engine's own, the difference"
for ((i = 0; i < pairs; i++)); do
  if ((i % 2)); then first=BareSimulation second=OrdersSimulation; else first=OrdersSimulation second=BareSimulation; fi
  one=$(cost "$first") || exit 1
  other=$(cost "$second") || exit 1
  if ((i % 2)); then bare=$one ours=$other; else ours=$one bare=$other; fi
  awk -v ours="$ours" -v bare="$bare" 'BEGIN { printf "%.3f  %.3f  %+.3f\n", ours, bare, ours - bare }' | tee -a "$results/pairs"
done
sort -k3 -g "$results/pairs" | awk '{ d[NR] = $3 } END { m = (NR % 2) ? d[(NR + 1) / 2] : (d[NR / 2] + d[NR / 2 + 1]) / 2
  printf "median difference %+.3f ms of %d pairs: %s\n", m, NR, (m <= 0.1) ? "within 0.1 ms" : "ABOVE 0.1 ms"; exit m > 0.1 }'
