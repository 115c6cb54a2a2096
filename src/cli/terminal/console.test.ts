import { expect, test } from 'bun:test';
import { createVirtualClock } from '../../base/timing/virtual-timing.fixture.ts';
import { createConsole } from './console.ts';
import type { Screen } from './screen.ts';
import { plainStyle } from './style.ts';

function open(format: 'text' | 'json') {
  const clock = createVirtualClock(0);
  const lines: string[] = [];
  let status: ((columns: number, lines: number) => string) | undefined;
  let isClosed = false;
  const screen = {
    print: (line: string) => lines.push(line),
    setStatus: (show: typeof status) => {
      status = show;
    },
    close: () => {
      isClosed = true;
    },
  } as unknown as Screen;
  const console = createConsole({
    screen,
    format,
    style: plainStyle,
    after: clock.after,
    time: () => '14:02',
    stamp: () => '> ',
    monotonic: clock.now,
  });
  return { clock, lines, console, status: (columns: number) => status?.(columns, 1), isClosed: () => isClosed };
}

const block = (height: bigint, txs = 1) => ({
  chain: 'X',
  first: height,
  last: height,
  blocks: 1,
  txs,
  kinds: new Map([['Transfer', txs]]),
  moved: new Map(),
});

test('blocks are lines; too many of a second are gathered in one', () => {
  const { clock, lines, console } = open('text');
  for (let height = 1n; height <= 25n; height++) console.onBlock(block(height));
  expect(lines).toHaveLength(20);
  expect(lines[0]).toStartWith('> #1  14:02  1 tx  Transfer 1');
  clock.advance(1000);
  expect(lines).toHaveLength(21);
  expect(lines[20]).toStartWith('> #21-#25  14:02  5 tx');
});

test('as JSON every line is an object, without a stamp', () => {
  const { lines, console } = open('json');
  console.onBlock(block(7n));
  console.onRevert('X', 5n, 'before "it"');
  console.refused.add('avm.issueTx', () => ({ method: 'avm.issueTx', code: 'C', reason: 'r', hint: undefined }) as never);
  console.close({ height: 5n, note: 'kept' });
  expect(lines.map((line) => JSON.parse(line).event)).toEqual(['block', 'reverted', expect.any(String), 'stopped']);
  expect(JSON.parse(lines[1] as string)).toMatchObject({ chain: 'X', height: '5', snapshot: 'before "it"', time: '14:02' });
  expect(JSON.parse(lines[3] as string)).toMatchObject({ height: '5', note: 'kept' });
});

test('a revert names the chain if it is not the X-Chain, and shows no control characters', () => {
  const { lines, console } = open('text');
  console.onRevert('X', 5n, 'a');
  console.onRevert('my', 6n, 'b\x1b[31m');
  expect(lines[0]).toMatch(/^> #5 +14:02 +reverted to a$/);
  expect(lines[1]).toMatch(/^> my #6 +14:02 +reverted to b.\[31m$/);
  expect(lines[1]).not.toContain('\x1b');
});

test('refused calls of a second beyond twenty are counted by method', () => {
  const { clock, lines, console } = open('text');
  for (let i = 0; i < 23; i++) console.refused.add('avm.getTx', () => ({ method: 'avm.getTx', code: 'C', reason: 'not found' }) as never);
  expect(lines).toHaveLength(20);
  expect(lines[0]).toContain('not found');
  clock.advance(1000);
  expect(lines[20]).toContain('avm.getTx 3');
});

test('the status line has the rate of the last two seconds', () => {
  const { clock, console, status } = open('text');
  console.showStatus(() => ({ height: 42n, pending: 3, residentBytes: 61_400_000 }));
  expect(status(80)).toBe('height 42 · 3 pending · 0 tx/s · 61 MB');
  console.onBlock(block(1n, 5));
  expect(status(80)).toBe('height 42 · 3 pending · 2.5 tx/s · 61 MB');
  console.onBlock(block(2n, 15));
  expect(status(80)).toBe('height 42 · 3 pending · 10 tx/s · 61 MB');
  expect([status(9), status(0)]).toEqual(['height 42', '']);
  clock.advance(1750);
  expect(status(80)).toContain('10 tx/s');
  clock.advance(250);
  expect(status(80)).toContain('· 0 tx/s');
});

test('at the end what is gathered comes before the last line, and the screen is closed', () => {
  const { lines, console, isClosed } = open('text');
  for (let height = 1n; height <= 21n; height++) console.onBlock(block(height));
  console.close({ height: 21n, note: 'the chain is gone' });
  expect(lines.slice(-2).map((line) => line.slice(0, 7))).toEqual(['> #21  ', '> stopp']);
  expect(lines.at(-1)).toBe('> stopped at height 21; the chain is gone');
  expect(isClosed()).toBe(true);
});
