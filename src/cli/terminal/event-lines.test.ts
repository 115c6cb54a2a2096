import { expect, test } from 'bun:test';
import type { BlockSummary } from '../../app/output/block-summary.ts';
import {
  formatBlockJson,
  formatBlockLine,
  formatEventJson,
  formatRefusedCounts,
  formatRefusedCountsJson,
  formatRefusedJson,
  formatRefusedLine,
  joinParts,
} from './event-lines.ts';
import type { Style } from './style.ts';

/** Marks what is styled by the name of the style. */
const style = new Proxy({}, { get: (_, name) => (text: string) => `<${String(name)} ${text}>` }) as unknown as Style;
const time = '14:02:11';
const amount = (symbol: string, units: bigint, denomination = 9) => ({ symbol, denomination, amount: units });
const summary = (change: object = {}): BlockSummary =>
  ({
    ...{ chain: 'X', first: 42n, last: 42n, blocks: 1, txs: 3 },
    kinds: new Map([
      ['Transfer', 2],
      ['Create asset', 1],
    ]),
    moved: new Map([['a', amount('AVAX', 1_250_000_000_000n)]]),
    ...change,
  }) as unknown as BlockSummary;

test('a block is a line with its height, time, transactions and what they moved', () => {
  expect(formatBlockLine(summary(), time, style)).toBe('<bold #42>  <dim 14:02:11>  3 tx  Transfer 2, Create asset 1  <cyan 1,250 AVAX>');
  expect(formatBlockLine(summary({ first: 43n, last: 61n, blocks: 19 }), time, style)).toStartWith('<bold #43-#61>  ');
  expect(formatBlockLine(summary({ chain: 'my' }), time, style)).toStartWith('<bold my #42>  ');
});

test('two assets are on a line, and how many more there are', () => {
  const moved = (count: number) =>
    new Map(Array.from({ length: count }, (_, at) => [`a${at}`, amount(`S${at}`, BigInt(at + 1), 0)] as const));
  expect(formatBlockLine(summary({ moved: moved(2) }), time, style)).toEndWith('<cyan 1 S0, 2 S1>');
  expect(formatBlockLine(summary({ moved: moved(3) }), time, style)).toEndWith('<cyan 1 S0, 2 S1, 1 more assets>');
  expect(formatBlockLine(summary({ moved: moved(0) }), time, style)).toEndWith('<cyan >');
});

test('as JSON a block has whole amounts in the smallest unit', () => {
  const facts = {
    chain: 'X',
    txs: 3,
    kinds: { Transfer: 2, 'Create asset': 1 },
    moved: [{ assetID: 'a', symbol: 'AVAX', denomination: 9, amount: '1250000000000' }],
  };
  expect(JSON.parse(formatBlockJson(summary(), time))).toEqual({ event: 'block', time, level: 'info', height: '42', ...facts });
  expect(JSON.parse(formatBlockJson(summary({ first: 43n, last: 61n, blocks: 19 }), time))).toEqual({
    ...{ event: 'blocks', time, level: 'info', from: '43', to: '61', blocks: 19 },
    ...facts,
  });
});

test('a refused call has its method, reason and hint', () => {
  const refused = { method: 'avm.getUTXOs', code: 'X', reason: 'no addresses provided', hint: 'did you mean addresses?' } as never;
  expect(formatRefusedLine(refused, time, style)).toBe(
    '<red refused>  <dim 14:02:11>  <bold avm.getUTXOs>  no addresses provided<dim  (did you mean addresses?)>',
  );
  const plain = { method: '', code: 'X', reason: 'no JSON', hint: '' } as never;
  expect(formatRefusedLine(plain, time, style)).toBe('<red refused>  <dim 14:02:11>  <bold a request>  no JSON');
  expect(JSON.parse(formatRefusedJson(refused, time))).toMatchObject({
    event: 'refused',
    time,
    method: 'avm.getUTXOs',
    hint: 'did you mean addresses?',
  });
  expect(JSON.parse(formatRefusedJson(plain, time))).toEqual({
    event: 'refused',
    time,
    level: 'info',
    method: '',
    code: 'X',
    reason: 'no JSON',
  });
});

test('many refused calls are one line with their methods', () => {
  const counts = new Map([
    ['avm.issueTx', 130],
    ['avm.getTx', 4],
  ]);
  expect(formatRefusedCounts(counts, time, style)).toBe('<red refused>  <dim 14:02:11>  134 more calls: avm.issueTx 130, avm.getTx 4');
  expect(JSON.parse(formatRefusedCountsJson(counts, time))).toEqual({
    ...{ event: 'refusedCalls', time, level: 'info', calls: 134 },
    methods: { 'avm.issueTx': 130, 'avm.getTx': 4 },
  });
  expect([joinParts(['a', '', 'b']), joinParts([])]).toEqual(['a  b', '']);
  expect(formatEventJson('x', time, { a: 1 })).toBe('{"event":"x","time":"14:02:11","level":"info","a":1}');
});
