import { expect, spyOn, test } from 'bun:test';
import zlib from 'node:zlib';
import { createRandom, mutate } from '../../../test/random.ts';
import vectors from '../../../vectors/p2p.json' with { type: 'json' };
import { fromHex, toHex } from '../../base/bytes/hex.ts';
import { MessageError } from './fault.ts';
import { createFrameReader, plainFrame } from './frame.ts';
import { decodeMessage, maxMessageSize } from './message.ts';
import { decompressZstd } from './zstd.ts';

const samples = vectors.entries.filter(({ kind }) => kind === 'frame').map(({ hex }) => fromHex(hex).subarray(4));

const codeOf = (run: () => unknown): string => {
  try {
    run();
    return 'none';
  } catch (error) {
    if (!(error instanceof MessageError)) throw error;
    return error.fault.code;
  }
};

test('a stream cut anywhere gives the same messages, and a hostile one only FRAME_TOO_LARGE', () => {
  const random = createRandom(14);
  const frames = vectors.entries.filter(({ kind }) => kind === 'frame').map(({ hex }) => fromHex(hex));
  const stream = Buffer.concat(frames);
  for (let round = 0; round < 30; round++) {
    const reader = createFrameReader();
    const messages: Uint8Array[] = [];
    for (let at = 0; at < stream.length; ) {
      const end = Math.min(stream.length, at + 1 + random.below(round < 2 ? 1 : 4000));
      messages.push(...reader.push(Uint8Array.from(stream.subarray(at, end))));
      at = end;
    }
    expect(messages.map(toHex)).toEqual(samples.map(toHex));
    expect(reader.pending()).toBe(0);
  }
  const codes = new Set<string>();
  for (let round = 0; round < 2000; round++) codes.add(codeOf(() => createFrameReader().push(mutate(random, random.pick(frames), frames))));
  expect([...codes].sort()).toEqual(['FRAME_TOO_LARGE', 'none']);
});

test('the length of a frame is checked before its bytes arrive, and memory follows the bytes received', () => {
  const prefix = (length: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(length);
    return bytes;
  };
  expect(codeOf(() => createFrameReader().push(prefix(2 ** 21 + 1)))).toBe('FRAME_TOO_LARGE');
  const readers = Array.from({ length: 2000 }, createFrameReader);
  const before = process.memoryUsage().rss;
  // 4 GB if every announced frame were allocated.
  for (const reader of readers) expect(reader.push(prefix(2 ** 21))).toEqual([]);
  expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
  const reader = createFrameReader();
  const whole = Buffer.concat([prefix(2 ** 21), Buffer.alloc(2 ** 21, 7)]);
  const [message] = [...reader.push(whole.subarray(0, 100_000)), ...reader.push(whole.subarray(100_000))];
  expect(message?.length).toBe(2 ** 21);
});

test('bytes that arrived together are copied once at most, however many messages they are', () => {
  const frame = plainFrame(new Uint8Array(8000));
  const chunk = Buffer.concat(Array.from({ length: 64 }, () => frame));
  const copies = spyOn(Buffer, 'from');
  try {
    expect(createFrameReader().push(chunk)).toHaveLength(64);
    // Its first argument is the buffer of the chunk, of which it makes a view, or bytes that it copies.
    const copied = copies.mock.calls.map(([bytes]) => (bytes instanceof Uint8Array ? bytes.length : 0));
    expect(copied.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(chunk.length);
  } finally {
    copies.mockRestore();
  }
});

test('a small compressed message cannot become a large one', () => {
  const compressed = (content: Uint8Array) => {
    const length = content.length;
    return Buffer.concat([Uint8Array.of(0x12, (length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14), content]);
  };
  const bomb = Bun.zstdCompressSync(Buffer.alloc(200_000_000));
  const before = process.memoryUsage().rss;
  expect(codeOf(() => decodeMessage(compressed(bomb)))).toBe('MESSAGE_TOO_LARGE');
  // The same content without a declared size: the header's flags for it cleared, and a window instead.
  const streamed = Buffer.concat([bomb.subarray(0, 4), Uint8Array.of(0x00, 0x58), bomb.subarray(headerSize(bomb))]);
  expect(codeOf(() => decodeMessage(compressed(streamed)))).toBe('MESSAGE_BAD_COMPRESSION');
  // After a frame that is small.
  const first = Bun.zstdCompressSync(Buffer.alloc(100));
  for (const second of [bomb, first, Uint8Array.of(1)])
    expect(codeOf(() => decodeMessage(compressed(Buffer.concat([first, second]))))).not.toBe('none');
  expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
  // A truncated frame: Bun returns its complete blocks without an error.
  const text = Bun.zstdCompressSync(createRandom(1).bytes(300_000));
  expect(codeOf(() => decodeMessage(compressed(text.subarray(0, text.length - 3))))).toBe('MESSAGE_BAD_COMPRESSION');
});

test('compressed contents with blocks of all kinds are read, with and without a checksum', () => {
  const random = createRandom(2).bytes(300_000);
  for (const size of [1, 100, 10_000, 300_000])
    for (const content of [Buffer.alloc(size), Buffer.alloc(size, 'text of '), random.subarray(0, size)])
      for (const checksum of [0, 1]) {
        const frame = zlib.zstdCompressSync(content, { params: { [zlib.constants.ZSTD_c_checksumFlag]: checksum } });
        expect(Buffer.compare(decompressZstd(frame, maxMessageSize), content)).toBe(0);
        if (checksum === 0) continue;
        frame[frame.length - 1] = (frame.at(-1) as number) ^ 1;
        expect(() => decompressZstd(frame, maxMessageSize)).toThrow(
          expect.objectContaining({ fault: { code: 'MESSAGE_BAD_COMPRESSION', length: size } }),
        );
      }
});

test('2 MiB of empty elements or nested groups allocate little', () => {
  const repeat = (hex: string, count: number) => Buffer.from(hex.repeat(count), 'hex');
  const wrap = (tag: number[], content: Uint8Array) => {
    const { length } = content;
    return Buffer.concat([Uint8Array.of(...tag, (length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14), content]);
  };
  // What earlier tests of this process have left must not be collected, or grow, meanwhile.
  Bun.gc(true);
  const before = process.memoryUsage().rss;
  expect(codeOf(() => decodeMessage(wrap([0xc2, 0x01], repeat('1a00', 10 ** 6))))).toBe('MESSAGE_ID_LENGTH'); // ancestors without chain ID
  expect(codeOf(() => decodeMessage(wrap([0x72], repeat('0a00', 10 ** 6))))).toBe('MESSAGE_TOO_MANY_ELEMENTS'); // peer list
  expect(codeOf(() => decodeMessage(wrap([0x8a, 0x01], repeat('2001', 10 ** 6))))).toBe('MESSAGE_TOO_MANY_ELEMENTS'); // heights
  expect(codeOf(() => decodeMessage(repeat('5b', 2 * 10 ** 6)))).toBe('MESSAGE_MALFORMED'); // groups
  expect(codeOf(() => decodeMessage(repeat('5a00', 10 ** 6)))).toBe('none'); // pings
  expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
});

/** The size of the header of a zstd frame that declares its content's size. */
function headerSize(frame: Uint8Array): number {
  const descriptor = frame[4]!;
  const single = (descriptor & 0x20) !== 0;
  return 5 + (single ? 0 : 1) + (descriptor >> 6 === 0 ? 1 : 1 << (descriptor >> 6));
}
