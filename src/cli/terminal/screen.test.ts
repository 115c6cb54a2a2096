import { expect, test } from 'bun:test';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { createScreen } from './screen.ts';
import { createTxRate, formatStatusLine } from './status-line.ts';

/** A terminal that shows what was written to it: understands carriage return, line feed and "erase line". */
function createTerminal() {
  const rows = [''];
  let [writes, isFull] = [0, false];
  let drain = (): void => {};
  const write = (text: string): boolean => {
    writes++;
    for (const [at, line] of text.split('\n').entries()) {
      if (at > 0) rows.push('');
      const [kept = '', erased] = line.split('\r\x1b[K');
      rows[rows.length - 1] = erased ?? rows[rows.length - 1] + kept;
    }
    return !isFull;
  };
  let fail = (): void => {};
  const on = (event: 'drain' | 'error', listener: () => void): void => {
    if (event === 'drain') drain = listener;
    else fail = listener;
  };
  const output = { isTTY: true, columns: 20, write, on };
  return {
    output,
    rows,
    writes: () => writes,
    fill: () => {
      isFull = true;
    },
    empty: () => {
      isFull = false;
      drain();
    },
    fail: () => {
      isFull = false;
      fail();
    },
  };
}

test('lines are printed above the status line, which is drawn at most four times a second', async () => {
  const { timing, pass } = createVirtualTiming();
  const { output, rows, writes } = createTerminal();
  const screen = createScreen({
    out: output,
    err: output,
    isInteractive: true,
    after: timing.after,
    formatNote: (text) => `note: ${text}`,
  });
  screen.print('banner');
  let height = 0;
  screen.setStatus((columns) => `height ${height}`.slice(0, columns));
  expect(rows).toEqual(['banner', 'height 0']);
  const before = writes();
  for (let i = 0; i < 100; i++) {
    height++;
    screen.print(`#${height}`);
    await pass(10);
  }
  expect(writes() - before).toBeLessThanOrEqual(4);
  await pass(250);
  expect(rows.slice(1)).toEqual([...Array.from({ length: 100 }, (_, i) => `#${i + 1}`), 'height 100']);
  // An unchanged status line is drawn once a second, in case another process has written over it.
  const still = writes();
  await pass(5000);
  expect(writes() - still).toBeLessThanOrEqual(11);
  expect(rows.at(-1)).toBe('height 100');
});

test('a line on stderr and a progress bar replace the status line; close removes it', async () => {
  const { timing, pass } = createVirtualTiming();
  const { output, rows } = createTerminal();
  const screen = createScreen({
    out: output,
    err: output,
    isInteractive: true,
    after: timing.after,
    formatNote: (text) => `note: ${text}`,
  });
  screen.setStatus(() => 'status');
  screen.print('waiting');
  screen.log('an error', true);
  expect(rows).toEqual(['waiting', 'an error', '']);
  await pass(250);
  expect(rows.at(-1)).toBe('status');
  screen.clear(true);
  await pass(1000);
  expect(rows.at(-1)).toBe('');
  screen.clear(false);
  await pass(250);
  expect(rows.at(-1)).toBe('status');
  screen.print('last');
  screen.close();
  expect(rows).toEqual(['waiting', 'an error', 'last', '']);
  screen.print('after the end');
  expect(rows.slice(-2)).toEqual(['after the end', '']);
});

test('lines of the log that are not urgent are printed with the next drawing, or at once if stderr is not the terminal', async () => {
  const { timing, pass } = createVirtualTiming();
  const { output, rows } = createTerminal();
  const screen = createScreen({
    out: output,
    err: output,
    isInteractive: true,
    after: timing.after,
    formatNote: (text) => `note: ${text}`,
  });
  screen.setStatus(() => 'status');
  screen.log('a request', false);
  expect(rows).toEqual(['status']);
  await pass(250);
  expect(rows).toEqual(['a request', 'status']);
  const file = createTerminal();
  const split = createScreen({
    out: output,
    err: { ...file.output, isTTY: false },
    isInteractive: true,
    after: timing.after,
    formatNote: (text) => `note: ${text}`,
  });
  split.setStatus(() => '');
  split.log('a request', false);
  expect(file.rows).toEqual(['a request', '']);
});

test('without a terminal there is no status line and no escape sequence', async () => {
  const { timing, pass } = createVirtualTiming();
  const { output, rows, writes } = createTerminal();
  const screen = createScreen({
    out: output,
    err: output,
    isInteractive: false,
    after: timing.after,
    formatNote: (text) => `note: ${text}`,
  });
  screen.setStatus(() => 'status');
  screen.print('one');
  await pass(1000);
  expect(rows).toEqual(['one', '']);
  expect(writes()).toBe(1);
});

test('lines are dropped and counted while the output is not read', async () => {
  const { timing } = createVirtualTiming();
  const { output, rows, fill, empty } = createTerminal();
  const screen = createScreen({
    out: output,
    err: output,
    isInteractive: false,
    after: timing.after,
    formatNote: (text) => `note: ${text}`,
  });
  fill();
  for (let i = 0; i < 10; i++) screen.print(`line ${i}`);
  expect(rows).toEqual(['line 0', '']);
  empty();
  expect(rows.slice(1)).toEqual(['note: 9 lines were not printed because the output was not read', '']);
  screen.print('more');
  expect(rows.at(-2)).toBe('more');
});

test('after an error of the output, such as a full disk, lines are printed again', () => {
  const { timing } = createVirtualTiming();
  const { output, rows, fill, fail } = createTerminal();
  const screen = createScreen({ out: output, err: output, isInteractive: false, after: timing.after, formatNote: (text) => text });
  fill();
  screen.print('lost');
  fail();
  screen.print('more');
  expect(rows.at(-2)).toBe('more');
});

test('the status line', () => {
  const status = { height: 42n, pending: 3, txsPerSecond: 118.4, residentBytes: 61_200_000 };
  expect(formatStatusLine(status, 80)).toBe('height 42 · 3 pending · 118 tx/s · 61 MB');
  expect(formatStatusLine({ ...status, txsPerSecond: 0.5 }, 80)).toContain('0.5 tx/s');
  expect(formatStatusLine(status, 12)).toBe('height 42 · ');
});

test('the rate is that of the last two seconds', () => {
  let now = 0;
  const rate = createTxRate(() => now);
  for (; now < 10_000; now += 10) rate.add(1);
  expect(Math.abs(rate.perSecond() - 100)).toBeLessThan(14);
  now += 100_000;
  expect(rate.perSecond()).toBe(0);
});

test('several status lines are replaced together', async () => {
  const { timing, pass } = createVirtualTiming();
  let written = '';
  const write = (text: string): boolean => {
    written += text;
    return true;
  };
  const out = { isTTY: true, columns: 20, rows: 10, write, on: () => {} };
  const screen = createScreen({ out, err: out, isInteractive: true, after: timing.after, formatNote: (text) => text });
  let height = 0;
  screen.setStatus((columns, lines) => `${columns} ${lines}\nheight ${height}\nend`);
  expect(written).toBe('19 9\nheight 0\nend');
  written = '';
  height = 1;
  screen.print('line');
  await pass(250);
  // Two lines up, then everything from there on is erased.
  expect(written).toBe('\r\x1b[2A\x1b[Jline\n19 9\nheight 1\nend');
  written = '';
  screen.close();
  expect(written).toBe('\r\x1b[2A\x1b[J');
});
