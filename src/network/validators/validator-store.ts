import { endsWithChecksum, writeChecksumAtEnd } from '../../base/bytes/end-checksum.ts';
import { checksumLength } from '../../base/bytes/hash.ts';
import { fromHex, toHex } from '../../base/bytes/hex.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Store } from '../../ledger/store/store.ts';
import type { KeyedValidators } from './platform-reads.ts';

/** Sets of validators that were read from trusted nodes, kept for the next start: the trusted nodes may be away then. */
export type ValidatorStore = {
  /** The stored sets by height of the P-Chain, lowest first. */
  readonly list: () => readonly { readonly height: bigint; readonly set: KeyedValidators }[];
  readonly save: (height: bigint, set: KeyedValidators) => void;
};

/** Blocks that are not decided refer to recent heights only. */
const maxSets = 16;

const schema = 'CREATE TABLE IF NOT EXISTS validator_set(height INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT';

export function openValidatorStore(store: Store): ValidatorStore {
  const { db } = store;
  store.write(() => db.exec(schema));
  const rows = db.prepare<{ height: number; bytes: Uint8Array }>('SELECT height, bytes FROM validator_set ORDER BY height');
  const insert = db.prepare('REPLACE INTO validator_set VALUES (?, ?)');
  const trim = db.prepare(
    `DELETE FROM validator_set WHERE height NOT IN (SELECT height FROM validator_set ORDER BY height DESC LIMIT ${maxSets})`,
  );
  return {
    // A damaged row is left out: the set is read again.
    list: () =>
      rows.all().flatMap(({ height, bytes }) => {
        const set = decodeSet(bytes);
        return set === undefined ? [] : [{ height: BigInt(height), set }];
      }),
    save: (height, set) =>
      store.write(() => {
        insert.run(Number(height), encodeSet(set));
        trim.run();
      }),
  };
}

/** Of each validator: node ID 20, weight 8, BLS key 48 or zeros for none. A checksum follows. */
const entrySize = 76;

function encodeSet({ weights, keys }: KeyedValidators): Uint8Array {
  const bytes = Buffer.alloc(weights.size * entrySize + checksumLength);
  let at = 0;
  for (const [node, weight] of weights) {
    bytes.set(fromHex(node), at);
    bytes.writeBigUInt64BE(weight, at + 20);
    bytes.set(keys.get(node) ?? new Uint8Array(0), at + 28);
    at += entrySize;
  }
  writeChecksumAtEnd(bytes);
  return bytes;
}

function decodeSet(bytes: Uint8Array): KeyedValidators | undefined {
  if (!endsWithChecksum(bytes) || (bytes.length - checksumLength) % entrySize !== 0) return undefined;
  const weights = new Map<NodeId, bigint>();
  const keys = new Map<NodeId, Uint8Array>();
  const data = Buffer.from(bytes);
  for (let at = 0; at + entrySize <= data.length; at += entrySize) {
    const node = toHex(data.subarray(at, at + 20)) as NodeId;
    weights.set(node, data.readBigUInt64BE(at + 20));
    const key = new Uint8Array(data.subarray(at + 28, at + entrySize));
    if (key.some((byte) => byte !== 0)) keys.set(node, key);
  }
  return { weights, keys };
}
