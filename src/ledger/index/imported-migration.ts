import { addressToBytes } from '../../base/bytes/address.ts';
import { u64Bytes } from '../../base/bytes/octets.ts';
import { ownersOf } from '../state/balance.ts';
import { decodeStoredUtxo, type StoredUtxo } from '../state/stored-utxo.ts';
import { listedAmount } from './output-amount.ts';
import { tiebreakerOf } from './output-set.ts';
import { fetchRows, type Query, type Steps } from './steps.ts';
import { indexTablesOf } from './tables.ts';

/** Migration to version 2 of a chain's tables: adds outputs that this chain imported from other chains to the outputs of their owners. */
export function* addImportedOutputs(chain: number): Steps<void> {
  const { holding, amount } = indexTablesOf(chain);
  const next = `SELECT m.seq, m.bytes, m.seen FROM moved m JOIN chain c ON c.id = m.destination
    WHERE c.number = ? AND m.taken_by IS NOT NULL AND m.seq > ? ORDER BY m.seq LIMIT ${batchSize}`;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows: readonly MovedRow[] = yield* fetchRows<MovedRow>([{ text: next, values: [chain, after] }]);
    yield rows.flatMap((row) => importedSetInserts(row, holding, amount));
    after = rows[batchSize - 1]?.seq;
  }
}

const batchSize = 1024;

/** Number of the output set `imported` (see tables.ts), written out so that this migration stays the same if the sets change. */
const importedSet = 6;

type MovedRow = { readonly seq: number; readonly bytes: StoredUtxo; readonly seen: number };

function importedSetInserts({ seq, bytes, seen }: MovedRow, holding: string, amount: string): Query[] {
  const utxo = decodeStoredUtxo(bytes);
  const [tiebreaker, amountBytes] = [tiebreakerOf(utxo), u64Bytes(listedAmount(utxo.output))];
  return [...ownersOf(utxo)].flatMap((address): Query[] => {
    const owner = addressToBytes(address);
    return [
      {
        text: `INSERT INTO ${holding}(address, shelf, time, tie, seq) VALUES (?, ?, ?, ?, ?)`,
        values: [owner, importedSet, seen, tiebreaker, -seq],
      },
      {
        text: `INSERT INTO ${amount}(address, shelf, amount, tie, seq) VALUES (?, ?, ?, ?, ?)`,
        values: [owner, importedSet, amountBytes, tiebreaker, -seq],
      },
    ];
  });
}
