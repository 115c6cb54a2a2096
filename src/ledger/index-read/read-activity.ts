import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { Dialect } from '../index/ddl.ts';
import { keyLookup } from '../index/key-lookup.ts';
import type { IndexTables } from '../index/tables.ts';
import { storedID, storedOwners } from '../state/stored-utxo.ts';
import { fetchRows } from '../store/queries.ts';
import type { OutputEntry, QueriesOf } from './index-reads.ts';
import type { TxReads } from './read-txs.ts';

export function createActivityReads(
  dialect: Dialect,
  t: IndexTables,
  { txSeqs, txs }: TxReads,
): QueriesOf<'lastActivity' | 'seenAddresses'> {
  const holders = keyLookup(dialect, (isKey) => `SELECT address, first FROM ${t.holder} WHERE address ${isKey}`);
  return {
    lastActivity: function* (addresses, pin) {
      const requested = new Set(addresses);
      const seqs = yield* txSeqs({
        pin,
        subjects: [...requested].map((address) => ({ address })),
        kinds: undefined,
        times: { from: undefined, to: undefined },
        after: undefined,
        order: 'desc',
        limit: 1,
      });
      const [last] = yield* txs(seqs, pin);
      if (last === undefined) return undefined;
      const isOwned = (output: OutputEntry | undefined) =>
        output !== undefined && storedOwners(output.stored).some((address) => requested.has(address));
      // A transaction consumes outputs before it creates new ones, so a created output is the later activity.
      const created = last.emitted.find(isOwned);
      const output = created ?? last.consumed.find(isOwned);
      return (
        output && {
          time: last.tx.time,
          height: last.height,
          txID: toHex(last.tx.id) as Id,
          utxoID: storedID(output.stored),
          isConsumed: created === undefined,
        }
      );
    },
    seenAddresses: function* (addresses, pin) {
      const rows = yield* fetchRows<{ address: Uint8Array; first: number }>(holders([...new Set(addresses)].map(addressToBytes)));
      return new Set(rows.filter(({ first }) => first <= pin.time).map(({ address }) => toHex(address) as Address));
    },
  };
}
