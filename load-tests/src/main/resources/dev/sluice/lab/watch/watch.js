// Requests new figures every second and draws them with ECharts, a chart for each panel.
(function () {
  'use strict';

  const PERIOD_MILLIS = 1000;
  const COLOURS = 6;
  const DASHES = ['solid', 'dashed', 'dotted'];
  const LEVELS = { 0: 'closed', 0.5: 'half-open', 1: 'open' };
  const TEXT = { color: 'var(--soft)', fontSize: 12, fontFamily: 'system-ui, "Segoe UI", "DejaVu Sans", sans-serif' };
  const LINE = { lineStyle: { color: 'var(--line)' } };
  const PANELS = [
    ['orders', 'Orders answered', 'per second', 'Answers of all gateways in the last second, by mode and outcome.'],
    ['p99', 'p99 of the last minute', 'ms', 'Upper bounds of histogram buckets. Sync and queued: from an order\'s headers to its answer. Saved: from accepted to saved.'],
    ['waiting', 'Orders in the system', 'orders', 'In the gateways: requests in flight. In Kafka: the consumer\'s lag, known a minute after the start. '
      + 'Pending: read and not finished. In delivery: those of them that are at the backend.'],
    ['delivered', 'Deliveries', 'per second', 'Outcomes that the consumer published to Kafka, dead letters, and orders that the backend answered, in both modes.'],
    ['circuits', 'Circuit breakers', 'closed, half-open, open', 'While a gateway\'s circuit breaker is open, it sends nothing to the backend.'],
    ['status-age', 'Age of the status', 's', 'Age of the oldest event in the last batch when PostgreSQL stored it: how far GET /orders lags behind.'],
    ['cpu', 'CPU', 'cores', 'Of each service, in the last second.'],
    ['gc', 'Paused by the garbage collector', '% of the time', 'Of each service, in the last second.'],
    ['heap', 'Heap', 'MiB', 'In use, garbage included.'],
    ['threads', 'Threads', 'platform threads', 'Live platform threads. Virtual threads are not counted.'],
  ];

  const state = document.getElementById('state');
  const said = document.getElementById('said');
  const span = document.getElementById('span');
  let moments = [];

  const measured = (value) => (value === undefined || value === null ? '–'
    // A remainder of rounding counts as 0.
    : Math.abs(value) < 1e-6 ? '0' : Math.abs(value) < 0.001 ? '< 0.001'
      : Number(value.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: 3 }));
  const clock = (millis) => new Date(millis).toLocaleTimeString('en-GB');

  // The order of the names gives them their colours, so a name that is seen later comes last.
  const panels = PANELS.map(([id, title, unit, meaning]) => {
    const section = document.createElement('section');
    section.innerHTML = '<h2>' + title + ' <small>' + unit + '</small></h2><div class="plot" role="img" id="' + id + '"></div><p class="note">' + meaning + '</p>';
    document.getElementById('panels').append(section);
    const chart = echarts.init(section.querySelector('.plot'), null, { renderer: 'svg' });
    chart.group = 'watch';
    return { id, title, chart, names: [] };
  });
  // All charts show their figures at the pointer's time.
  echarts.connect('watch');

  function draw() {
    if (moments.length === 0 || document.hidden) {
      return;
    }
    const latest = moments[moments.length - 1];
    const from = latest.millis - span.value * 1000;
    const shown = moments.filter((moment) => moment.millis >= from);
    for (const { id, title, chart, names } of panels) {
      shown.forEach((moment) => names.push(...Object.keys(moment.figures[id] || {}).filter((name) => !names.includes(name))));
      const isLevel = id === 'circuits';
      const format = isLevel ? (value) => LEVELS[value] || '–' : measured;
      const now = (name) => name + '  ' + format((latest.figures[id] || {})[name]);
      chart.setOption({
        animation: false,
        textStyle: TEXT,
        aria: { enabled: true, label: { description: title + ', over time. Now: ' + names.map(now).join(', ') } },
        grid: { left: 66, right: 12, top: 12, bottom: 30 + 20 * Math.ceil(names.length / 2) },
        legend: { bottom: 0, left: 0, right: 0, type: 'plain', textStyle: TEXT, formatter: now, itemGap: 14, itemHeight: 8 },
        tooltip: { trigger: 'axis', confine: true, backgroundColor: 'var(--card)', borderColor: 'var(--line)',
          textStyle: { color: 'var(--ink)', fontSize: 12 }, valueFormatter: format },
        xAxis: { type: 'time', min: from, max: latest.millis, splitNumber: 3, axisLabel: Object.assign({ formatter: clock, hideOverlap: true }, TEXT),
          axisLine: LINE, axisTick: LINE },
        yAxis: { type: 'value', min: 0, max: isLevel ? 1 : undefined, interval: isLevel ? 0.5 : undefined, splitNumber: 3,
          axisLabel: Object.assign({ formatter: format }, TEXT), splitLine: { lineStyle: { color: 'var(--rule)' } } },
        series: names.map((name, i) => {
          const colour = 'var(--s' + i % COLOURS + ')';
          return { type: 'line', name, showSymbol: false, symbolSize: 5, itemStyle: { color: colour },
            lineStyle: { color: colour, width: 1.8, type: DASHES[Math.floor(i / COLOURS) % DASHES.length] }, emphasis: { disabled: true },
            data: shown.map((moment) => [moment.millis, (moment.figures[id] || {})[name] ?? null]) };
        }),
      });
    }
  }

  function services() {
    const latest = moments[moments.length - 1];
    const down = latest.services.filter((service) => service.problem);
    document.getElementById('services').replaceChildren(...latest.services.map((service) => {
      const item = document.createElement('li');
      item.className = service.problem ? 'down' : '';
      item.textContent = service.name + ', ' + service.uri + ': ' + (service.problem ? 'down: ' + service.problem : 'answers');
      return item;
    }));
    state.textContent = clock(latest.millis) + ': ' + (latest.services.length - down.length) + ' of ' + latest.services.length + ' services answer.';
    say(down.map((service) => service.name + ' is down: ' + service.problem + '.').join(' '));
  }

  function say(text) {
    if (said.textContent !== text) {
      said.textContent = text;
      said.hidden = text === '';
    }
  }

  async function ask() {
    try {
      const after = moments.length ? moments[moments.length - 1].millis : 0;
      const response = await fetch('/moments?after=' + after, { signal: AbortSignal.timeout(5 * PERIOD_MILLIS) });
      if (!response.ok) {
        throw new Error('HTTP ' + response.status);
      }
      const more = await response.json();
      if (more.length) {
        moments = moments.concat(more).slice(-600);
        services();
        draw();
      }
    } catch (failure) {
      say('lab watch itself does not answer (' + failure.message + '); this page asks on.');
    }
    setTimeout(ask, PERIOD_MILLIS);
  }

  span.addEventListener('change', draw);
  window.addEventListener('resize', () => panels.forEach(({ chart }) => chart.resize()));
  document.addEventListener('visibilitychange', draw);
  ask();
})();
