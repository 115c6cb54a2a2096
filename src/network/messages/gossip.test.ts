import { describe, expect, test } from 'bun:test';
import vectors from '../../../vectors/p2p.json' with { type: 'json' };
import { fromHex, toHex } from '../../base/bytes/hex.ts';
import { idOf, idText } from '../../base/bytes/id.ts';
import { MessageError } from './fault.ts';
import { appErrorCodes, GossipItems, joinAppBytes, PullGossip, splitAppBytes, txGossipHandler } from './gossip.ts';
import { decodeMessage, type MessageOfKind } from './message.ts';

type Decoded = {
  op: string;
  handlerId?: number;
  salt?: string;
  filter?: { hashes: number; entriesBytes: number };
  items?: { bytes: number; txId: string }[];
};
const frames = vectors.entries
  .filter(({ kind }) => kind === 'frame')
  .map(({ name, hex, decoded }) => ({ name, message: decodeMessage(fromHex(hex).subarray(4)), decoded: decoded as unknown as Decoded }));

const expectItems = (items: readonly Uint8Array[], decoded: Decoded) =>
  expect(items.map((item) => ({ bytes: item.length, txId: idText(idOf(item)) }))).toEqual(decoded.items!);

describe('captured app messages', () => {
  test('pulls: handler, salt and filter', () => {
    const pulls = frames.filter(({ decoded }) => decoded.filter !== undefined);
    expect(pulls.length).toBe(7);
    for (const { name, message, decoded } of pulls) {
      const { appBytes } = message as MessageOfKind<'appRequest'>;
      const { handler, content } = splitAppBytes(appBytes);
      const pull = PullGossip.decode(content);
      expect([name, handler, toHex(pull.salt)]).toEqual([name, decoded.handlerId!, decoded.salt!]);
      expect(pull.filter.length).toBe(1 + 8 * decoded.filter!.hashes + decoded.filter!.entriesBytes);
      expect(toHex(joinAppBytes({ handler, content: PullGossip.encode(pull) }))).toBe(toHex(appBytes));
    }
  });
  test('pushes and responses: the transactions', () => {
    for (const { message, decoded } of frames) {
      if (message.kind === 'appGossip') {
        const { handler, content } = splitAppBytes(message.appBytes);
        expect(handler).toBe(txGossipHandler);
        expectItems(GossipItems.decode(content).items, decoded);
        expect(toHex(joinAppBytes({ handler, content: GossipItems.encode(GossipItems.decode(content)) }))).toBe(toHex(message.appBytes));
      }
      if (message.kind === 'appResponse') expectItems(GossipItems.decode(message.appBytes).items, decoded);
    }
  });
  test('errors have the known codes', () => {
    const codes = frames.flatMap(({ message }) => (message.kind === 'appError' ? [message.errorCode] : []));
    expect([...new Set(codes)].sort()).toEqual(Object.values(appErrorCodes).sort());
  });
});

test('malformed and large contents are rejected', () => {
  expect(() => splitAppBytes(new Uint8Array(0))).toThrow(MessageError);
  expect(() => splitAppBytes(fromHex('ffffffffffffffffff01'))).toThrow(MessageError);
  expect(splitAppBytes(fromHex('ac02aa'))).toEqual({ handler: 300, content: Buffer.from([0xaa]) });
  expect(() => GossipItems.decode(Buffer.from('0a00'.repeat(4097), 'hex'))).toThrow(MessageError);
});
