#!/usr/bin/env python3
"""Recomputes the cells of a run of `lab compare` or `lab grid` from its raw data, without the lab.

usage: recompute.py DIR|ZIP

Reads the load generator's calls, the times of each order, the outcomes and the samples of the processes, with
nothing but Python's standard library and no code of the lab; computes rates, latencies, waits and the CPU of an
order by service; and compares each with run.json at the three significant digits that the report prints. Exit
code 0 if all are equal, 1 if one differs or is missing, 2 if the run cannot be read.
"""

import csv
import decimal
import gzip
import io
import json
import pathlib
import re
import sys
import zipfile
from datetime import datetime, timezone

INTERVAL = 200_000_000  # between samples, in ns
MIN_VALUES_ABOVE = 10  # least number of values above a percentile; with fewer it is not reported


class Unreadable(Exception):
    """The run cannot be read; the message is one line."""


class Directory:
    def __init__(self, path):
        self.path = path

    def names(self):
        return [file.relative_to(self.path).as_posix() for file in sorted(self.path.rglob('*')) if file.is_file()]

    def read(self, name):
        return (self.path / name).read_bytes()


class Zip:
    def __init__(self, path):
        self.zip = zipfile.ZipFile(path)

    def names(self):
        return self.zip.namelist()

    def read(self, name):
        return self.zip.read(name)


def nanos(text):
    """Nanoseconds since 1970 of an ISO 8601 time in UTC."""
    parts = re.fullmatch(r'(\d+-\d+-\d+T\d+:\d+)(?::(\d+)(?:\.(\d+))?)?Z', text)
    if not parts:
        raise Unreadable('not a time: ' + text)
    minute = datetime.strptime(parts[1], '%Y-%m-%dT%H:%M').replace(tzinfo=timezone.utc)
    return (int(minute.timestamp()) + int(parts[2] or 0)) * 10**9 + int((parts[3] or '').ljust(9, '0') or 0)


