#!/usr/bin/env bash
# Which load generators see a freeze? A Markdown table of the p50 and p99 that they report for a server that is stopped
# for 6 of 10 s. 'lab client' and Gatling always take part; wrk, wrk2, oha, hey and k6 if they are on the path.
#
# The server answers at once and is stopped (SIGSTOP) from 2 s to 8 s after the generator has connected. wrk2, k6, Gatling
# and 'oha -q' send 500 requests per second by the clock, as 'lab client' does; wrk, oha and hey keep 50 connections
# busy.
#
#   ./lab doctor                        # builds what is not built
#   JAVA=/path/to/jdk-25/bin/java load-tests/scripts/freeze.sh
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
jar=${BACKEND_JAR:-$root/backend-mock/target/backend-mock.jar}
port=${PORT:-18090}
uri=http://127.0.0.1:$port/0
rate=500
unpacked=$root/load-tests/target/lab
results=$(mktemp -d)
server=

clean_up() {
  if [ -n "$server" ]; then
    kill -CONT "$server" 2>/dev/null || true
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  rm -rf "$results"
}
trap clean_up EXIT

java=$(realpath "$(command -v "${JAVA:-java}")")
"$java" -version 2>&1 | grep -q '"25' || { echo "JAVA must name a java of a JDK 25" >&2; exit 1; }
[ -f "$jar" ] && [ -d "$unpacked" ] || { echo "build first: ./lab doctor" >&2; exit 1; }
command -v ss >/dev/null || { echo "needs ss, of iproute2" >&2; exit 1; }
"$java" -jar "$jar" --server.port="$port" >"$results/server.log" 2>&1 &
server=$!
for _ in $(seq 600); do
  curl -fso /dev/null --max-time 1 "$uri" && break
  kill -0 "$server" 2>/dev/null || { cat "$results/server.log" >&2; exit 1; }
  sleep 0.1
done
curl -fso /dev/null --max-time 1 "$uri" || { echo "$jar does not answer at $uri" >&2; exit 1; }

# Runs a generator for 10 s while the server is stopped from 2 s to 8 s after it has connected and warmed up, if it does.
frozen() {
  local output=$1
  shift
  timeout 60 "$@" >"$output" 2>&1 &
  local generator=$!
  while kill -0 "$generator" 2>/dev/null && [ -z "$(ss -Htn state established "( dport = :$port )")" ]; do
    sleep 0.05
  done
  sleep $((2 + ${warm_up:-0}))
  kill -STOP "$server"
  sleep 6
  kill -CONT "$server"
  wait "$generator" || true
}

row() {
  local name=$1 load=$2 p50=$3 p99=$4
  echo "| $name | $load | ${p50:-none} | ${p99:-none} |"
}

# A percentile as wrk and wrk2 print it ("99% 1.02s"), in ms.
wrk_percentile() {
  awk -v wanted="$1" '$1 ~ "^" wanted "(\\.000)?%$" {
    print (($2 ~ /us$/) ? $2 / 1000 : ($2 ~ /ms$/) ? $2 + 0 : ($2 ~ /m$/) ? $2 * 60000 : $2 * 1000) " ms"; exit }' "$2"
}

missing=()
echo "| generator | load | p50 | p99 |"
echo "| --- | --- | ---: | ---: |"
if command -v wrk >/dev/null; then
  frozen "$results/wrk" wrk -t1 -c50 -d10s --timeout 30s --latency "$uri"
  row wrk "50 connections" "$(wrk_percentile 50 "$results/wrk")" "$(wrk_percentile 99 "$results/wrk")"
else
  missing+=(wrk)
fi
if command -v wrk2 >/dev/null; then
  frozen "$results/wrk2" wrk2 -t1 -c50 -d10s -R"$rate" --timeout 30s --latency "$uri"
  row wrk2 "$rate/s" "$(wrk_percentile 50 "$results/wrk2")" "$(wrk_percentile 99 "$results/wrk2")"
else
  missing+=(wrk2)
