import { addressToBytes } from '../bytes/address.ts';
import { u64Bytes } from '../bytes/octets.ts';
import { ownersOf } from '../state/balance.ts';
import { restored, type StoredUtxo } from '../state/stored-utxo.ts';
import { amountOf } from './output-amount.ts';
import { tieOf } from './output-set.ts';
import { ask, type Query, type Steps } from './steps.ts';
import { indexTablesOf } from './tables.ts';

/** Version 2 of a chain's tables: outputs of other chains that imports of this one spent are listed among the outputs of their owners. */
export function* addImportedOutputs(chain: number): Steps<void> {
  const { holding, amount } = indexTablesOf(chain);
  const next = `SELECT m.seq, m.bytes, m.seen FROM moved m JOIN chain c ON c.id = m.destination
    WHERE c.number = ? AND m.taken_by IS NOT NULL AND m.seq > ? ORDER BY m.seq LIMIT ${rowsAtOnce}`;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows: readonly MovedRow[] = yield* ask<MovedRow>([{ text: next, values: [chain, after] }]);
    yield rows.flatMap((row) => placings(row, holding, amount));
    after = rows[rowsAtOnce - 1]?.seq;
  }
}

const rowsAtOnce = 1024;

/** The shelf of imported outputs; see tables.ts. */
const importedShelf = 6;

type MovedRow = { readonly seq: number; readonly bytes: StoredUtxo; readonly seen: number };

function placings({ seq, bytes, seen }: MovedRow, holding: string, amount: string): Query[] {
  const utxo = restored(bytes);
  const [tie, worth] = [tieOf(utxo), u64Bytes(amountOf(utxo.output))];
  return [...ownersOf(utxo)].flatMap((address): Query[] => {
    const owner = addressToBytes(address);
    return [
      {
        text: `INSERT INTO ${holding}(address, shelf, time, tie, seq) VALUES (?, ?, ?, ?, ?)`,
        values: [owner, importedShelf, seen, tie, -seq],
      },
      {
        text: `INSERT INTO ${amount}(address, shelf, amount, tie, seq) VALUES (?, ?, ?, ?, ?)`,
        values: [owner, importedShelf, worth, tie, -seq],
      },
    ];
  });
}
