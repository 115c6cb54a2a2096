import { type Address, addressToBytes } from '../bytes/address.ts';
import { toHex } from '../bytes/hex.ts';
import { lookup } from '../index/batch.ts';
import { ask, type Steps } from '../index/steps.ts';
import type { IndexTables } from '../index/tables.ts';
import type { Activity, OutputEntry, Pin } from './index-reads.ts';
import type { TxReads } from './read-txs.ts';

export type ActivityReads = {
  readonly lastActivity: (addresses: readonly Address[], pin: Pin) => Steps<Activity | undefined>;
  readonly known: (addresses: readonly Address[], pin: Pin) => Steps<ReadonlySet<Address>>;
};

export function activityReads(t: IndexTables, { txs }: TxReads): ActivityReads {
  const holders = lookup((keys) => `SELECT address, first FROM ${t.holder} WHERE address IN (${keys})`);
  return {
    lastActivity: function* (addresses, pin) {
      const asked = new Set(addresses);
      const [last] = yield* txs({
        pin,
        subjects: [...asked].map((address) => ({ address })),
        kinds: undefined,
        times: { from: undefined, to: undefined },
        after: undefined,
        order: 'desc',
        limit: 1,
      });
      if (last === undefined) return undefined;
      const isTheirs = ({ utxo }: OutputEntry) => utxo.output.addresses.some((address) => asked.has(address));
      // A transaction consumes before it makes.
      const made = last.emitted.find(isTheirs);
      const output = made ?? last.consumed.find(isTheirs);
      return output && { time: last.time, height: last.height, txID: last.tx.id, utxoID: output.utxo.id, isConsumed: made === undefined };
    },
    known: function* (addresses, pin) {
      const rows = yield* ask<{ address: Uint8Array; first: number }>(holders([...new Set(addresses)].map(addressToBytes)));
      return new Set(rows.filter(({ first }) => first <= pin.time).map(({ address }) => toHex(address) as Address));
    },
  };
}
