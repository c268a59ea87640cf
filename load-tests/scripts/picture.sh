#!/usr/bin/env bash
# Draws the charts of one section of a report as an SVG for the documents, in the colours of the reader's light or dark mode.
#
#   load-tests/scripts/picture.sh results/client-20261124-120000/report.html run-2 docs/client.svg [WIDTH]
#
# The section's name is the end of its link in the report. Needs Chromium or Chrome on the path. Look at the picture.
set -euo pipefail

report=${1:?a report.html} section=${2:?the name of a section} picture=${3:?an .svg} width=${4:-1120}
browser=$(command -v chromium || command -v google-chrome || command -v chrome) || { echo "no Chromium or Chrome on the path" >&2; exit 1; }
grep -q "<section id=\"$section\"" "$report" || {
  echo "$report has no section $section; it has: $(grep -o '<section id="[^"]*' "$report" | sed 's/.*"//' | tr '\n' ' ')" >&2
  exit 1
}
page=$(mktemp --suffix .html)
trap 'rm -f "$page"' EXIT
style="main { max-width: none; padding: 10px; } section { border: 0; margin: 0; padding: 0; }
.skip, nav, header, h2, h3, p, ul, details, table, .tools, .figures, article > section:not(#$section) { display: none !important; }"
# Collects the charts, their titles and the page's colours. Encoded in Base64, as the browser prints HTML.
script=$(cat <<'JS'
addEventListener('load', () => setTimeout(() => {
  const parts = [];
  let bottom = 0;
  const font = (style) => `font: ${style.fontWeight} ${style.fontSize} system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif`;
  for (const title of document.querySelectorAll('figcaption')) {
    const box = title.getBoundingClientRect();
    const text = new XMLSerializer().serializeToString(document.createTextNode(title.textContent));
    if (box.height > 0) {
      parts.push(`<text x="${box.x}" y="${box.y + 16}" style="${font(getComputedStyle(title))}" fill="var(--ink)">${text}</text>`);
    }
  }
  for (const svg of document.querySelectorAll('.chart svg')) {
    const box = svg.getBoundingClientRect();
    if (box.height > 0) {
      const content = [...svg.childNodes].map((node) => new XMLSerializer().serializeToString(node)).join('');
      parts.push(`<g transform="translate(${box.x} ${box.y})">${content.replaceAll(' xmlns="http://www.w3.org/2000/svg"', '')}</g>`);
      bottom = Math.max(bottom, box.bottom + 10);
    }
  }
  const used = new Set(parts.join('').match(/--[a-z0-9-]+/g).concat('--card'));
  const colours = (rule) => [...rule.style].filter((name) => used.has(name))
    .map((name) => `${name}: ${rule.style.getPropertyValue(name)};`).join(' ');
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  const roots = (list) => [...list].filter((rule) => rule.selectorText === ':root').map((rule) => `:root { ${colours(rule)} }`).join('\n');
  const dark = rules.filter((rule) => rule.media && rule.conditionText.includes('dark')).map((rule) => roots(rule.cssRules)).join('\n');
  const size = `width="${innerWidth}" height="${Math.ceil(bottom)}" viewBox="0 0 ${innerWidth} ${Math.ceil(bottom)}"`;
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">
<style>:root { color-scheme: light dark; }
${roots(rules)}
@media (prefers-color-scheme: dark) { ${dark} }</style>
<rect width="100%" height="100%" fill="var(--card)"/>
${parts.join('\n')}
</svg>
`;
  const bytes = Array.from(new TextEncoder().encode(picture), (byte) => String.fromCharCode(byte)).join('');
  document.documentElement.innerHTML = '<p>' + btoa(bytes) + '</p>';
}, 1000));
JS
)
{ cat "$report"; printf '<style>%s</style><script>%s</script>' "$style" "$script"; } >"$page"
"$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size="$width,700" --virtual-time-budget=8000 \
  --dump-dom "file://$page" 2>/dev/null | sed -n 's/.*<p>\(.*\)<\/p>.*/\1/p' | base64 -d >"$picture"
[ -s "$picture" ] || { echo "$report was not drawn" >&2; exit 1; }
echo "$picture"
