import { expect, test } from 'bun:test';
import type { Id } from '../../base/bytes/id.ts';
import { CodecError } from '../../base/codec/fault.ts';
import { createBlockContents } from './block-contents.ts';

test('bytes that are no block are not copied: a flood of them leaves nothing to collect', () => {
  const seen: Uint8Array[] = [];
  const contents = createBlockContents({
    chainID: '00'.repeat(32) as Id,
    inner: {
      parse: (bytes) => {
        seen.push(bytes);
        throw new CodecError('no block', { code: 'CODEC_TOO_SHORT' });
      },
    },
    verifySignature: () => true,
  });
  const message = new Uint8Array(200_000).fill(255);
  expect(() => contents.parse(message)).toThrow();
  expect(seen).toHaveLength(1);
  expect(seen[0] === message).toBe(true);
});
