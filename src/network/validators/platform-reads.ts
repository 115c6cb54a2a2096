import { parseHex } from '../../base/bytes/hex.ts';
import { type NodeId, parseNodeId } from '../../base/bytes/node-id.ts';
import { maxU64 } from '../../base/bytes/octets.ts';
import { parseRfc3339 } from '../../base/bytes/rfc3339.ts';
import { Fault, whyOf } from '../../base/fault.ts';
import type { Rpc } from '../../chain/follow/rpc.ts';
import type { ValidatorSet } from '../protocol/validators.ts';
import { invalid, unavailable } from './fault.ts';

/** What the P-Chain of a trusted node says about validators. */
export type PlatformReads = {
  readonly networkID: () => Promise<number>;
  readonly heights: () => Promise<PlatformHeights>;
  readonly validatorsAt: (height: bigint) => Promise<KeyedValidators>;
};

/** The heights of a P-Chain, and its time in Unix seconds: that of its last block. */
export type PlatformHeights = { readonly current: bigint; readonly proposed: bigint; readonly time: bigint };

export type KeyedValidators = {
  readonly weights: ValidatorSet;
  /** Compressed BLS keys of 48 bytes; a validator may have none. */
  readonly keys: ReadonlyMap<NodeId, Uint8Array>;
};

/** A set of 40,000 validators; the Primary Network of mainnet has some 1,000. */
const maxSetBytes = 8 * 1024 * 1024;

export function createPlatformReads(url: string, rpc: Pick<Rpc, 'call'>): PlatformReads {
  const call: Rpc['call'] = async (path, method, params, limits) => {
    try {
      return await rpc.call(path, method, params, limits);
    } catch (error) {
      if (error instanceof Fault) throw unavailable(url, `${method}: ${whyOf(error)}`);
      throw error;
    }
  };
  const height = async (method: string): Promise<bigint> => {
    const { height } = await call('/ext/bc/P', method, {});
    return parseU64(url, method, height);
  };
  const readTime = async (): Promise<bigint> => {
    const method = 'platform.getTimestamp';
    const { timestamp } = await call('/ext/bc/P', method, {});
    const time = typeof timestamp === 'string' ? parseRfc3339(timestamp) : undefined;
    if (time === undefined) throw invalid(url, `${method}: not a time`);
    return time;
  };
  let last: PlatformHeights | undefined;
  return {
    networkID: async () => {
      const { networkID } = await call('/ext/info', 'info.getNetworkID', {});
      return Number(parseU64(url, 'info.getNetworkID', networkID));
    },
    heights: async () => {
      // Without a new block nothing changes once the proposed height has reached the last block: one question in place of three.
      if (last !== undefined && last.proposed === last.current && (await height('platform.getHeight')) === last.current) return last;
      // In this order: the proposed height can never be above a height that is read after it.
      const proposed = await height('platform.getProposedHeight');
      const current = await height('platform.getHeight');
      last = { proposed, current, time: await readTime() };
      return last;
    },
    validatorsAt: async (at) => {
      const method = 'platform.getValidatorsAt';
      return parseValidators(url, method, await call('/ext/bc/P', method, { height: String(at) }, { bytes: maxSetBytes }));
    },
  };
}

function parseValidators(url: string, method: string, result: Readonly<Record<string, unknown>>): KeyedValidators {
  const weights = new Map<NodeId, bigint>();
  const keys = new Map<NodeId, Uint8Array>();
  let total = 0n;
  for (const [text, value] of Object.entries(result)) {
    const { weight, publicKey } = (value ?? {}) as { weight?: unknown; publicKey?: unknown };
    const node = parse(url, method, () => parseNodeId(text));
    const units = parseU64(url, method, weight);
    total += units;
    weights.set(node, units);
    if (publicKey === undefined || publicKey === null) continue;
    const key = parse(url, method, () => parseHex('hexnc', publicKey as string));
    if (key.length !== publicKeySize) throw invalid(url, `${method}: a BLS key of ${key.length} bytes`);
    keys.set(node, key);
  }
  if (total > maxU64) throw invalid(url, `${method}: the sum of all weights exceeds 64 bits`);
  return { weights, keys };
}

const publicKeySize = 48;

const parseU64 = (url: string, method: string, value: unknown): bigint => {
  if (typeof value !== 'string' || !/^\d{1,20}$/.test(value) || BigInt(value) > maxU64)
    throw invalid(url, `${method}: not a 64-bit number as a string`);
  return BigInt(value);
};

function parse<T>(url: string, method: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw invalid(url, `${method}: ${(error as { message?: string }).message}`);
  }
}
