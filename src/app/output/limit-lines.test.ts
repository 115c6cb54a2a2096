import { expect, test } from 'bun:test';
import type { RefusedCall } from '../../api/rpc/refused-call.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { formatRefusedCounts, formatRefusedCountsJson, formatRefusedJson, formatRefusedLine } from '../../cli/terminal/event-lines.ts';
import { plainStyle } from '../../cli/terminal/style.ts';
import { maxLines } from './gather-blocks.ts';
import { limitLines } from './limit-lines.ts';

const call: RefusedCall = {
  method: 'avm.getUTXOs',
  code: 'AVM_NO_ADDRESSES',
  reason: 'no addresses provided',
  hint: 'did you mean addresses?',
};

test('the line of a refused call', () => {
  expect(formatRefusedLine(call, '14:02:12', plainStyle)).toBe(
    'refused  14:02:12  avm.getUTXOs  no addresses provided (did you mean addresses?)',
  );
  expect(formatRefusedLine({ ...call, method: '', hint: '' }, 't', plainStyle)).toBe('refused  t  a request  no addresses provided');
  expect(JSON.parse(formatRefusedJson(call, 't'))).toEqual({ event: 'refused', time: 't', level: 'info', ...call });
  const counts = new Map([
    ['avm.issueTx', 130],
    ['avm.getTx', 4],
  ]);
  expect(formatRefusedCounts(counts, 't', plainStyle)).toBe('refused  t  134 more calls: avm.issueTx 130, avm.getTx 4');
  expect(JSON.parse(formatRefusedCountsJson(counts, 't'))).toMatchObject({ calls: 134, methods: { 'avm.getTx': 4 } });
});

test('20 calls a second are described; further ones are counted, of any number of methods', async () => {
  const { timing, pass } = createVirtualTiming();
  let shown = 0;
  let described = 0;
  const counted: ReadonlyMap<string, number>[] = [];
  const limit = limitLines({ show: () => void shown++, showCounts: (counts) => void counted.push(counts) }, timing.after);
  for (let i = 0; i < 1000; i++)
    limit.add(`method ${i}`, () => {
      described++;
      return call;
    });
  limit.addCounts(new Map([['from a reader', 5]]));
  expect([shown, described]).toEqual([maxLines, maxLines]);
  await pass(1000);
  expect(counted).toHaveLength(1);
  expect(counted[0]?.size).toBe(7);
  expect(counted[0]?.get('other')).toBe(1000 - maxLines - 6 + 5);
  limit.add('again', () => call);
  expect(shown).toBe(maxLines + 1);
});
