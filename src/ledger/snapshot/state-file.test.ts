import { describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { checkHeader, decodeStateFile, encodeStateFile, type StateHeader } from './state-file.ts';

const header: StateHeader = {
  network: 12345,
  genesis: 'genesis',
  versions: { schema: 1, index: 3 },
  chains: [{ id: 'chain', height: 7, blockID: 'block' }],
};
const database = Buffer.concat([randomBytes(300_000), Buffer.alloc(3_000_000)]);

async function encode(): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of encodeStateFile(header, [database.subarray(0, 1_000_000), database.subarray(1_000_000)])) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Decodes a file that arrives in chunks of a size. Returns the database, or the code of the fault. */
async function decode(file: Uint8Array, chunkSize = 65_536, maxBytes = 2 ** 24): Promise<Buffer | string> {
  async function* chunks() {
    for (let at = 0; at < file.length; at += chunkSize) yield file.subarray(at, at + chunkSize);
  }
  const written: Uint8Array[] = [];
  try {
    await decodeStateFile(chunks(), {
      maxBytes,
      onHeader: (found) => expect(found).toEqual(header),
      write: (chunk) => void written.push(chunk),
    });
    return Buffer.concat(written);
  } catch (error) {
    const { fault } = error as { fault?: { code: string } };
    if (fault === undefined) throw error;
    return fault.code;
  }
}

describe('a state file', () => {
  test('is decoded from chunks of any size', async () => {
    const file = await encode();
    expect(file.length).toBeLessThan(database.length / 5);
    for (const chunkSize of [1 << 22, 65_536, 1000, 33]) expect(database.equals((await decode(file, chunkSize)) as Buffer)).toBe(true);
  });

  test('may have a header of a thousand labels, which is read in chunks of one byte too', async () => {
    const labels = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [i.toString(16).padStart(40, '0'), 'ä'.repeat(64)]));
    const encoded: Uint8Array[] = [];
    for await (const chunk of encodeStateFile({ ...header, labels }, [database.subarray(0, 1000)])) encoded.push(chunk);
    async function* bytes() {
      for (const byte of Buffer.concat(encoded)) yield Uint8Array.of(byte);
    }
    const read: unknown[] = [];
    await decodeStateFile(bytes(), { maxBytes: 1000, onHeader: (found) => void read.push(found.labels), write: () => {} });
    expect(read).toEqual([labels]);
  });

  test('with any byte changed, or cut off anywhere, is refused', async () => {
    const file = await encode();
    const offsets = [0, 5, 12, 14, 15, 40, 200, 1000, 150_000, file.length - 60, file.length - 33, file.length - 32, file.length - 1];
    for (const at of offsets) {
      const damaged = Buffer.from(file);
      damaged[at] = (damaged[at] as number) ^ 0x10;
      const code = await decode(damaged).catch(() => 'header differs');
      expect([at, code]).toEqual([at, expect.stringMatching(/^(STATE_FILE_(DAMAGED|FOREIGN|OTHER_VERSION)|header differs)$/)]);
      expect([at, await decode(file.subarray(0, at))]).toEqual([at, expect.stringMatching(/^STATE_FILE_(DAMAGED|FOREIGN)$/)]);
    }
    expect(await decode(Buffer.concat([file, Buffer.from('x')]))).toBe('STATE_FILE_DAMAGED');
  });

  test('of another program, of a later format, or too large, is refused with its own code', async () => {
    expect(await decode(randomBytes(1000))).toBe('STATE_FILE_FOREIGN');
    expect(await decode(Buffer.from('SQLite format 3\0'))).toBe('STATE_FILE_FOREIGN');
    expect(await decode(Buffer.from('serac state 2\n{}\n'))).toBe('STATE_FILE_OTHER_VERSION');
    expect(await decode(Buffer.from(`serac state 1\n${'x'.repeat(200_000)}`))).toBe('STATE_FILE_DAMAGED');
    expect(await decode(await encode(), 65_536, 1_000_000)).toBe('STATE_FILE_TOO_LARGE');
  });

  test('with a header that lacks something is refused', async () => {
    const whole = { network: 1, genesis: 'x', versions: { schema: 1 }, chains: [] };
    for (const part of [{ versions: null }, { versions: undefined }, { versions: { schema: {} } }, { chains: 5 }, { network: '1' }])
      expect(await decode(Buffer.from(`serac state 1\n${JSON.stringify({ ...whole, ...part })}\n`))).toBe('STATE_FILE_DAMAGED');
  });

  test('of another network, genesis or schema is refused', () => {
    checkHeader(header, header);
    expect(() => checkHeader(header, { ...header, network: 1 })).toThrow('belongs to network 12345');
    expect(() => checkHeader(header, { ...header, genesis: 'other' })).toThrow('X-Chain other');
    const refused = (stored: StateHeader['versions'], wanted: StateHeader['versions'], savedBy?: string): string => {
      try {
        checkHeader({ ...header, versions: stored, savedBy }, { ...header, versions: wanted });
      } catch (error) {
        return (error as Error).message;
      }
      return '';
    };
    expect(refused(header.versions, { schema: 2, index: 4 }, '0.1.0')).toBe(
      'the state file has index 3, schema 1 (saved by serac 0.1.0), this node needs index 4, schema 2; it was saved by an earlier version of Serac, ' +
        'and only that version can load it',
    );
    expect(refused(header.versions, { schema: 1, index: 2 })).toContain(
      'has index 3, schema 1, this node needs index 2, schema 1; it was saved by a later',
    );
    expect(refused({ schema: 1, index: 3, 'index of chain 1': 2 }, { schema: 1, index: 4, 'index of chain 1': 4 })).toContain(
      'only that version',
    );
    for (const index of [0, -1, 2.5, '2'])
      expect(refused({ schema: 1, index: index as number }, header.versions)).toContain('only that version can load it');
    expect(refused({ schema: 1 }, header.versions)).toContain('without the Data and Metrics APIs');
    expect(refused(header.versions, { schema: 1 })).toContain('with the Data and Metrics APIs');
    expect(refused({ ...header.versions, fork: 1 }, header.versions)).toContain('start this node with --fork-url');
    expect(refused(header.versions, { ...header.versions, fork: 1 })).toContain('start this node without --fork-url');
  });

  test('of an earlier version of the index is to be migrated from it', () => {
    const versions = (index: number) => ({ schema: 1, index, 'index of chain 1': index, 'index of chain 2': index });
    expect(checkHeader({ ...header, versions: versions(3) }, { ...header, versions: versions(3) })).toBeUndefined();
    expect(checkHeader({ ...header, versions: versions(1) }, { ...header, versions: versions(3) })).toBe(1);
  });
});
