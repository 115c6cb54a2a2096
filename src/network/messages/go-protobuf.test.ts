import { expect, test } from 'bun:test';
import vectors from '../../../vectors/p2p-mutated.json' with { type: 'json' };
import { fromHex, toHex } from '../../base/bytes/hex.ts';
import { MessageError } from './fault.ts';
import { decodeMessage, encodeMessage } from './message.ts';

const names: Record<string, string> = { MESSAGE_MALFORMED: 'error', MESSAGE_UNKNOWN: 'none' };

/** What Serac makes of bytes, in the words of the vectors. */
function verdictOf(hex: string): string {
  try {
    const again = toHex(encodeMessage(decodeMessage(fromHex(hex))));
    return again === hex ? 'same' : again;
  } catch (error) {
    if (!(error instanceof MessageError)) throw error;
    return names[error.fault.code] ?? error.fault.code;
  }
}

test('540 changed messages are rejected, or read and encoded again, as by the protobuf library of Go', () => {
  const rows = vectors.rows as [hex: string, verdict: string][];
  expect(rows.length).toBe(540);
  expect(rows.map(([hex]) => [hex, verdictOf(hex)])).toEqual(rows);
});
