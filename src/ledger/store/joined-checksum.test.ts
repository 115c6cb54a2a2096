import { expect, test } from 'bun:test';
import { crc32 } from 'node:zlib';
import { createRandom } from '../../../test/random.ts';
import { createChecksumJoiner } from './joined-checksum.ts';

const joinAll = (sums: readonly number[], pageSize: number): number => {
  const view = new DataView(new ArrayBuffer(8 + sums.length * 4));
  for (const [i, sum] of sums.entries()) view.setUint32(8 + i * 4, sum, true);
  return createChecksumJoiner(pageSize)(view, 8, view.byteLength);
};

test('the checksums of pages give that of their bytes', () => {
  const random = createRandom(1);
  for (const pageSize of [512, 4096, 65_536])
    for (const count of [0, 1, 2, 9]) {
      const bytes = random.bytes(count * pageSize);
      const sums = Array.from({ length: count }, (_, i) => crc32(bytes.subarray(i * pageSize, (i + 1) * pageSize)));
      expect(joinAll(sums, pageSize)).toBe(crc32(bytes));
    }
});

test('one other checksum always gives another sum', () => {
  const sums = Array.from({ length: 64 }, (_, i) => Math.imul(i + 1, 0x9e37_79b1) >>> 0);
  const joined = joinAll(sums, 4096);
  for (let at = 0; at < sums.length; at += 7)
    for (let bit = 0; bit < 32; bit++) expect(joinAll(sums.with(at, (sums[at] as number) ^ (1 << bit)), 4096)).not.toBe(joined);
});
