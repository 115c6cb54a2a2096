import { describe, expect, test } from 'bun:test';
import vectors from '../../../vectors/p2p.json' with { type: 'json' };
import { cb58Decode } from '../../base/bytes/cb58.ts';
import { hash160 } from '../../base/bytes/hash.ts';
import { fromHex, toHex } from '../../base/bytes/hex.ts';
import { type Id, parseId } from '../../base/bytes/id.ts';
import { encodeClaim, encodePeerList } from './encoded-message.ts';
import { MessageError } from './fault.ts';
import { createFrameReader, encodeFrame } from './frame.ts';
import { decodeMessage, encodeMessage, type Message, type MessageKind, type MessageOfKind } from './message.ts';
import { messageTable } from './message-table.ts';
import { WireReader } from './wire.ts';
import { decompressZstd } from './zstd.ts';

type Decoded = { op: string; zstd: boolean; requestId?: number; deadlineNs?: string; [name: string]: unknown };
const frames = vectors.entries
  .filter(({ kind }) => kind === 'frame')
  .map(({ name, hex, decoded }) => ({ name, hex, decoded: decoded as Decoded }));
const named = (name: string) => messageOf(frames.find((frame) => frame.name === name)!.hex);

function messageOf(hex: string): Uint8Array {
  const [message, ...others] = createFrameReader().push(fromHex(hex));
  expect(others).toEqual([]);
  return message!;
}

/** The bytes inside a compressed message; other messages as they are. */
function uncompressed(bytes: Uint8Array): Uint8Array {
  const reader = new WireReader(bytes);
  reader.nextTag();
  return reader.field === 2 ? decompressZstd(reader.view(), 2 ** 21) : bytes;
}

const kindOf = (op: string) => op.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()) as MessageKind;
const ipOf = (ip: Uint8Array) => ip.join('.');

describe('captured frames', () => {
  test('there are 73, of 19 kinds', () => {
    expect(frames.length).toBe(73);
    expect(new Set(frames.map(({ decoded }) => decoded.op)).size).toBe(19);
  });

  for (const { name, hex, decoded } of frames)
    test(name, () => {
      const bytes = messageOf(hex);
      const message = decodeMessage(bytes);
      expect(message.kind).toBe(kindOf(decoded.op));
      expectFields(message, decoded);
      // The same bytes again; zstd leaves the encoder free, so compressed messages are compared inside.
      const inner = uncompressed(bytes);
      expect(inner === bytes).toBe(!decoded.zstd);
      expect(toHex(encodeMessage(message))).toBe(toHex(inner));
      const frame = encodeFrame(message, { compress: true });
      expect(decodeMessage(messageOf(toHex(frame)))).toEqual(message);
      if (decoded.zstd) expect(messageTable[message.kind].compressed).toBe(true);
      if (!messageTable[message.kind].compressed) expect(toHex(frame)).toBe(hex);
    });
});

/** Compares every field that the capture names with the decoded one. */
function expectFields(message: Message, decoded: Decoded): void {
  const { op, zstd, chain, note, ...expected } = decoded;
  for (const [name, want] of Object.entries(expected)) {
    const compare = comparisons[name];
    if (compare === undefined) expect([name, scalar((message as Record<string, unknown>)[name])]).toEqual([name, scalar(want)]);
    else compare(message, want);
  }
}

/** Numbers, bigints and decimal texts alike; IDs from CB58. */
const scalar = (value: unknown): unknown =>
  typeof value === 'number' || typeof value === 'bigint'
    ? BigInt(value)
    : typeof value === 'string' && /^\w{48,52}$/.test(value)
      ? parseId(value)
      : value;

type Compare = (message: Message, want: unknown) => void;
const as = <K extends MessageKind>(message: Message) => message as MessageOfKind<K>;
const startsWith = (bytes: Uint8Array, text: unknown) => {
  const [start = '', rest] = (text as string).split('…');
  if (rest === undefined) expect(toHex(bytes)).toBe(start);
  else expect(toHex(bytes)).toStartWith(start);
};

