import { expect, test } from 'bun:test';
import type { Id } from '../../base/bytes/id.ts';
import { CodecError } from '../../base/codec/fault.ts';
import { createBlockContents } from './block-contents.ts';

test('bytes that are no block are not copied: a flood of them leaves nothing to collect', () => {
  const seen: Uint8Array[] = [];
  const parse = (bytes: Uint8Array) => {
    seen.push(bytes);
    throw new CodecError('no block', { code: 'CODEC_TOO_SHORT' });
  };
  const contents = createBlockContents('00'.repeat(32) as Id, { parse }, () => true);
  const message = new Uint8Array(200_000).fill(255);
  expect(() => contents.parse(message)).toThrow();
  expect(seen).toHaveLength(1);
  expect(seen[0] === message).toBe(true);
});
