// Draws the charts of a report from the data beside them. Colours are the style sheet's variables, so that
// charts follow the colour scheme without being drawn again, also in print.
(function () {
  'use strict';

  const CROSS = 'path://M-10,-8 L-8,-10 L0,-2 L8,-10 L10,-8 L2,0 L10,8 L8,10 L0,2 L-8,10 L-10,8 L-2,0 Z';
  const STAR = 'path://M0,-10 L3,-3 L10,0 L3,3 L0,10 L-3,3 L-10,0 L-3,-3 Z';
  const SHAPES = ['circle', 'rect', 'diamond', 'triangle', STAR, 'roundRect'];
  const TEXT = { color: 'var(--soft)', fontSize: 12, fontFamily: 'system-ui, "Segoe UI", "DejaVu Sans", sans-serif' };
  const INK = Object.assign({}, TEXT, { color: 'var(--ink)' });
  const GRID = { show: true, lineStyle: { color: 'var(--rule)' } };

  const colour = (style) => (style < 0 ? 'var(--reference)' : 'var(--s' + Math.min(style, 5) + ')');
  const shape = (style) => (style < 0 ? 'circle' : SHAPES[Math.min(style, 5)]);
  const measured = (value) => {
    if (value === null || value === undefined) {
      return '–';
    }
    if (value !== 0 && Math.abs(value) < 0.001) {
      return '< 0.001';
    }
    return Number(value.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: 3 });
  };
  const percent = (share) => (share < 0.0005 ? '< 0.1' : Number((share * 100).toPrecision(2)).toLocaleString('en-US')) + ' %';
  const escaped = (content) => echarts.format.encodeHTML(content);
  // The next number, at or above a value, that makes a readable end of an axis.
  const nice = (value) => {
    const power = Math.pow(10, Math.floor(Math.log10(value || 1)));
    return [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((top) => top >= value * 0.9999);
  };
  // Divides an axis that ends at a nice value into three to five equal and nice steps.
  const step = (top) => {
    const leading = Number(top.toExponential(1).split('e')[0]);
    return top / ([1.5, 3, 6].includes(leading) ? 3 : [1, 2.5, 5].includes(leading) ? 5 : 4);
  };
  const tooltip = (formatter) => ({
    trigger: 'item', confine: true, backgroundColor: 'var(--card)', borderColor: 'var(--line)',
    textStyle: { color: 'var(--ink)', fontSize: 12 }, formatter,
  });
  const text = (x, y, content, style, align, baseline) => ({
    type: 'text', silent: true, x, y,
    style: Object.assign({ text: content, align: align || 'left', verticalAlign: baseline || 'middle',
      fontSize: TEXT.fontSize, fontFamily: TEXT.fontFamily, fill: 'var(--soft)' }, style),
  });
  const rule = (x1, y1, x2, y2, style) => ({
    type: 'line', silent: true, shape: { x1, y1, x2, y2 }, style: Object.assign({ stroke: 'var(--rule)', lineWidth: 1, fill: 'none' }, style),
  });
  const pen = document.createElement('canvas').getContext('2d');
  const measure = (content, bold) => {
    pen.font = (bold ? 'bold ' : '') + TEXT.fontSize + 'px ' + TEXT.fontFamily;
    return pen.measureText(content).width;
  };

  // The legend of the marks, in as many lines as it needs.
  const legend = (entries, left, y, width) => {
    const elements = [];
    let x = left;
    for (const entry of entries) {
      const length = 16 + measure(entry.name);
      if (x > left && x + length > width) {
        x = left;
        y += 18;
      }
      elements.push(...entry.draw(x + 5, y), text(x + 16, y, entry.name));
      x += length + 16;
    }
    return { elements, bottom: y };
  };
  const symbol = (kind, x, y, size, style) => (kind === 'rect' ? { type: 'rect', silent: true, shape: { x: x - size, y: y - size, width: 2 * size, height: 2 * size }, style }
    : { type: 'circle', silent: true, shape: { cx: x, cy: y, r: size }, style });
  const whisker = (x, low, high, style) => [rule(x, low, x, high, style), rule(x - 4, low, x + 4, low, style), rule(x - 4, high, x + 4, high, style)];
  const cross = (x, y, style) => [rule(x - 4, y - 4, x + 4, y + 4, style), rule(x - 4, y + 4, x + 4, y - 4, style)];

  // Moves labels apart, no more than necessary, within two bounds.
  const apart = (wanted, gap, top, bottom) => {
    const order = wanted.map((y, i) => ({ y, i })).sort((a, b) => a.y - b.y);
    for (let i = 1; i < order.length; i++) {
      order[i].y = Math.max(order[i].y, order[i - 1].y + gap);
    }
    let limit = bottom;
    for (let i = order.length - 1; i >= 0; i--) {
      order[i].y = Math.max(top, Math.min(order[i].y, limit));
      limit = order[i].y - gap;
    }
    const placed = [];
    order.forEach((label) => { placed[label.i] = label.y; });
    return placed;
  };

  function lines(data, width) {
    const points = data.lines.flatMap((line) => line.points);
    const ink = { stroke: 'var(--ink)', lineWidth: 2 };
    const entries = [
      points.some((p) => p.high > p.low) && data.whiskers
        && { name: data.whiskers, draw: (x, y) => whisker(x, y + 6, y - 6, { stroke: 'var(--soft)', lineWidth: 1.5 }) },
      points.some((p) => p.marked) && { name: 'unreliable †',
        draw: (x, y) => [symbol('circle', x, y, 4, { fill: 'var(--card)', stroke: 'var(--soft)', lineWidth: 2 })] },
      points.some((p) => p.failedShare > 0) && { name: 'calls failed', draw: (x, y) => cross(x, y, ink) },
    ].filter((entry) => entry);
    const right = 32 + Math.max(...data.lines.map((line) => measure(line.name, true)));
    const said = legend(entries, 0, 30, width);
    const xs = data.loads;
    const failing = (p) => p.failedShare >= 0.01;
    // Room for the shares of marks that stand together at the top.
    const room = 13 * Math.max(0, Math.max(...xs.map((x) => points.filter((p) => p.x === x && failing(p)).length)) - 1);
    const grid = { left: 62, right, top: (entries.length ? said.bottom + 22 : 30) + room, bottom: 46 };
    const span = Math.max(Math.log10(xs[xs.length - 1] / xs[0]), 0.1);
    const xMin = Math.log10(xs[0]) - span * 0.03;
    const xMax = Math.log10(xs[xs.length - 1]) + span * 0.01;
    // The axis of a ratio is logarithmic, in powers of two, and includes 1.
    const scaled = (y) => (data.ratio ? Math.log2(y) : y);
    const lows = points.map((p) => (p.high > p.low ? p.low : p.y)).filter((y) => y > 0);
    const doublings = Math.ceil((scaled(data.max) - scaled(Math.min(1, ...lows))) / 6) || 1;
    const outward = (y, round, least) => round((Math.abs(y) < 1 ? least : y) / doublings) * doublings;
    const yMin = data.ratio ? outward(scaled(Math.min(1, ...lows)), Math.floor, -1) : 0;
    const yMax = data.ratio ? outward(scaled(Math.max(1, data.max)), Math.ceil, 1) : nice(data.max);
    const plotWidth = width - grid.left - grid.right;
    const plotHeight = data.height - grid.top - grid.bottom;
    const xPixel = (x) => grid.left + ((Math.log10(x) - xMin) / (xMax - xMin)) * plotWidth;
    const yPixel = (y) => grid.top + (1 - (Math.max(scaled(y), yMin) - yMin) / (yMax - yMin)) * plotHeight;
    const graphic = said.elements.concat(text(0, 10, data.yName + (data.ratio ? ' (logarithmic)' : '')),
      text(grid.left + plotWidth / 2, data.height - 10, data.xName + ' (logarithmic)', {}, 'center'));
    let taken = Infinity;
    for (const x of xs.slice().reverse()) {
      const label = x.toLocaleString('en-US');
      const half = measure(label) / 2;
      graphic.push(rule(xPixel(x), grid.top + plotHeight, xPixel(x), grid.top + plotHeight + 4, { stroke: 'var(--line)' }));
      if (xPixel(x) + half + 5 < taken) {
        graphic.push(text(xPixel(x), grid.top + plotHeight + 15, label, {}, 'center'));
        taken = xPixel(x) - half;
      }
    }
    // A label is at the right of the plot even if its line ends earlier; a thin line connects them.
    const ends = data.lines.map((line) => line.points[line.points.length - 1]);
    const places = apart(ends.map((end) => yPixel(end.y)), 15, grid.top + 2, grid.top + plotHeight - 2);
    data.lines.forEach((line, i) => {
      const x = xPixel(ends[i].x);
      const from = width - right + 8;
      graphic.push(rule(x + 6, yPixel(ends[i].y), from + 8, places[i], { stroke: colour(line.style), opacity: 0.5 }));
      graphic.push(text(from + 12, places[i], line.name, { fill: 'var(--ink)', fontWeight: 'bold' }));
    });
    const series = data.lines.map((line) => ({
      type: 'line', name: line.name, symbol: shape(line.style), symbolSize: 9, z: line.style < 0 ? 2 : 3, clip: false,
      lineStyle: { color: colour(line.style), width: 2, type: line.dashed ? 'dashed' : 'solid' },
      itemStyle: { color: colour(line.style) }, emphasis: { disabled: true },
      data: line.points.map((p) => ({
        value: [Math.log10(p.x), scaled(p.y)],
        itemStyle: p.marked ? { color: 'var(--card)', borderColor: colour(line.style), borderWidth: 2 } : undefined,
        point: p,
      })),
    }));
    series.push({ type: 'scatter', name: '', symbol: CROSS, symbolSize: 8, z: 4, clip: false, silent: true, itemStyle: { color: 'var(--ink)' },
      data: points.filter((p) => p.failedShare > 0).map((p) => [Math.log10(p.x), scaled(p.y)]) });
    // The share above each failing mark, in the colour of its line, if it is at least 1 %; above what is in the way.
    const shares = [];
    xs.forEach((x) => {
      const there = data.lines.flatMap((line) => line.points.filter((p) => p.x === x)
        .map((p) => ({ line, p, y: yPixel(p.y), top: yPixel(Math.max(p.y, p.high)), bottom: yPixel(Math.min(p.y, p.low)) })))
        .sort((one, other) => other.y - one.y);
      const taken = [...there];
      there.filter((mark) => failing(mark.p)).forEach((mark) => {
        const share = percent(mark.p.failedShare);
        const half = measure(share, true) / 2;
        const near = taken.concat(shares.filter((other) => Math.abs(other.x - xPixel(x)) < other.half + half));
        let y = mark.top - 12;
        for (let hit; (hit = near.find((other) => other !== mark && y > other.top - 12 && y < other.bottom + 12)) !== undefined;) {
          y = hit.top - 13;
        }
        // On a narrow screen not every share has room; the table has all.
        if (y > grid.top - 16 - room) {
          shares.push({ x: xPixel(x), half, top: y, bottom: y });
          // With a rim, because a line may pass behind it.
          graphic.push({ ...text(xPixel(x), y, share, { fill: colour(mark.line.style), stroke: 'var(--card)', lineWidth: 4, fontWeight: 'bold' },
            'center'), z: 5 });
        }
      });
    });
    for (const line of data.lines) {
      for (const p of line.points) {
        if (p.high > p.low) {
          graphic.push(...whisker(xPixel(p.x), yPixel(p.low), yPixel(p.high), { stroke: colour(line.style), lineWidth: 1.5, opacity: 0.75 }));
        }
      }
    }
    return {
      grid,
      graphic,
      xAxis: { type: 'value', min: xMin, max: xMax, axisLabel: { show: false }, axisTick: { show: false },
        splitLine: { show: false }, axisLine: { onZero: false, lineStyle: { color: 'var(--line)' } } },
      yAxis: { type: 'value', min: yMin, max: yMax, interval: data.ratio ? doublings : step(yMax), splitLine: GRID,
        axisLine: { onZero: false }, axisLabel: Object.assign({ formatter: (y) => (data.ratio ? '× ' + measured(Math.pow(2, y)) : measured(y)) }, TEXT) },
      tooltip: tooltip((item) => {
        const p = item.data.point;
        return '<b>' + escaped(item.seriesName) + '</b><br>' + escaped(data.xName) + ': ' + p.x.toLocaleString('en-US') + '<br>' + escaped(data.yName) + ': '
          + measured(p.y) + (p.marked ? ' †' : '')
          + (p.high > p.low ? '<br>' + escaped(data.whiskers) + ': ' + measured(p.low) + ' to ' + measured(p.high) : '')
          + (p.failedShare > 0 ? '<br>calls failed: ' + percent(p.failedShare) : '');
      }),
      series,
    };
  }

  function seconds(data, width) {
    const lanes = [...new Set(data.spans.map((span) => span.lane))];
    const lane = 20;
    const lanesTop = 6;
    const top = 24 + lanes.length * lane + (lanes.length > 0 ? 10 : 0);
    const gap = 38;
    const panel = (data.height - top - 34 - gap * (data.panels.length - 1)) / data.panels.length;
    const plot = { left: Math.max(66, ...lanes.map((name) => measure(name) + 12)), right: 14 };
    const plotWidth = width - plot.left - plot.right;
    const xPixel = (second) => plot.left + Math.min(1, Math.max(0, second / data.seconds)) * plotWidth;
    const spanElements = [];
    lanes.forEach((name, i) => {
      const y = lanesTop + i * lane;
      spanElements.push(text(plot.left - 8, y + lane / 2, name, {}, 'right'));
      spanElements.push(rule(plot.left, y + lane / 2, plot.left + plotWidth, y + lane / 2));
      let taken = -Infinity;
      for (const span of data.spans.filter((it) => it.lane === name).sort((a, b) => a.from - b.from)) {
        const x = xPixel(span.from);
        const length = Math.max(2, xPixel(span.to) - x);
        spanElements.push({ type: 'rect', silent: true, z: -1, shape: { x, y: top - 4, width: length, height: data.height - top - 30 },
          style: { fill: colour(span.style), opacity: 0.07 } });
        spanElements.push({ type: 'rect', name: span.lane + ': ' + span.name, shape: { x, y: y + 3, width: length, height: lane - 6, r: 2 },
          style: { fill: colour(span.style), opacity: 0.85 }, tooltip: { formatter: () => escaped(span.lane + ': ' + span.name) + '<br>second '
            + measured(span.from) + ' to ' + measured(span.to) } });
        // On the bar or right of it; without room, only the colour and the table show it.
        const next = Math.min(...data.spans.filter((it) => it.lane === name && it.from > span.from).map((it) => xPixel(it.from)),
          plot.left + plotWidth);
        const wide = measure(span.name) + 6;
        if (length > wide) {
          spanElements.push(text(x + 4, y + lane / 2, span.name, { fill: 'var(--card)' }));
          taken = x + length;
        } else if (x + length + wide < next && x > taken) {
          spanElements.push({ type: 'rect', silent: true, shape: { x: x + length + 2, y: y + 3, width: wide - 2, height: lane - 6 },
            style: { fill: 'var(--card)' } });
          spanElements.push(text(x + length + 4, y + lane / 2, span.name, { fill: 'var(--ink)' }));
          taken = x + length + wide;
        }
      }
    });
    const option = { grid: [], xAxis: [], yAxis: [], series: [], graphic: spanElements,
      axisPointer: { link: [{ xAxisIndex: 'all' }], lineStyle: { color: 'var(--line)' } },
      tooltip: Object.assign(tooltip((items) => (items.length ? 'second ' + items[0].data[0] : '')
        + items.map((item) => '<br>' + escaped(item.seriesName) + ': ' + measured(item.data[1])).join('')), { trigger: 'axis' }) };
    data.panels.forEach((p, i) => {
      const y = top + i * (panel + gap);
      const bottom = i === data.panels.length - 1;
      const values = p.values.map((value, second) => [second, value === null ? null : (p.logarithmic ? Math.max(value, 1) : value)]);
      const any = values.some((value) => value[1] !== null);
      option.grid.push({ left: plot.left, right: plot.right, top: y, height: panel });
      option.xAxis.push({ type: 'value', gridIndex: i, min: -0.5, max: data.seconds - 0.5, axisLabel: { show: false }, axisTick: { show: false },
        splitLine: { show: false }, axisLine: { onZero: false, lineStyle: { color: 'var(--line)' } }, axisPointer: { label: { show: false } } });
      option.yAxis.push(Object.assign({ gridIndex: i, axisLine: { onZero: false, lineStyle: { color: 'var(--line)' } }, axisLabel: Object.assign({ formatter: measured }, TEXT), splitLine: GRID,
        axisPointer: { show: false } }, p.logarithmic
        ? { type: 'log', min: 1, max: Math.pow(10, Math.max(1, Math.ceil(Math.log10(p.max)))) }
        : { type: 'value', min: 0, max: nice(p.max), interval: nice(p.max) / 2 }));
      option.series.push(Object.assign({ name: p.name, xAxisIndex: i, yAxisIndex: i, data: values, color: colour(p.style),
        itemStyle: { color: colour(p.style) }, emphasis: { disabled: true } }, p.form === 'bars'
        ? { type: 'bar', barWidth: Math.max(1, Math.min(18, (plotWidth / data.seconds) * 0.7)) }
        : { type: 'line', showSymbol: data.seconds <= 30, symbol: 'circle', symbolSize: 5, lineStyle: { color: colour(p.style), width: 1.7 },
          areaStyle: p.form === 'area' ? { color: colour(p.style), opacity: 0.13 } : undefined }));
      const name = p.name + (any ? '' : ': not sampled');
      const from = Math.max(0, Math.min(plot.left, width - 18 - measure(name, true)));
      option.graphic.push(symbol('rect', from + 5, y - 13, 5, { fill: colour(p.style) }),
        text(from + 16, y - 13, name, { fill: 'var(--ink)', fontWeight: 'bold' }));
      if (bottom) {
        const step = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600].find((s) => data.seconds / s <= plotWidth / 55) || 1200;
        for (let second = 0; second < data.seconds; second += step) {
          option.graphic.push(text(plot.left + ((second + 0.5) / data.seconds) * plotWidth, y + panel + 15, second + ' s', {}, 'center'));
        }
      }
    });
    return option;
  }

  function stack(data, width) {
    const left = 22 + Math.max(...data.rows.map((row) => measure(row.name + ' †', true)));
    const names = data.rows.map((row) => row.name + (row.marked ? ' †' : ''));
    const sums = data.rows.map((row) => row.values.reduce((sum, value) => sum + (value || 0), 0));
    const graphic = [];
    let x = 0;
    let y = 12;
    data.parts.forEach((part, i) => {
      if (x + 16 + measure(part) > width) {
        x = 0;
        y += 18;
      }
      graphic.push({ type: 'rect', silent: true, shape: { x, y: y - 6, width: 11, height: 11 }, style: { fill: colour(i) } });
      graphic.push(text(x + 16, y, part));
      x += 30 + measure(part);
    });
    const grid = { left, right: 62, top: y + 18, bottom: 42 };
    graphic.push(text(left + (width - left - grid.right) / 2, data.height - 9, data.xName, {}, 'center'));
    const top = nice(data.max);
    const fits = (width - left - grid.right) * step(top) / top > measure(measured(top)) + 12;
    return {
      grid,
      graphic,
      xAxis: { type: 'value', min: 0, max: top, interval: fits ? step(top) : top / 2, axisLabel: Object.assign({ formatter: measured }, TEXT), splitLine: GRID },
      yAxis: { type: 'category', inverse: true, data: names, axisTick: { show: false }, axisLine: { lineStyle: { color: 'var(--line)' } },
        axisLabel: Object.assign({}, INK, { interval: 0 }) },
      tooltip: tooltip((item) => escaped(item.name) + '<br>' + escaped(item.seriesName) + ': ' + measured(item.value)),
      series: data.parts.map((part, i) => ({
        type: 'bar', name: part, stack: 'sum', barWidth: '58%', itemStyle: { color: colour(i), borderColor: 'var(--card)', borderWidth: 1 }, emphasis: { disabled: true },
        data: data.rows.map((row) => row.values[i]),
      })).concat([{
        type: 'bar', stack: 'sum', silent: true, tooltip: { show: false }, emphasis: { disabled: true }, data: sums.map(() => 0),
        label: Object.assign({ show: true, position: 'right', formatter: (item) => measured(sums[item.dataIndex]) }, INK),
      }]),
    };
  }

  const KINDS = { lines, seconds, stack };
  // In pixels.
  const HEIGHTS = {
    lines: (data) => (data.ratio ? 330 : 320),
    seconds: (data) => 50 + 128 * data.panels.length + 20 * new Set(data.spans.map((span) => span.lane)).size,
    stack: (data) => 84 + 32 * data.rows.length,
  };
  // For readers who cannot see the chart.
  const names = (all) => all.map((one) => one.name).join(', ');
  const WORDS = {
    lines: (data) => data.yName + ' against ' + data.xName + ', a line for each of ' + names(data.lines),
    seconds: (data) => 'Second by second: ' + names(data.panels),
    stack: (data) => data.xName + ', a bar for each of ' + names(data.rows) + (data.parts.length > 1 ? ', in parts: ' + data.parts.join(', ') : ''),
  };

  const VALUES = {
    lines: (data) => data.lines.filter((line) => line.style >= 0).flatMap((line) => line.points.map((p) => Math.max(p.y, p.high))),
    stack: (data) => data.rows.map((row) => row.values.reduce((sum, value) => sum + (value || 0), 0)).concat(data.xName.startsWith('%') ? 100 : 0),
  };
  // The end of each axis, at least 1 but for bars. What has the same axis in this page ends alike.
  const limit = (all) => {
    const axes = all.flatMap((data) => data.panels || [data]);
    const ends = {};
    axes.forEach((it) => {
      it.max = (it.kind ? VALUES[it.kind](it) : it.values).reduce((max, value) => Math.max(max, value), it.kind === 'stack' ? 0 : 1) || 1;
      ends[it.axis] = Math.max(ends[it.axis] || 0, it.max);
    });
    axes.filter((it) => it.axis).forEach((it) => { it.max = ends[it.axis]; });
    // A line for comparison is shown as far as it is near the others; one point of it would look like a limit.
    all.filter((data) => data.lines).forEach((data) => {
      data.lines.filter((line) => line.style < 0).forEach((line) => { line.points = line.points.filter((p) => p.y <= data.max * 1.1); });
      data.lines = data.lines.filter((line) => line.style >= 0 || line.points.length > 1);
    });
  };

  document.documentElement.classList.add('js');
  const elements = [...document.querySelectorAll('.chart')];
  const all = elements.map((element) => JSON.parse(element.querySelector('script').textContent));
  limit(all);
  const charts = elements.map((element, i) => {
    const data = all[i];
    const canvas = document.createElement('div');
    data.height = HEIGHTS[data.kind](data);
    canvas.style.height = data.height + 'px';
    canvas.setAttribute('role', 'img');
    element.append(canvas);
    return { element, canvas, data, chart: echarts.init(canvas, null, { renderer: 'svg' }), width: 0 };
  });
  const draw = () => charts.forEach((it) => {
    const width = it.element.clientWidth;
    if (width === it.width || width === 0) {
      return;
    }
    it.width = width;
    it.chart.resize({ width, height: it.data.height });
    const option = KINDS[it.data.kind](it.data, width);
    it.chart.setOption(Object.assign({ animation: false, textStyle: TEXT,
      aria: { enabled: true, label: { description: it.data.title + '. ' + WORDS[it.data.kind](it.data) + '. The data follows as a table.' } } }, option,
    { graphic: { elements: option.graphic } }), { notMerge: true });
  });
  draw();
  window.addEventListener('resize', draw);

  const save = (name, type, content) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([content], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  const fileName = (words, ending) => 'sluice-' + words.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60) + ending;
  const tool = (after, label, of, action) => {
    const tools = document.createElement('p');
    const button = document.createElement('button');
    tools.className = 'tools';
    button.type = 'button';
    button.textContent = label;
    button.setAttribute('aria-label', label + ': ' + of);
    button.addEventListener('click', action);
    tools.append(button);
    after.after(tools);
  };

  // A saved file has no style sheet, so it gets the current colours of the page.
  charts.forEach((it) => tool(it.element.closest('.scroll'), 'Save as SVG', it.data.title, () => {
    const svg = it.canvas.querySelector('svg').cloneNode(true);
    const style = getComputedStyle(document.documentElement);
    const colours = (content) => content.replace(/var\((--[a-z0-9]+)\)/g, (_, name) => style.getPropertyValue(name).trim());
    svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    svg.setAttribute('style', 'background: ' + style.getPropertyValue('--card').trim());
    save(fileName(it.data.title, '.svg'), 'image/svg+xml', colours(new XMLSerializer().serializeToString(svg)));
  }));

  const UNITS = { s: 1, min: 60, h: 3600, B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 };
  // Sort key of a cell: its first figure in base units, or its text. Cells without a figure come last.
  const sortKey = (content, isFigure) => {
    if (!isFigure) {
      const number = /^[\d,]+/.exec(content);
      return number ? Number(number[0].replace(/,/g, '')) : content.toLowerCase();
    }
    const figure = /^[<>]? ?(−?)([\d,]+(?:\.\d+)?) ?([A-Za-z]*)/.exec(content);
    return figure ? (figure[1] ? -1 : 1) * Number(figure[2].replace(/,/g, '')) * (UNITS[figure[3]] || 1) : null;
  };
  const compare = (a, b) => (a === b ? 0 : a === null ? 1 : b === null ? -1
    : typeof a === typeof b ? (a < b ? -1 : 1) : typeof a === 'number' ? -1 : 1);

  [...document.querySelectorAll('table')].forEach((table) => {
    const heads = [...table.tHead.rows[0].cells];
    const body = table.tBodies[0];
    const caption = table.caption.textContent;
    const rows = [...body.rows];
    tool(table.closest('.scroll'), 'Save as CSV', caption, () => {
      const quoted = (cell) => '"' + cell.textContent.replace(/"/g, '""') + '"';
      save(fileName(caption, '.csv'), 'text/csv', [table.tHead.rows[0], ...body.rows].map((row) => [...row.cells].map(quoted).join(',')).join('\r\n') + '\r\n');
    });
    if (rows.length > 2) {
      heads.forEach((head, column) => {
        const button = document.createElement('button');
        button.type = 'button';
        button.append(...head.childNodes);
        head.append(button);
        button.addEventListener('click', () => {
          // Ascending, descending, original order.
          const next = { none: 'ascending', ascending: 'descending', descending: 'none' }[head.getAttribute('aria-sort') || 'none'];
          heads.forEach((other) => other.removeAttribute('aria-sort'));
          const sorted = rows.slice();
          if (next !== 'none') {
            head.setAttribute('aria-sort', next);
            const sign = next === 'ascending' ? 1 : -1;
            const keyed = rows.map((row) => ({ row, key: sortKey(row.cells[column].textContent, head.classList.contains('figure')) }));
            keyed.sort((a, b) => (a.key === null || b.key === null ? 1 : sign) * compare(a.key, b.key));
            keyed.forEach((each, i) => { sorted[i] = each.row; });
          }
          body.append(...sorted);
        });
      });
    }
  });

  // The columns of text stay in place while the figures scroll, if they leave enough room.
  // Everything is measured before anything is changed: each change would make the browser lay the page out again.
  const hold = (part) => [...part.querySelectorAll('table')].map((table) => {
    const box = table.closest('.scroll');
    const words = [...table.tHead.rows[0].cells].filter((head) => head.classList.contains('words'));
    const scrolls = box.scrollWidth > box.clientWidth;
    return { table, lefts: words.map((head) => {
      const left = head.offsetLeft - table.offsetLeft;
      return scrolls && left + head.offsetWidth < box.clientWidth / 2 ? left + 'px' : '';
    }) };
  }).forEach(({ table, lefts }) => [...table.rows].forEach((row) => lefts.forEach((left, i) => {
    row.cells[i].classList.toggle('held', left !== '');
    row.cells[i].style.left = left;
  })));
  hold(document);
  window.addEventListener('resize', () => hold(document));
  document.querySelectorAll('details').forEach((details) => details.addEventListener('toggle', () => hold(details)));

  // Tables cannot be expanded on paper.
  let folded = [];
  window.addEventListener('beforeprint', () => {
    folded = [...document.querySelectorAll('details:not([open])')];
    folded.forEach((details) => { details.open = true; });
  });
  window.addEventListener('afterprint', () => {
    folded.forEach((details) => { details.open = false; });
  });
})();