const comparisons: Record<string, Compare> = {
  ip: (message, want) => expect(ipOf(as<'handshake'>(message).ip)).toBe(want as string),
  ipNodeIdSig: (message, want) => startsWith(as<'handshake'>(message).ipTlsSignature, want),
  ipBlsSig: (message, want) => startsWith(as<'handshake'>(message).ipBlsSignature, want),
  knownPeers: (message, want) => {
    const { filter, salt } = as<'handshake'>(message).knownPeers!;
    const expected = want as { hashes: number; entriesBytes: number; filterHex: string; salt: string };
    startsWith(filter, expected.filterHex);
    expect(toHex(salt)).toBe(expected.salt);
    expect(filter.length).toBe(1 + 8 * expected.hashes + expected.entriesBytes);
  },
  peers: (message, want) => {
    const peers = as<'peerList'>(message).peers.map((peer) => ({
      nodeId: toHex(hash160(peer.certificate)),
      x509Bytes: peer.certificate.length,
      ip: ipOf(peer.ip),
      port: peer.port,
      timestamp: Number(peer.timestamp),
      signature: `${toHex(peer.signature.subarray(0, 16))}…`,
      txId: toHex(peer.txId),
    }));
    const expected = want as typeof peers;
    expect(peers).toEqual(expected.map((peer) => ({ ...peer, nodeId: toHex(cb58Decode(peer.nodeId.slice('NodeID-'.length))) })));
  },
  deadlineNs: (message, want) => expect(as<'get'>(message).deadline).toBe(BigInt(want as string)),
  containerIds: (message, want) => expect(as<'accepted'>(message).containerIds).toEqual((want as string[]).map(parseId)),
  containers: (message, want) =>
    expect(as<'ancestors'>(message).containers.map(({ length }) => length)).toEqual(
      (want as { bytes: number }[]).map(({ bytes }) => bytes),
    ),
  container: (message, want) => expect(as<'put'>(message).container.length).toBe((want as { bytes: number }).bytes),
  handlerId: (message, want) => expect(as<'appGossip'>(message).appBytes[0]).toBe(want as number),
  appBytes: (message, want) => expect(toHex(as<'appRequest'>(message).appBytes)).toBe(want as string),
  // The contents of app messages are another layer; here their presence is enough.
  salt: (message, want) => expect(toHex(as<'appRequest'>(message).appBytes)).toContain(want as string),
  filter: (message, want) =>
    expect(as<'appRequest'>(message).appBytes.length).toBeGreaterThan((want as { entriesBytes: number }).entriesBytes),
  items: (message, want) =>
    expect(as<'appGossip'>(message).appBytes.length).toBeGreaterThanOrEqual((want as { bytes: number }[])[0]?.bytes ?? 0),
};

const codeOf = (run: () => unknown): string => {
  try {
    run();
    return 'none';
  } catch (error) {
    if (!(error instanceof MessageError)) throw error;
    return error.fault.code;
  }
};
const decodeHex = (hex: string) => decodeMessage(fromHex(hex.replaceAll(' ', '')));
const chainId = 'd8'.repeat(32);

describe('rules of protobuf, as Go applies them', () => {
  test('unknown fields and fields of another wire type are skipped', () => {
    // Field 15 as varint, fixed64, bytes, a group with a nested group, fixed32; uptime as bytes; then uptime 99.
    const inner = '7805 790102030405060708 7a020102 7b7b7c7c 7d01020304 0a0101 0863'.replaceAll(' ', '');
    const hex = `5a${(inner.length / 2).toString(16)}${inner}`;
    expect(decodeHex(hex)).toEqual({ kind: 'ping', uptime: 99 });
  });
  test('the last alternative counts, and the same one is merged', () => {
    expect(decodeHex('5a020863 6200')).toEqual({ kind: 'pong' });
    expect(decodeHex('6200 5a020863 5a00')).toEqual({ kind: 'ping', uptime: 99 });
    expect(decodeHex('5a020863 6200 5a00')).toEqual({ kind: 'ping', uptime: 0 });
    expect(decodeHex('5a020863 58 01')).toEqual({ kind: 'ping', uptime: 99 });
  });
  test('a varint is cut to 32 bits, may be padded to ten bytes, and not more', () => {
    expect(decodeHex('5a 06 08 e3 80 80 80 10')).toEqual({ kind: 'ping', uptime: 0x63 });
    expect(decodeHex('5a 0b 08 e3 80 80 80 80 80 80 80 80 01')).toEqual({ kind: 'ping', uptime: 0x63 });
    expect(codeOf(() => decodeHex('5a 0b 08 e3 80 80 80 80 80 80 80 80 02'))).toBe('MESSAGE_MALFORMED');
    expect(codeOf(() => decodeHex('5a 0c 08 e3 80 80 80 80 80 80 80 80 80 01'))).toBe('MESSAGE_MALFORMED');
  });
  test('numbers are read packed and one by one', () => {
    const handshake = (hex: string) => decodeHex(`6a${(hex.length / 2).toString(16).padStart(2, '0')}${hex}`) as MessageOfKind<'handshake'>;
    expect(handshake('520301ac02').supportedAcps).toEqual([1, 300]);
    expect(handshake('500150ac02').supportedAcps).toEqual([1, 300]);
  });
  test('malformed bytes', () => {
    const malformed = ['5a', '5a01', '00', '02', '5e00', '5c', '5b', '5b5a005b', '5b64', '5a020a05', '5aff', '5a0208ff', 'f8ffffffff0f01'];
    for (const hex of malformed) expect([hex, codeOf(() => decodeHex(hex))]).toEqual([hex, 'MESSAGE_MALFORMED']);
  });
  test('no message, an unknown one and a doubly compressed one', () => {
    expect(codeOf(() => decodeHex(''))).toBe('MESSAGE_UNKNOWN');
    expect(codeOf(() => decodeHex('a20200'))).toBe('MESSAGE_UNKNOWN');
    const once = encodeFrame({ kind: 'peerList', peers: [] }, { compress: true }).subarray(4);
    const twice = Bun.zstdCompressSync(once);
    expect(codeOf(() => decodeMessage(Buffer.concat([Uint8Array.of(0x12, twice.length), twice])))).toBe('MESSAGE_UNKNOWN');
  });
  test('invalid UTF-8', () => {
    const message = encodeMessage({ kind: 'appError', chainId: chainId as Id, requestId: 1, errorCode: -3, errorMessage: 'abc' });
    expect(decodeMessage(message)).toMatchObject({ errorCode: -3, errorMessage: 'abc' });
    message[message.length - 1] = 0xff;
    expect(codeOf(() => decodeMessage(message))).toBe('MESSAGE_MALFORMED');
  });
});

