import { expect, test } from 'bun:test';
import { crc32 } from 'node:zlib';
import { createRandom } from '../../../test/random.ts';
import { createChecksumJoiner } from './joined-checksum.ts';

test('the checksums of pages give that of their bytes', () => {
  const random = createRandom(1);
  for (const pageSize of [512, 4096, 65_536]) {
    const join = createChecksumJoiner(pageSize);
    for (const count of [0, 1, 2, 9]) {
      const bytes = random.bytes(count * pageSize);
      const sums = Array.from({ length: count }, (_, i) => crc32(bytes.subarray(i * pageSize, (i + 1) * pageSize)));
      expect(sums.reduce((before, next) => join(before, next), 0) >>> 0).toBe(crc32(bytes));
    }
  }
});

test('one other checksum always gives another sum', () => {
  const join = createChecksumJoiner(4096);
  const sums = Array.from({ length: 64 }, (_, i) => Math.imul(i + 1, 0x9e37_79b1) >>> 0);
  const joinAll = (all: readonly number[]): number => all.reduce((before, next) => join(before, next), 0);
  for (let at = 0; at < sums.length; at++)
    for (let bit = 0; bit < 32; bit++) expect(joinAll(sums.with(at, (sums[at] as number) ^ (1 << bit)))).not.toBe(joinAll(sums));
});