def rank(count, percent):
    return max(1, -(-percent * count // 100))


def latency(millis):
    millis.sort()
    if not millis:
        return None
    figures = {'min': millis[0], 'mean': sum(millis) / len(millis), 'max': millis[-1]}
    for percent in (50, 95, 99):
        at = rank(len(millis), percent)
        figures['p%d' % percent] = millis[at - 1] if len(millis) - at >= MIN_VALUES_ABOVE else None
    return figures


def wait(orders, end):
    """Orders that did not finish count as the slowest; percentiles need some orders above them."""
    done = sorted(max(0, order[end] - order['due_us']) / 1000 for order in orders if order[end] > 0)
    figures = {'orders': len(orders), 'unfinished': len(orders) - len(done)}
    for percent in (50, 95, 99):
        at = rank(len(orders), percent)
        figures['p%d' % percent] = done[at - 1] if len(orders) - at >= MIN_VALUES_ABOVE and at <= len(done) else None
    return figures


def at(samples, time):
    """A counter at a time, interpolated between the samples around it; None if they are too far apart."""
    before = None
    for sample in samples:
        if sample[0] > time:
            if before is None or sample[0] - before[0] > 5 * INTERVAL:
                return None
            return before[1] + (time - before[0]) / (sample[0] - before[0]) * (sample[1] - before[1])
        before = sample
    return None


def cpu(samples, start, end):
    if end - start < 2 * INTERVAL:
        return None
    first, last = at(samples, start), at(samples, end)
    return last - first if first is not None and last is not None else None


class Round:
    """The files of one load generator."""

    def __init__(self, run, name):
        self.run, self.name = run, name
        self.cpu = {}
        text = run.read('samples/%s.csv' % name).decode()
        for row in csv.DictReader(line for line in io.StringIO(text) if not line.startswith('#')):
            if row['process'] != 'machine':
                self.cpu.setdefault(row['process'], []).append((nanos(row['time']), int(row['cpu_ms'])))

    def rows(self, phase, kind):
        text = gzip.decompress(self.run.read('outcomes/%s/%s.%s.csv.gz' % (self.name, phase, kind))).decode()
        return list(csv.DictReader(io.StringIO(text)))

    def cell(self, phase, variant):
        outcome = json.loads(self.run.read('outcomes/%s/%s.json' % (self.name, phase)))
        orders = [{key: int(value) for key, value in row.items()} for row in self.rows(phase, 'orders')]
        calls = self.rows(phase, 'calls')
        answered = [call for call in calls if call['result'] in ('201', '202')]
        saved = outcome['audit']['saved']
        whole = saved >= outcome['placed'] and outcome['audit']['lastSavedAt']
        start = min((int(call['sent_us']) for call in calls), default=0) * 1000
        end = max(start, nanos(outcome['audit']['lastSavedAt'] if whole else outcome['endedAt']))
        accepting = max((int(call['ended_us']) for call in answered), default=0) * 1000 - start
        figures = {
            'calls': len(calls), 'failedCalls': len(calls) - len(answered), 'accepted': len(answered),
            'saved': sum(order['saved_us'] > 0 for order in orders),
            'savedPerSecond': saved / ((end - start) / 1e9) if end > start else 0,
            'acceptedPerSecond': len(answered) / (accepting / 1e9) if accepting > 0 else 0,
            'latency': latency([(int(call['ended_us']) - int(call['sent_us']) + 500) // 1000 for call in answered]),
            'toAccepted': wait(orders, 'accepted_us'), 'toSaved': wait(orders, 'saved_us'), 'cpu': {}}
        for process, samples in self.cpu.items():
            if not process.startswith('gateway-') or process == 'gateway-' + variant:
                millis = cpu(samples, start, end)
                service = 'gateway' if process.startswith('gateway-') else process
                figures['cpu'][service] = millis / saved if millis is not None and saved > 0 else None
        return figures


def printed(value):
    if value is None:
        return None
    rounded = decimal.Context(prec=3, rounding=decimal.ROUND_HALF_UP).create_decimal(decimal.Decimal(value))
    return decimal.Decimal(0) if rounded == 0 else rounded.normalize()


def flat(figures, prefix=''):
    for key, value in figures.items():
        if isinstance(value, dict):
            yield from flat(value, prefix + key + '.')
        else:
            yield prefix + key, value


def main(arguments):
    if len(arguments) != 1:
        print(__doc__.split('\n\n')[1], file=sys.stderr)
        return 2
    path = pathlib.Path(arguments[0])
    run = Directory(path) if path.is_dir() else Zip(path)
    result = json.loads(run.read('run.json'))
    cells = (result.get('finding') or {}).get('cells', [])
    if result['experiment'] not in ('compare', 'grid') or not cells:
        raise Unreadable('it is not a run of lab compare or lab grid with cells')
    outcomes, rounds = set(run.names()), {}
    compared, wrong, greatest = 0, [], 0.0
    for cell in cells:
        key = cell['cell']
        phase = '%s %s %s %d' % (key['variant'], key['mode'], key['capacity'], key['load']['size'])
        # Older runs have a directory for each repetition.
        old = [file.split('/')[1] for file in outcomes
               if file.startswith('outcomes/') and file.endswith('/' + phase + '.json')
               and file.split('/')[1].split('-')[0] == str(key['repetition'])]
        phase += '' if old else ' repetition %d' % key['repetition']
        names = old or [file.split('/')[1] for file in outcomes
                        if file.startswith('outcomes/') and file.endswith('/' + phase + '.json')]
        if len(names) != 1:
            raise Unreadable('%d outcomes of %s' % (len(names), phase))
        if names[0] not in rounds:
            rounds[names[0]] = Round(run, names[0])
        ours = dict(flat(rounds[names[0]].cell(phase, key['variant'])))
        reported = {name: cell[name] for name in ('calls', 'failedCalls', 'accepted', 'saved', 'savedPerSecond',
                                                  'acceptedPerSecond', 'latency', 'toAccepted', 'toSaved')}
        reported['cpu'] = {service: cost['cpuMillisPerOrder'] for service, cost in cell['services'].items()}
        reported = dict(flat(reported))
        if 'latency.min' not in reported:
            ours.pop('latency.min', None)  # older runs lack it
        for name in sorted(ours.keys() | reported.keys()):
            compared += 1
            one, other = ours.get(name), reported.get(name)
            if printed(one) != printed(other):
                wrong.append('%s, repetition %d, %s: recomputed %s, run.json has %s'
                             % (phase, key['repetition'], name, one, other))
            elif one:
                greatest = max(greatest, abs(one - other) / abs(one))
    for line in wrong:
        print(line)
    print('%d figures of %d cells recomputed, %d differ as printed; greatest relative difference of the others %.1g'
          % (compared, len(cells), len(wrong), greatest))
    return 1 if wrong else 0


if __name__ == '__main__':
    try:
        sys.exit(main(sys.argv[1:]))
    except (Unreadable, OSError, KeyError, ValueError, IndexError, EOFError, zipfile.BadZipFile) as ex:
        print('recompute.py: %s' % (ex if isinstance(ex, Unreadable) else repr(ex)), file=sys.stderr)
        sys.exit(2)