describe('limits', () => {
  const ancestors = (containers: Uint8Array[]): Message => ({ kind: 'ancestors', chainId: chainId as Id, requestId: 1, containers });
  test('an ID has 32 bytes and is never absent', () => {
    const get = encodeMessage({ kind: 'get', chainId: chainId as Id, requestId: 1, deadline: 1n, containerId: '' as Id });
    expect(codeOf(() => decodeMessage(get))).toBe('MESSAGE_ID_LENGTH');
    const short = encodeMessage({ kind: 'get', chainId: chainId.slice(2) as Id, requestId: 1, deadline: 1n, containerId: chainId as Id });
    expect(codeOf(() => decodeMessage(short))).toBe('MESSAGE_ID_LENGTH');
  });
  test('containers beyond 2000 are dropped; other lists are refused', () => {
    const many = decodeMessage(encodeMessage(ancestors(Array.from({ length: 2005 }, () => Uint8Array.of(1)))));
    expect((many as MessageOfKind<'ancestors'>).containers.length).toBe(2000);
    const ids = Array.from({ length: 4097 }, () => chainId as Id);
    const accepted = encodeMessage({ kind: 'accepted', chainId: chainId as Id, requestId: 1, containerIds: ids });
    expect(codeOf(() => decodeMessage(accepted))).toBe('MESSAGE_TOO_MANY_ELEMENTS');
    const heights = Array.from({ length: 4097 }, () => 1n);
    const summary = encodeMessage({ kind: 'getAcceptedStateSummary', chainId: chainId as Id, requestId: 1, deadline: 1n, heights });
    expect(codeOf(() => decodeMessage(summary))).toBe('MESSAGE_TOO_MANY_ELEMENTS');
  });
  test('a field beyond its size', () => {
    const list = encodeMessage({
      kind: 'getPeerList',
      knownPeers: { filter: new Uint8Array(10), salt: new Uint8Array(33) },
      allSubnets: false,
    });
    expect(codeOf(() => decodeMessage(list))).toBe('MESSAGE_FIELD_TOO_LARGE');
  });
  test('a message of more than 2 MiB is not encoded', () => {
    expect(codeOf(() => encodeMessage(ancestors([new Uint8Array(2 ** 21)])))).toBe('MESSAGE_TOO_LARGE');
  });
  test('u64 values up to the maximum', () => {
    for (const height of [0n, 1n, 127n, 128n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n]) {
      const query: Message = {
        kind: 'pullQuery',
        chainId: chainId as Id,
        requestId: 0xffffffff,
        deadline: 2n ** 63n,
        containerId: chainId as Id,
        requestedHeight: height,
      };
      expect(decodeMessage(encodeMessage(query))).toEqual(query);
    }
  });
  test('signed numbers', () => {
    for (const errorCode of [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)]) {
      const error: Message = { kind: 'appError', chainId: chainId as Id, requestId: 0, errorCode, errorMessage: '' };
      expect(decodeMessage(encodeMessage(error))).toEqual(error);
    }
  });
});

test('the first PeerList without peers has the bytes that AvalancheGo sent', () => {
  expect(decodeHex('120b28b52ffd20021100007200')).toEqual({ kind: 'peerList', peers: [] });
  expect(toHex(encodeMessage({ kind: 'peerList', peers: [] }))).toBe('7200');
  expect(toHex(encodeFrame({ kind: 'ping', uptime: 0 }, { compress: true }))).toBe('000000025a00');
  expect(named('ping_with_uptime').length).toBe(4);
});

test('a peer list of claims that are encoded before is the same message', () => {
  const claim = (certificate: number) => ({
    certificate: new Uint8Array(certificate).fill(7),
    ip: new Uint8Array(16).fill(1),
    port: 9651,
    timestamp: 1_700_000_000n,
    signature: new Uint8Array(71).fill(9),
    txId: new Uint8Array(32),
  });
  for (const peers of [[], [claim(400)], [claim(100), claim(1900), claim(300)]])
    expect(toHex(encodePeerList(peers.map(encodeClaim)))).toBe(toHex(encodeMessage({ kind: 'peerList', peers })));
});
