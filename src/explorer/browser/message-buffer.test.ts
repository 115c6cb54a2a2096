import { expect, test } from 'bun:test';
import { createMessageBuffer } from './message-buffer.ts';

const message = (entry: number, data = '{}', kind = 'block') => ({ kind, data, id: `L-${entry}` });
const idsAfter = (buffer: ReturnType<typeof createMessageBuffer>, position: string) =>
  buffer.after(position).map(({ kind, id }) => (id === '' ? kind : id));

test('a tab gets what came after its position, without live events and heartbeats', () => {
  const buffer = createMessageBuffer('L-1');
  buffer.add(message(2));
  buffer.add({ kind: 'mempool', data: '{}', id: '' });
  buffer.add(message(3, '{}', 'heartbeat'));
  buffer.add(message(4));
  expect(idsAfter(buffer, 'L-1')).toEqual(['L-2', 'L-4']);
  expect(idsAfter(buffer, 'L-2')).toEqual(['L-4']);
  expect(idsAfter(buffer, 'L-4')).toEqual([]);
  // Now, and a stream that began at now.
  expect(idsAfter(buffer, '')).toEqual([]);
  const fromNow = createMessageBuffer('');
  fromNow.add(message(2));
  expect(idsAfter(fromNow, 'L-1')).toEqual([]);
});

test('a tab whose position is before what is kept loads its page again', () => {
  const buffer = createMessageBuffer('L-5');
  expect(idsAfter(buffer, 'L-4')).toEqual(['reset']);
  buffer.add(message(6));
  buffer.add({ kind: 'reset', data: '{}', id: 'M-1' });
  expect([idsAfter(buffer, 'L-5'), idsAfter(buffer, 'M-1')]).toEqual([['reset'], []]);
});

test('at most 4,096 messages are kept; half of them go when there are more', () => {
  const buffer = createMessageBuffer('L-0');
  for (let entry = 1; entry <= 4096; entry++) buffer.add(message(entry));
  expect(buffer.after('L-0')).toHaveLength(4096);
  buffer.add(message(4097));
  expect(idsAfter(buffer, 'L-0')).toEqual(['reset']);
  expect([idsAfter(buffer, 'L-2048'), buffer.after('L-2049').length]).toEqual([['reset'], 2048]);
});

test('at most eight million characters are kept', () => {
  const buffer = createMessageBuffer('L-0');
  const long = 'x'.repeat(2_000_000);
  for (let entry = 1; entry <= 4; entry++) buffer.add(message(entry, long));
  expect(buffer.after('L-0')).toHaveLength(4);
  buffer.add(message(5, 'x'));
  expect([idsAfter(buffer, 'L-2'), idsAfter(buffer, 'L-3')]).toEqual([['reset'], ['L-4', 'L-5']]);
  // What is left counts, not what has gone.
  buffer.add(message(6, long));
  buffer.add(message(7, long));
  buffer.add(message(8, 'x'.repeat(1_999_999)));
  expect(idsAfter(buffer, 'L-3')).toEqual(['L-4', 'L-5', 'L-6', 'L-7', 'L-8']);
  buffer.add(message(9, 'x'));
  expect(idsAfter(buffer, 'L-3')).toEqual(['reset']);
  buffer.add({ kind: 'reset', data: '{}', id: 'M-0' });
  for (let entry = 1; entry <= 4; entry++) buffer.add({ ...message(entry, long), id: `M-${entry}` });
  expect(idsAfter(buffer, 'M-0')).toEqual(['M-1', 'M-2', 'M-3', 'M-4']);
});
