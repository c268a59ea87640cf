// Draws the charts of a report from the data beside them. Colours are the style sheet's variables, so that
// a change of the colour scheme or printing needs no drawing anew.
(function () {
  'use strict';

  const SHAPES = ['circle', 'rect', 'diamond', 'triangle', 'roundRect'];
  const TEXT = { color: 'var(--soft)', fontSize: 12, fontFamily: 'system-ui, "Segoe UI", "DejaVu Sans", sans-serif' };
  const INK = Object.assign({}, TEXT, { color: 'var(--ink)' });
  const GRID = { show: true, lineStyle: { color: 'var(--rule)' } };

  const colour = (style) => (style < 0 ? 'var(--reference)' : 'var(--s' + Math.min(style, 4) + ')');
  const shape = (style) => (style < 0 ? 'circle' : SHAPES[Math.min(style, 4)]);
  const measured = (value) => {
    if (value === null || value === undefined) {
      return '–';
    }
    if (value !== 0 && Math.abs(value) < 0.001) {
      return '< 0.001';
    }
    return Number(value.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: 3 });
  };
  // 1, 2 or 5 times a power of ten, at or above a value.
  const nice = (value) => {
    const power = Math.pow(10, Math.floor(Math.log10(value || 1)));
    return [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((top) => top >= value * 0.9999);
  };
  // Divides an axis that ends at a nice value into three to five equal and nice steps.
  const step = (top) => {
    const leading = Number(top.toExponential(1).split('e')[0]);
    return top / ([1.5, 3, 6].includes(leading) ? 3 : [1, 2.5, 5].includes(leading) ? 5 : 4);
  };
  const ticks125 = (min, max) => {
    const ticks = [];
    for (let power = Math.floor(Math.log10(min)); power <= Math.ceil(Math.log10(max)); power++) {
      for (const step of [1, 2, 5]) {
        const tick = step * Math.pow(10, power);
        if (tick >= min * 0.9999 && tick <= max * 1.0001) {
          ticks.push(tick);
        }
      }
    }
    return ticks;
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

  // Moves labels apart, as little as needed, between two bounds.
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
    const right = 18 + Math.max(...data.lines.map((line) => measure(line.name, true)));
    const grid = { left: 62, right, top: 30, bottom: 46 };
    const xs = data.loads;
    const span = Math.max(Math.log10(xs[xs.length - 1] / xs[0]), 0.1);
    const xMin = Math.log10(xs[0]) - span * 0.03;
    const xMax = Math.log10(xs[xs.length - 1]) + span * 0.01;
    const yMax = nice(data.yMax);
    const plotWidth = width - grid.left - grid.right;
    const plotHeight = data.height - grid.top - grid.bottom;
    const xPixel = (x) => grid.left + ((Math.log10(x) - xMin) / (xMax - xMin)) * plotWidth;
    const yPixel = (y) => grid.top + (1 - y / yMax) * plotHeight;
    const graphic = [text(grid.left, 10, data.yName), text(grid.left + plotWidth / 2, data.height - 10, data.xName, {}, 'center')];
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
    // A label stands right of the plot also where its line ends early; a thin line leads to it.
    const ends = data.lines.map((line) => line.points[line.points.length - 1]);
    const places = apart(ends.map((end) => yPixel(end.y)), 15, grid.top + 2, grid.top + plotHeight - 2);
    data.lines.forEach((line, i) => {
      const x = xPixel(ends[i].x);
      const from = width - right + 6;
      if (Math.abs(places[i] - yPixel(ends[i].y)) > 3 || from - x > 14) {
        graphic.push(rule(x + 5, yPixel(ends[i].y), from + 4, places[i], { stroke: colour(line.style), opacity: 0.5 }));
      }
      graphic.push(text(from + 6, places[i], line.name, { fill: colour(line.style), fontWeight: 'bold' }));
    });
    const series = data.lines.map((line) => ({
      type: 'line', name: line.name, symbol: shape(line.style), symbolSize: 8, z: line.style < 0 ? 2 : 3, clip: false,
      lineStyle: { color: colour(line.style), width: 2, type: line.style < 0 ? 'dashed' : 'solid' },
      itemStyle: { color: colour(line.style) }, emphasis: { disabled: true },
      data: line.points.map((p) => ({
        value: [Math.log10(p.x), p.y],
        itemStyle: p.marked ? { color: 'var(--card)', borderColor: colour(line.style), borderWidth: 2 } : undefined,
        point: p,
      })),
    }));
    for (const line of data.lines) {
      for (const p of line.points) {
        if (p.high > p.low) {
          const x = xPixel(p.x);
          const style = { stroke: colour(line.style), lineWidth: 1.5, opacity: 0.75 };
          graphic.push(rule(x, yPixel(p.low), x, yPixel(p.high), style));
          graphic.push(rule(x - 4, yPixel(p.low), x + 4, yPixel(p.low), style));
          graphic.push(rule(x - 4, yPixel(p.high), x + 4, yPixel(p.high), style));
        }
      }
    }
    return {
      grid,
      graphic,
      xAxis: { type: 'value', min: xMin, max: xMax, axisLabel: { show: false }, axisTick: { show: false },
        splitLine: { show: false }, axisLine: { lineStyle: { color: 'var(--line)' } } },
      yAxis: { type: 'value', min: 0, max: yMax, interval: step(yMax), axisLabel: Object.assign({ formatter: measured }, TEXT), splitLine: GRID },
      tooltip: tooltip((item) => echarts.format.encodeHTML(item.seriesName) + '<br>' + echarts.format.encodeHTML(data.xName) + ' ' + item.data.point.x.toLocaleString('en-US') + ': ' + measured(item.data.point.y)
        + (item.data.point.marked ? ' †' : '')),
      series,
    };
  }

  function spread(data, width) {
    const left = 22 + Math.max(...data.rows.map((row) => measure(row.name + ' †', true)));
    const grid = { left, right: 46, top: 14, bottom: 40 };
    const min = Math.max(data.min / 1.3, 0.05);
    const max = data.max * 1.3;
    const plotWidth = width - grid.left - grid.right;
    const plotHeight = data.height - grid.top - grid.bottom;
    const xPixel = (ms) => grid.left + (Math.log10(Math.max(ms, min) / min) / Math.log10(max / min)) * plotWidth;
    const graphic = [];
    let last = -Infinity;
    for (const tick of ticks125(min, max)) {
      graphic.push(rule(xPixel(tick), grid.top, xPixel(tick), grid.top + plotHeight));
      const label = measured(tick) + ' ms';
      if (xPixel(tick) - measure(label) / 2 > last + 8) {
        graphic.push(text(xPixel(tick), grid.top + plotHeight + 16, label, {}, 'center'));
        last = xPixel(tick) + measure(label) / 2;
      }
    }
    const pitch = plotHeight / data.rows.length;
    data.rows.forEach((row, i) => {
      const y = grid.top + pitch * (i + 0.62);
      const fill = colour(row.style);
      const name = row.name + (row.marked ? ' †' : '');
      graphic.push(text(left - 12, y, name, { fill, fontWeight: 'bold' }, 'right'));
      const dots = [['p50', row.p50, true], ['p95', row.p95, false], ['p99', row.p99, true], ['max', row.max, false]]
        .filter(([, value]) => value !== null);
      if (!dots.length) {
        graphic.push(text(left, y, 'not measured', {}));
        return;
      }
      graphic.push(rule(xPixel(dots[0][1]), y, xPixel(dots[dots.length - 1][1]), y, { stroke: fill, lineWidth: 3, opacity: 0.45 }));
      for (const [, value, solid] of dots.slice().reverse()) {
        graphic.push({ type: 'circle', shape: { cx: xPixel(value), cy: y, r: solid ? 5.5 : 4 }, silent: true,
          style: { fill: solid ? fill : 'var(--card)', stroke: fill, lineWidth: 1.5 } });
      }
      // The least always has its label, then the greatest, then the one before, as far as there is room.
      const taken = [];
      for (const [label, value] of [...new Set([dots[0], dots[dots.length - 1], dots[Math.max(0, dots.length - 2)]])]) {
        const content = label + ' ' + measured(value);
        const half = measure(content) / 2 + 5;
        const x = xPixel(value);
        if (taken.every(([from, to]) => x + half < from || x - half > to)) {
          graphic.push(text(x, y - 15, content, {}, 'center'));
          taken.push([x - half, x + half]);
        }
      }
    });
    return { graphic };
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
        spanElements.push({ type: 'rect', silent: true, shape: { x, y: y + 3, width: length, height: lane - 6, r: 2 },
          style: { fill: colour(span.style), opacity: 0.85 } });
        // On the bar, or right of it; else the colour and the table say it.
        const next = Math.min(...data.spans.filter((it) => it.lane === name && it.from > span.from).map((it) => xPixel(it.from)),
          plot.left + plotWidth);
        const wide = measure(span.name) + 6;
        if (length > wide) {
          spanElements.push(text(x + 4, y + lane / 2, span.name, { fill: 'var(--card)' }));
          taken = x + length;
        } else if (x + length + wide < next && x > taken) {
          spanElements.push({ type: 'rect', silent: true, shape: { x: x + length + 2, y: y + 3, width: wide - 2, height: lane - 6 },
            style: { fill: 'var(--card)' } });
          spanElements.push(text(x + length + 4, y + lane / 2, span.name, { fill: colour(span.style) }));
          taken = x + length + wide;
        }
      }
    });
    const option = { grid: [], xAxis: [], yAxis: [], series: [], graphic: spanElements,
      axisPointer: { link: [{ xAxisIndex: 'all' }], lineStyle: { color: 'var(--line)' } },
      tooltip: Object.assign(tooltip((items) => (items.length ? 'second ' + items[0].data[0] : '')
        + items.map((item) => '<br>' + echarts.format.encodeHTML(item.seriesName) + ': ' + measured(item.data[1])).join('')), { trigger: 'axis' }) };
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
        ? { type: 'log', min: 1, max: Math.pow(10, Math.max(1, Math.ceil(Math.log10(p.max || 1)))) }
        : { type: 'value', min: 0, max: nice(p.max || 1), interval: nice(p.max || 1) / 2 }));
      option.series.push(Object.assign({ name: p.name, xAxisIndex: i, yAxisIndex: i, data: values, color: colour(p.style),
        itemStyle: { color: colour(p.style) }, emphasis: { disabled: true } }, p.form === 'bars'
        ? { type: 'bar', barWidth: Math.max(1, Math.min(18, (plotWidth / data.seconds) * 0.7)) }
        : { type: 'line', showSymbol: data.seconds <= 30, symbol: 'circle', symbolSize: 5, lineStyle: { color: colour(p.style), width: 1.7 },
          areaStyle: p.form === 'area' ? { color: colour(p.style), opacity: 0.13 } : undefined }));
      option.graphic.push(text(plot.left, y - 13, p.name + (any ? '' : ': not sampled'), { fill: colour(p.style), fontWeight: 'bold' }));
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
      graphic.push({ type: 'rect', silent: true, shape: { x, y: y - 6, width: 11, height: 11 }, style: { fill: 'var(--p' + Math.min(i, 4) + ')' } });
      graphic.push(text(x + 16, y, part));
      x += 30 + measure(part);
    });
    const grid = { left, right: 62, top: y + 18, bottom: 42 };
    graphic.push(text(left + (width - left - grid.right) / 2, data.height - 9, data.xName, {}, 'center'));
    const top = nice(data.xMax);
    const fits = (width - left - grid.right) * step(top) / top > measure(measured(top)) + 12;
    return {
      grid,
      graphic,
      xAxis: { type: 'value', min: 0, max: top, interval: fits ? step(top) : top / 2, axisLabel: Object.assign({ formatter: measured }, TEXT), splitLine: GRID },
      yAxis: { type: 'category', inverse: true, data: names, axisTick: { show: false }, axisLine: { lineStyle: { color: 'var(--line)' } },
        axisLabel: Object.assign({}, INK, { interval: 0 }) },
      tooltip: tooltip((item) => echarts.format.encodeHTML(item.name) + '<br>' + echarts.format.encodeHTML(item.seriesName) + ': ' + measured(item.value)),
      series: data.parts.map((part, i) => ({
        type: 'bar', name: part, stack: 'sum', barWidth: '58%', itemStyle: { color: 'var(--p' + Math.min(i, 4) + ')' }, emphasis: { disabled: true },
        data: data.rows.map((row) => row.values[i]),
      })).concat([{
        type: 'bar', stack: 'sum', silent: true, tooltip: { show: false }, emphasis: { disabled: true }, data: sums.map(() => 0),
        label: Object.assign({ show: true, position: 'right', formatter: (item) => measured(sums[item.dataIndex]) }, INK),
      }]),
    };
  }

  const KINDS = { lines, spread, seconds, stack };

  document.documentElement.classList.add('js');
  const charts = [...document.querySelectorAll('.chart')].map((element) => {
    const data = JSON.parse(element.querySelector('script').textContent);
    const canvas = document.createElement('div');
    canvas.style.height = data.height + 'px';
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
      aria: { enabled: true, label: { description: it.data.title + '. ' + it.data.description + ' The data follows as a table.' } } }, option,
    { graphic: { elements: option.graphic } }), { notMerge: true });
  });
  draw();
  window.addEventListener('resize', draw);

  // On paper, tables cannot be unfolded.
  let folded = [];
  window.addEventListener('beforeprint', () => {
    folded = [...document.querySelectorAll('details:not([open])')];
    folded.forEach((details) => { details.open = true; });
    draw();
  });
  window.addEventListener('afterprint', () => {
    folded.forEach((details) => { details.open = false; });
    draw();
  });
})();
