// Requests new figures every second and draws them. It does without a charting library, because the page shares the
// machine with the services that it shows.
(function () {
  'use strict';

  const PERIOD_MILLIS = 1000;
  const MAX_READINGS = 600;
  const MIN_MILLIS = 30000;
  const SVG = 'http://www.w3.org/2000/svg';
  const COLOURS = ['var(--s1)', 'var(--s0)', 'var(--s3)', 'var(--s2)', 'var(--s4)', 'var(--s5)'];
  // Series with a fixed colour and dash. Other series get theirs from a hash of their name.
  const KNOWN = ['sync saved', 'queued accepted', 'queued saved', 'sync', 'queued', 'saved', 'in the gateways, sync', 'in the gateways, queued',
    'in Kafka', 'pending', 'in delivery', 'delivered: saved', 'backend: saved', 'dead letters'];
  const DASHES = ['none', '7 3', '2 3'];
  const LEVELS = { 0: 'closed', 0.5: 'half-open', 1: 'open' };
  const PLOT = { left: 54, right: 8, top: 8, bottom: 22, height: 170 };
  const NONE = '–';

  const state = document.getElementById('state');
  const said = document.getElementById('said');
  const span = document.getElementById('span');
  const pause = document.getElementById('pause');
  let moments = [];
  let begun = null;
  let paused = false;
  let names = [];
  let range = null;
  const down = new Map();

  const element = (name, attributes) => {
    const created = document.createElementNS(SVG, name);
    Object.entries(attributes).forEach(([key, value]) => created.setAttribute(key, value));
    return created;
  };
  const put = (node, text) => {
    if (node.textContent !== text) {
      node.textContent = text;
    }
  };
  const figure = (value) => {
    if (value === undefined || value === null) {
      return NONE;
    }
    // A remainder of rounding counts as 0.
    return Math.abs(value) < 1e-6 ? '0' : Math.abs(value) < 0.001 ? '< 0.001'
      : Number(value.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: 3 });
  };
  const clock = (millis) => new Date(millis).toLocaleTimeString('en-GB');
  // The next number, at or above a value, that is easy to halve.
  const nice = (value) => {
    const power = Math.pow(10, Math.floor(Math.log10(value)));
    return [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((top) => top >= value * 0.9999);
  };

  // The colour and dash of a series. A service has the same in every chart; a name that is not known gets a free one.
  const look = (name, others) => {
    const service = names.indexOf(name);
    if (service >= 0) {
      return service;
    }
    const taken = new Set([...others.values()].map((line) => line.number));
    const places = COLOURS.length * DASHES.length;
    let number = KNOWN.indexOf(name);
    if (number < 0) {
      number = [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 9973, 7);
    }
    number %= places;
    for (let i = 0; i < places && taken.has(number); i++) {
      number = (number + 1) % places;
    }
    return number;
  };

  class Panel {

    constructor(section) {
      this.id = section.id;
      this.title = section.querySelector('h2').textContent;
      this.levels = this.id === 'circuits';
      this.rows = document.getElementById(this.id + '-rows');
      this.series = new Map();
      this.svg = element('svg', { role: 'img', 'aria-label': this.title + ', over time. Its figures follow as a table.' });
      this.axes = element('g', {});
      this.lines = element('g', {});
      this.cross = element('line', { class: 'cross', y1: PLOT.top, y2: PLOT.height - PLOT.bottom, visibility: 'hidden' });
      this.svg.append(this.axes, this.lines, this.cross);
      this.plot = section.querySelector('.plot');
      this.plot.append(this.svg);
      this.at = section.querySelector('.at');
      this.drawn = '';
      this.plot.addEventListener('pointermove', (event) => point(event.clientX - this.plot.getBoundingClientRect().left, this.plot.clientWidth));
      this.plot.addEventListener('pointerleave', () => point(null));
    }

    // A line of the chart and its row in the table, which is also the legend.
    line(name) {
      let line = this.series.get(name);
      if (!line) {
        const number = look(name, this.series);
        const drawn = { stroke: COLOURS[number % COLOURS.length],
          'stroke-dasharray': DASHES[Math.floor(number / COLOURS.length) % DASHES.length] };
        line = { number, path: element('path', drawn), row: document.createElement('tr'), cells: [] };
        const head = document.createElement('th');
        head.scope = 'row';
        head.className = 'words';
        const swatch = element('svg', { class: 'swatch', 'aria-hidden': 'true', viewBox: '0 0 26 10' });
        swatch.append(element('line', Object.assign({ x1: 0, y1: 5, x2: 26, y2: 5 }, drawn)));
        head.append(swatch, name);
        line.row.append(head);
        for (let i = 0; i < 4; i++) {
          const cell = document.createElement('td');
          cell.className = 'figure';
          line.row.append(cell);
          line.cells.push(cell);
        }
        // Rows are sorted by name, so that a new one does not reorder the others.
        const next = [...this.series.keys()].filter((other) => other > name).sort()[0];
        this.rows.insertBefore(line.row, next ? this.series.get(next).row : null);
        this.lines.append(line.path);
        this.series.set(name, line);
      }
      return line;
    }

    draw(shown, from, to) {
      const width = this.plot.clientWidth;
      let top = 0;
      shown.forEach((moment) => Object.entries(moment.figures[this.id]).forEach(([name, value]) => {
        this.line(name);
        top = Math.max(top, value);
      }));
      top = this.levels || top === 0 ? 1 : nice(top);
      this.drawAxes(width, top, to - from);
      const x = (millis) => PLOT.left + (millis - from) / (to - from) * (width - PLOT.left - PLOT.right);
      const y = (value) => PLOT.top + (1 - value / top) * (PLOT.height - PLOT.top - PLOT.bottom);
      this.series.forEach((line, name) => {
        let path = '';
        let before = null;
        let sum = 0;
        let count = 0;
        let greatest = null;
        shown.forEach((moment) => {
          const value = moment.figures[this.id][name];
          if (value === undefined) {
            before = null;
            return;
          }
          path += (before === moment.number - 1 ? 'L' : 'M') + x(moment.epochMillis).toFixed(1) + ' ' + y(value).toFixed(1);
          before = moment.number;
          sum += value;
          count++;
          greatest = Math.max(greatest, value);
        });
        line.path.setAttribute('d', path);
        const now = shown.length ? shown[shown.length - 1].figures[this.id][name] : undefined;
        const format = this.levels ? (value) => LEVELS[value] || NONE : figure;
        put(line.cells[0], format(now));
        put(line.cells[1], this.levels || count === 0 ? NONE : figure(sum / count));
        put(line.cells[2], format(greatest));
      });
    }

    // Marks a moment and shows its figures in a column of the table.
    mark(moment, from, to) {
      put(this.at, moment ? clock(moment.epochMillis) : 'at the pointer');
      if (moment) {
        const x = PLOT.left + (moment.epochMillis - from) / (to - from) * (this.plot.clientWidth - PLOT.left - PLOT.right);
        this.cross.setAttribute('x1', x);
        this.cross.setAttribute('x2', x);
      }
      this.cross.setAttribute('visibility', moment ? 'visible' : 'hidden');
      const format = this.levels ? (value) => LEVELS[value] || NONE : figure;
      this.series.forEach((line, name) => put(line.cells[3], moment ? format(moment.figures[this.id][name]) : NONE));
    }

    drawAxes(width, top, length) {
      const what = [width, top, length].join();
      if (what === this.drawn) {
        return;
      }
      this.drawn = what;
      this.axes.replaceChildren();
      const plotHeight = PLOT.height - PLOT.top - PLOT.bottom;
      [0, 0.5, 1].forEach((share) => {
        const y = PLOT.top + (1 - share) * plotHeight;
        this.axes.append(element('line', { x1: PLOT.left, y1: y, x2: width - PLOT.right, y2: y }));
        const label = element('text', { x: PLOT.left - 8, y: y + 4, 'text-anchor': 'end' });
        label.textContent = this.levels ? LEVELS[share] : figure(share * top);
        this.axes.append(label);
      });
      [1, 0.5, 0].forEach((share) => {
        const label = element('text', { x: width - PLOT.right - share * (width - PLOT.left - PLOT.right), y: PLOT.height - 4,
          'text-anchor': share === 0 ? 'end' : share === 1 ? 'start' : 'middle' });
        label.textContent = share === 0 ? 'now' : '−' + Math.round(share * length / 1000) + ' s';
        this.axes.append(label);
      });
    }

  }

  const panels = [...document.querySelectorAll('.panel')].map((section) => new Panel(section));

  // Position of the mouse as a share of the plot's width, which is the same for all charts.
  let pointed = null;
  function point(x, width) {
    pointed = x === null ? null : (x - PLOT.left) / (width - PLOT.left - PLOT.right);
    follow();
  }
  function follow() {
    if (moments.length === 0 || !range) {
      return;
    }
    const millis = range.from + pointed * (range.to - range.from);
    const moment = pointed === null || pointed < 0 || pointed > 1 ? null
      : range.shown.reduce((best, each) => (Math.abs(each.epochMillis - millis) < Math.abs(best.epochMillis - millis) ? each : best));
    panels.forEach((panel) => panel.mark(moment, range.from, range.to));
  }

  function large(latest) {
    const of = (panel, wanted) => {
      const values = Object.entries(latest.figures[panel]).filter(([name]) => wanted(name)).map(([, value]) => value);
      return values.length ? values : null;
    };
    const sum = (values) => (values ? values.reduce((total, value) => total + value, 0) : null);
    const answered = sum(of('orders', () => true));
    const well = sum(of('orders', (name) => /(saved|accepted)$/.test(name))) || 0;
    put(document.getElementById('big-answered'), figure(answered));
    put(document.getElementById('big-failed'), answered === null ? NONE : answered < 1e-6 ? '0 %'
      : figure((answered - well) / answered * 100) + ' %');
    put(document.getElementById('big-saved'), figure(sum(of('delivered', (name) => name === 'backend: saved'))));
    put(document.getElementById('big-waiting'), figure(sum(of('waiting', (name) => name !== 'in delivery'))));
    const slowest = of('p99', (name) => name !== 'saved');
    put(document.getElementById('big-p99'), figure(slowest ? Math.max(...slowest) : null));
  }

  function services(latest) {
    const rows = document.getElementById('services-rows');
    if (rows.children.length !== latest.services.length) {
      rows.replaceChildren(...latest.services.map((service) => {
        const row = document.createElement('tr');
        const head = document.createElement('th');
        head.scope = 'row';
        head.textContent = service.name;
        row.append(head, document.createElement('td'), document.createElement('td'));
        row.children[1].textContent = service.uri;
        return row;
      }));
    }
    const news = [];
    latest.services.forEach((service, i) => {
      const cell = rows.children[i].children[2];
      if (service.problem && !down.has(service.name)) {
        down.set(service.name, since(service.name));
        news.push(service.name + ' is down: ' + service.problem + '.');
      } else if (!service.problem && down.has(service.name)) {
        down.delete(service.name);
        news.push(service.name + ' answers again.');
      }
      cell.className = service.problem ? 'down' : '';
      put(cell, service.problem ? 'down: ' + service.problem + ', since ' + clock(down.get(service.name)) : 'answers');
    });
    const answering = latest.services.length - down.size;
    put(state, clock(latest.epochMillis) + (paused ? ', paused' : '') + ': ' + answering + ' of ' + latest.services.length
      + ' services answer.');
    if (news.length) {
      say(news.join(' '));
    } else if (down.size === 0 && !said.hidden && said.dataset.at < Date.now() - 10 * PERIOD_MILLIS) {
      said.hidden = true;
    }
  }

  // When it went down.
  function since(name) {
    let first = null;
    for (let i = moments.length - 1; i >= 0; i--) {
      if (!moments[i].services.some((service) => service.name === name && service.problem)) {
        break;
      }
      first = moments[i].epochMillis;
    }
    return first;
  }

  function say(text) {
    said.hidden = false;
    said.dataset.at = Date.now();
    put(said, text);
  }

  function draw() {
    if (moments.length === 0 || document.hidden) {
      return;
    }
    names = moments[moments.length - 1].services.map((service) => service.name);
    const to = moments[moments.length - 1].epochMillis;
    // While there is less than the requested period: all of it.
    const from = Math.max(to - span.value * 1000, Math.min(moments[0].epochMillis, to - MIN_MILLIS));
    const shown = moments.filter((moment) => moment.epochMillis >= from);
    panels.forEach((panel) => panel.draw(shown, from, to));
    large(moments[moments.length - 1]);
    range = { shown, from, to };
    follow();
  }

  async function ask() {
    try {
      const after = moments.length ? moments[moments.length - 1].number : 0;
      const response = await fetch('/moments?after=' + after, { signal: AbortSignal.timeout(5 * PERIOD_MILLIS) });
      if (!response.ok) {
        throw new Error('HTTP ' + response.status);
      }
      const answer = await response.json();
      if (begun !== null && answer.begun !== begun) {
        // The lab was restarted and may show other services.
        location.reload();
        return;
      }
      begun = answer.begun;
      if (document.body.classList.contains('alone')) {
        document.body.classList.remove('alone');
        say('lab watch answers again.');
      }
      moments = moments.concat(answer.moments).slice(-MAX_READINGS);
      if (answer.moments.length && !paused) {
        services(moments[moments.length - 1]);
        draw();
      }
    } catch (failure) {
      if (!document.body.classList.contains('alone')) {
        document.body.classList.add('alone');
        say('lab watch itself does not answer (' + failure.message + '); this page asks on.');
      }
    }
  }

  async function askOn() {
    await ask();
    setTimeout(askOn, PERIOD_MILLIS);
  }

  pause.addEventListener('click', () => {
    paused = !paused;
    pause.setAttribute('aria-pressed', String(paused));
    if (moments.length) {
      services(moments[moments.length - 1]);
    }
    if (!paused) {
      draw();
    }
  });
  span.addEventListener('change', draw);
  window.addEventListener('resize', draw);
  document.addEventListener('visibilitychange', draw);
  askOn();
})();