fi
if command -v oha >/dev/null; then
  frozen "$results/oha" oha --no-tui -c 50 -z 10s --wait-ongoing-requests-after-deadline "$uri"
  oha_percentile() { awk -v wanted="$1" '$1 ~ "^" wanted "(\\.00)?%$" { print ($4 ~ /^ms/ ? $3 : $3 * 1000) " ms" }' "$results/oha"; }
  row oha "50 connections" "$(oha_percentile 50)" "$(oha_percentile 99)"
  frozen "$results/oha" oha --no-tui -c 4000 -q "$rate" --latency-correction -z 10s --wait-ongoing-requests-after-deadline "$uri"
  row "oha -q --latency-correction" "$rate/s" "$(oha_percentile 50)" "$(oha_percentile 99)"
else
  missing+=(oha)
fi
if command -v hey >/dev/null; then
  frozen "$results/hey" hey -z 10s -c 50 "$uri"
  hey_percentile() { awk -v wanted="^$1%+$" '$1 ~ wanted { print $3 * 1000 " ms" }' "$results/hey"; }
  row hey "50 connections" "$(hey_percentile 50)" "$(hey_percentile 99)"
else
  missing+=(hey)
fi
if command -v k6 >/dev/null; then
  cat >"$results/k6.js" <<JS
import http from 'k6/http';
export const options = { summaryTrendStats: ['p(50)', 'p(99)'], scenarios: { open: { executor: 'constant-arrival-rate',
  rate: $rate, timeUnit: '1s', duration: '10s', preAllocatedVUs: 4000 } } };
export default () => { http.get('$uri'); };
JS
  frozen "$results/k6" k6 run --quiet "$results/k6.js"
  # k6 prints 1.22s, 7.1ms or 850µs.
  k6_percentile() {
    sed -nE "s/.*http_req_duration.*p\\($1\\)=([^ ]*).*/\\1/p" "$results/k6" |
      awk '{ print (/ms$/ ? $1 + 0 : /µs$/ ? $1 / 1000 : $1 * 1000) " ms"; exit }'
  }
  row k6 "$rate/s" "$(k6_percentile 50)" "$(k6_percentile 99)"
else
  missing+=(k6)
fi
cat >"$results/Freeze.java" <<JAVA
import io.gatling.javaapi.core.Simulation;
import static io.gatling.javaapi.core.CoreDsl.*;
import static io.gatling.javaapi.http.HttpDsl.*;
public class Freeze extends Simulation {
  public Freeze() {
    setUp(scenario("freeze").exec(http("get").get("$uri")).injectOpen(constantUsersPerSec($rate).during(10)))
      .protocols(http.shareConnections().disableWarmUp());
  }
}
JAVA
libraries="$unpacked/BOOT-INF/classes:$unpacked/BOOT-INF/lib/*"
"$(dirname "$java")/javac" -cp "$libraries" -d "$results" "$results/Freeze.java"
frozen "$results/gatling" "$java" --add-opens=java.base/java.lang=ALL-UNNAMED -Xmx512m -cp "$results:$libraries" \
  io.gatling.app.Gatling --simulation Freeze --results-folder "$results/gatling.run"
gatling_percentile() { sed -nE "s/.*$1(th|st|nd|rd) percentile[^0-9]*([0-9,]+).*/\\2 ms/p" "$results/gatling" | head -1; }
row Gatling "$rate/s" "$(gatling_percentile 50)" "$(gatling_percentile 99)"
warm_up=5 frozen "$results/lab" "${LAB:-$root/lab}" client --uri "$uri" -r "$rate" -d 10 --out "$results/lab.run"
lab_percentiles=$(awk '
  /latency since due/ { found = 1; next }
  found && NF > 8 && $NF ~ /^[0-9]/ { gsub(",", ""); print $(NF - 7), $(NF - 5); exit }' "$results/lab")
read -r p50 p99 <<<"$lab_percentiles"
row "lab client" "$rate/s" "$p50 ms" "$p99 ms"
[ ${#missing[@]} = 0 ] || echo "not installed: ${missing[*]}" >&2
