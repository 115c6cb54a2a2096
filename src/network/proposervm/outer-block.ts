import { type Id, idOf } from '../../base/bytes/id.ts';
import { type NodeId, nodeIdOfCertificate } from '../../base/bytes/node-id.ts';
import type { Codec, TypeOf } from '../../base/codec/codec.ts';
import { pack, unpack } from '../../base/codec/pack.ts';
import { bytes, id, u64 } from '../../base/codec/primitive.ts';
import { struct } from '../../base/codec/struct.ts';
import { union } from '../../base/codec/union.ts';
import { OuterBlockError } from './fault.ts';

/** A signed 64-bit integer. */
const i64: Codec<bigint> = {
  read: (r) => BigInt.asIntN(64, r.u64('int64')),
  write: (w, value) => w.u64(BigInt.asUintN(64, value)),
  json: String,
};

/** The P-Chain height that blocks of a period share (ACP-181). `startTime` is in Unix seconds. */
const Epoch = struct({ pChainHeight: u64, number: u64, startTime: i64 });
export type Epoch = TypeOf<typeof Epoch>;

const content = { parentID: id, timestamp: i64, pChainHeight: u64, certificate: bytes, inner: bytes };
const PlainBlock = struct({ ...content, signature: bytes });
const EpochBlock = struct({ ...content, epoch: Epoch, signature: bytes });

/** Type 1, an option, exists only for chains with oracle blocks; the X-Chain has none. AvalancheGo: vms/proposervm/block/codec.go. */
const typeNames = { 0: 'block.statelessBlock', 1: 'block.option', 2: 'block.statelessGraniteBlock' };
const AnyBlock = union('block.Block', typeNames, { plain: [0, PlainBlock], epoch: [2, EpochBlock] });

/** The block that wraps a block of a chain: it says who proposed it, when, and at which P-Chain height. */
export type OuterBlock = {
  readonly id: Id;
  readonly bytes: Uint8Array;
  readonly parentID: Id;
  /** Unix seconds. */
  readonly timestamp: bigint;
  readonly pChainHeight: bigint;
  /** Undefined in a block of type 0. */
  readonly epoch: Epoch | undefined;
  /** The leaf certificate of the proposer in DER; empty in an unsigned block. */
  readonly certificate: Uint8Array;
  readonly signature: Uint8Array;
  /** The wrapped block. */
  readonly inner: Uint8Array;
  /** Undefined in an unsigned block. */
  readonly proposer: NodeId | undefined;
};

/** Blocks arrive in messages, so a larger one cannot exist. */
const maxOuterBlock = 2 * 1024 * 1024;

/**
 * Decodes an outer block without checking certificate and signature. Throws a CodecError for a block that is not wrapped, as the first of a
 * chain is. Byte fields are views into `bytes`.
 */
export function parseOuterBlock(bytes: Uint8Array): OuterBlock {
  const value = unpack(AnyBlock, bytes, maxOuterBlock);
  return toOuterBlock(value, bytes);
}

/** The same block with bytes of its own. */
export function copyOuterBlock(block: OuterBlock): OuterBlock {
  const bytes = new Uint8Array(block.bytes);
  const copyOf = (part: Uint8Array): Uint8Array => {
    const start = part.byteOffset - block.bytes.byteOffset;
    return bytes.subarray(start, start + part.length);
  };
  return { ...block, bytes, certificate: copyOf(block.certificate), signature: copyOf(block.signature), inner: copyOf(block.inner) };
}

export type OuterBlockParts = Pick<OuterBlock, 'parentID' | 'timestamp' | 'pChainHeight' | 'epoch' | 'inner'>;

export const makeUnsignedBlock = (parts: OuterBlockParts): OuterBlock => makeBlock(parts, new Uint8Array(0), new Uint8Array(0));

/** Makes a block that a validator proposes. `sign` signs with the key of the certificate. */
export function makeSignedBlock(
  parts: OuterBlockParts,
  chainId: Id,
  certificate: Uint8Array,
  sign: (message: Uint8Array) => Uint8Array,
): OuterBlock {
  const { id } = makeBlock(parts, certificate, new Uint8Array(0));
  return makeBlock(parts, certificate, sign(signedHeader(chainId, parts.parentID, id)));
}

/** The bytes that the proposer signs: codec version, chain, parent, block. AvalancheGo: vms/proposervm/block/header.go. */
const Header = struct({ chainID: id, parentID: id, blockID: id });
export const signedHeader = (chainID: Id, parentID: Id, blockID: Id): Uint8Array => pack(Header, { chainID, parentID, blockID });

function makeBlock(parts: OuterBlockParts, certificate: Uint8Array, signature: Uint8Array): OuterBlock {
  const { epoch, ...rest } = parts;
  const common = { ...rest, certificate, signature };
  const value: TypeOf<typeof AnyBlock> = epoch === undefined ? { kind: 'plain', ...common } : { kind: 'epoch', ...common, epoch };
  return toOuterBlock(value, pack(AnyBlock, value));
}

function toOuterBlock(value: TypeOf<typeof AnyBlock>, bytes: Uint8Array): OuterBlock {
  const { kind, ...fields } = value;
  const { certificate, signature } = value;
  return {
    ...fields,
    epoch: value.kind === 'epoch' ? value.epoch : undefined,
    // The signature and its length are not part of what the ID names.
    id: idOf(bytes.subarray(0, bytes.length - signatureLengthSize - signature.length)),
    bytes,
    proposer: certificate.length === 0 ? undefined : nodeIdOfCertificate(certificate),
  };
}

const signatureLengthSize = 4;

/** The bytes of an outer block around its inner block: an accepted inner block is stored once, by its own chain. */
export function splitOuterBlock({ bytes, certificate, inner }: Pick<OuterBlock, 'bytes' | 'certificate' | 'inner'>): {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
} {
  const start = certificateOffset + certificate.length + innerLengthSize;
  return { before: bytes.subarray(0, start), after: bytes.subarray(start + inner.length) };
}

/** Version, type, parent, timestamp, P-Chain height and the length of the certificate. */
const certificateOffset = 2 + 4 + 32 + 8 + 8 + 4;
const innerLengthSize = 4;

/** Whether the key of a certificate made a signature of a message; undefined if AvalancheGo does not accept the certificate. */
export type VerifySignature = (certificate: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean | undefined;

/**
 * Checks what AvalancheGo checks when it parses a block: certificate, then epoch, then signature. A block that fails was not made by its
 * proposer, so it must not be stored under its ID. AvalancheGo: vms/proposervm/block/block.go.
 */
export function verifyBlockSignature(block: OuterBlock, chainId: Id, verify: VerifySignature): void {
  const isValid =
    block.proposer === undefined
      ? block.signature.length === 0
      : verify(block.certificate, signedHeader(chainId, block.parentID, block.id), block.signature);
  if (isValid === undefined) throw new OuterBlockError('invalid certificate', { code: 'OUTER_INVALID_CERTIFICATE' });
  if (block.epoch !== undefined && isZero(block.epoch))
    throw new OuterBlockError('epoch must be provided after granite', { code: 'OUTER_ZERO_EPOCH' });
  if (isValid) return;
  throw block.proposer === undefined
    ? new OuterBlockError('signature provided when none was expected', { code: 'OUTER_UNEXPECTED_SIGNATURE' })
    : new OuterBlockError('invalid signature of the proposer', { code: 'OUTER_BAD_SIGNATURE' });
}

const isZero = (epoch: NonNullable<OuterBlock['epoch']>): boolean =>
  epoch.pChainHeight === 0n && epoch.number === 0n && epoch.startTime === 0n;
