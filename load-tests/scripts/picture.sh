#!/usr/bin/env bash
# Draws the charts of one section of a report as a picture for the documents.
#
#   load-tests/scripts/picture.sh results/client-20261124-120000/report.html run-2 docs/client.png [WIDTHxHEIGHT]
#
# The section's name is the end of its link in the report. Needs Chromium or Chrome on the path. Look at the picture.
set -euo pipefail

report=${1:?a report.html} section=${2:?the name of a section} picture=${3:?a .png} size=${4:-1120x700}
browser=$(command -v chromium || command -v google-chrome || command -v chrome) || { echo "no Chromium or Chrome on the path" >&2; exit 1; }
grep -q "<section id=\"run-1-$section\"" "$report" || {
  echo "$report has no section $section; it has: $(grep -o '<section id="run-1-[^"]*' "$report" | sed 's/.*run-1-//' | tr '\n' ' ')" >&2
  exit 1
}
page=$(mktemp --suffix .html)
trap 'rm -f "$page"' EXIT
style="body { background: var(--card); } main { max-width: none; padding: 10px; } section { border: 0; margin: 0; padding: 0; }
.skip, nav, header, h2, h3, p, ul, details, table, .tools, .figures, article > section:not(#run-1-$section) { display: none !important; }"
awk -v style="$style" '!done && sub("</head>", "<style>" style "</style></head>") { done = 1 } { print }' "$report" >"$page"
"$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size="${size/x/,}" --virtual-time-budget=8000 \
  --run-all-compositor-stages-before-draw --screenshot="$(realpath "$picture")" "file://$page" 2>/dev/null
echo "$picture"
