import { createHash } from 'node:crypto';
import { type Block, parseBlock } from '../src/avm/tx/block.ts';
import { parseTx, type Tx } from '../src/avm/tx/tx.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import { sha256Hex } from '../src/base/bytes/hash.ts';
import { toHex } from '../src/base/bytes/hex.ts';
import { type Id, idToBytes } from '../src/base/bytes/id.ts';
import { maxGenesisBytes } from '../src/base/codec/pack.ts';
import { ownerSets, tablesOf } from '../src/ledger/state/schema.ts';
import { decodeStoredUtxo, storedOwners } from '../src/ledger/state/stored-utxo.ts';
import type { Database } from '../src/ledger/store/database.ts';
import { createdBy, spentBy } from './ledger-model.ts';

/**
 * Computes owners, sums, counts, assets and spent outputs again from the transactions in a database, and compares them with its tables.
 * Returns the differences. Does not use the code that writes these tables.
 */
export function auditState(db: Database): string[] {
  const problems = [...integrityProblems(db), ...auditSharedMemory(db)];
  for (const { number } of db.prepare<{ number: number }>('SELECT number FROM chain WHERE genesis IS NOT NULL').all())
    problems.push(...auditChain(db, number));
  return problems;
}

/** A hash of the accepted state: equal histories give equal hashes. */
export function stateHash(db: Database): string {
  const hash = createHash('sha256');
  for (const { number } of db.prepare<{ number: number }>('SELECT number FROM chain WHERE genesis IS NOT NULL ORDER BY id').all())
    for (const [name, table] of Object.entries(tablesOf(number))) {
      // The history index adds rows of spent outputs to the owners.
      const own = name === 'owner' ? ` WHERE ${unspentSets}` : '';
      addRows(hash, db, `SELECT * FROM ${table}${own} ORDER BY 1, 2${columnsOf(name)}`);
    }
  // Chain and row numbers depend on the order in which chains were first used, which is not part of the history.
  addRows(
    hash,
    db,
    `SELECT r.id AS reader, p.id AS peer, a.id, a.bytes, a.removed FROM atomic a
       JOIN chain r ON r.number = a.reader JOIN chain p ON p.number = a.peer ORDER BY 1, 2, 3`,
  );
  return hash.digest('hex');
}

/** More columns to order the rows by: not all tables have four. */
const columnsOf = (name: string): string => (name === 'spend' ? '' : name === 'oldUtxo' || name === 'outputId' ? ', 3' : ', 3, 4');

const unspentSets = `shelf IN (${ownerSets.unspent}, ${ownerSets.multiOwnerUnspent})`;

/** All blocks, including block 0, and the genesis transactions. */
export function readHistory(db: Database, chain = 1): { readonly genesis: Tx[]; readonly blocks: Uint8Array[] } {
  const t = tablesOf(chain);
  const txs = db.prepare<{ bytes: Uint8Array; height: number }>(`SELECT bytes, height FROM ${t.tx} ORDER BY seq`).all();
  const byHeight = Map.groupBy(txs, ({ height }) => height);
  const blocks = db.prepare<{ header: Uint8Array; height: number }>(`SELECT header, height FROM ${t.block} ORDER BY height`).all();
  return {
    genesis: (byHeight.get(0) ?? []).map(({ bytes }) => parseTx(bytes, maxGenesisBytes)),
    blocks: blocks.map(({ header, height }) =>
      height === 0 ? header : Buffer.concat([header, ...(byHeight.get(height) ?? []).map(({ bytes }) => bytes.subarray(2))]),
    ),
  };
}

function addRows(hash: ReturnType<typeof createHash>, db: Database, sql: string): void {
  for (const row of db.prepare<Record<string, unknown>>(sql).all())
    for (const value of Object.values(row)) hash.update(value instanceof Uint8Array ? `x${toHex(value)};` : `${value};`);
  hash.update('|');
}

function integrityProblems(db: Database): string[] {
  const rows = db.prepare<{ integrity_check: string }>('PRAGMA integrity_check').all();
  return rows.map(({ integrity_check }) => integrity_check).filter((text) => text !== 'ok');
}

function auditChain(db: Database, chain: number): string[] {
  const t = tablesOf(chain);
  const { genesis, blocks } = readHistory(db, chain);
  const parsed = blocks.map(parseBlock);
  const txsWithHeight = [
    ...genesis.map((tx) => ({ tx, height: 0 })),
    ...parsed.flatMap(({ txs }, height) => txs.map((tx) => ({ tx, height }))),
  ];
  const { unspent, spends } = replayTxs(txsWithHeight.map(({ tx }) => tx));
  const last = db.prepare<{ id: Uint8Array; unspent: number }>(`SELECT id, unspent FROM ${t.block} ORDER BY height DESC LIMIT 1`).get();
  return [
    ...linkProblems(parsed),
    ...compareLines('last block', last === undefined ? [] : [`${toHex(last.id)} ${last.unspent}`], [
      `${parsed.at(-1)?.id} ${unspent.length}`,
    ]),
    ...compareLines('spent outputs', spendRows(db, t), spends),
    ...compareLines('owners', ownerRows(db, t), unspent.flatMap(ownerLines)),
    ...compareLines('balances', balanceRows(db, t.balance), balanceLines(unspent.map(({ utxo }) => utxo))),
    ...compareLines('assets', assetRows(db, t.asset), txsWithHeight.flatMap(assetLines)),
    ...compareLines(
      'transactions',
      txRows(db, t.tx),
      txsWithHeight.map(({ tx, height }, i) => `${i + 1} ${tx.id} ${tx.id} ${height}`),
    ),
  ];
}

/** An output and the number of the transaction that created it. */
type Created = { readonly utxo: Utxo; readonly creator: number; spent: number | null };

/** The unspent outputs, and one line for every spent one. */
function replayTxs(txs: readonly Tx[]): { unspent: Created[]; spends: string[] } {
  const all = new Map<string, Created>();
  for (const [i, tx] of txs.entries()) {
    for (const id of spentBy(tx)) {
      const entry = all.get(id);
      // -1 marks a double spend, so that the line differs from the table.
      if (entry !== undefined) entry.spent = entry.spent === null ? i + 1 : -1;
      else throw new Error(`transaction ${tx.id} spends ${id}, which was never created`);
    }
    for (const utxo of createdBy(tx)) all.set(utxo.id, { utxo, creator: i + 1, spent: null });
  }
  const outputs = [...all.values()];
  return {
    unspent: outputs.filter(({ spent }) => spent === null),
    spends: outputs.flatMap(({ utxo, creator, spent }) => (spent === null ? [] : [`${creator} ${utxo.outputIndex} ${spent}`])),
  };
}

const linkProblems = (blocks: readonly Block[]): string[] =>
  blocks.flatMap(({ height, parentID }, i) => {
    if (height !== BigInt(i)) return [`block ${i} has height ${height}`];
    return i > 0 && parentID !== blocks[i - 1]?.id ? [`block ${i} has a wrong parent ID`] : [];
  });

const assetRows = (db: Database, table: string): string[] =>
  db
    .prepare<{ id: Uint8Array; fxs: string }>(`SELECT id, fxs FROM ${table}`)
    .all()
    .map(({ id, fxs }) => `${toHex(id)} ${fxs}`);

const assetLines = ({ tx: { id, unsigned } }: { tx: Tx }): string[] =>
  unsigned.kind === 'CreateAssetTx' ? [`${id} ${unsigned.initialStates.map(({ fxIndex }) => fxIndex).join(' ')}`] : [];

const txRows = (db: Database, table: string): string[] =>
  db
    .prepare<{ seq: number; id: Uint8Array; height: number; bytes: Uint8Array }>(`SELECT seq, id, height, bytes FROM ${table}`)
    .all()
    .map(({ seq, id, height, bytes }) => `${seq} ${toHex(id)} ${sha256Hex(bytes)} ${height}`);

/** The outputs that the stored transactions created and that are not marked as spent. */
export function unspentOutputs(db: Database, chain = 1): Utxo[] {
  const t = tablesOf(chain);
  const spent = new Set(
    db
      .prepare<{ utxo: number }>(`SELECT utxo FROM ${t.spend}`)
      .all()
      .map(({ utxo }) => utxo),
  );
  const txs = db.prepare<{ seq: number; bytes: Uint8Array }>(`SELECT seq, bytes FROM ${t.tx}`).all();
  return txs.flatMap(({ seq, bytes }) =>
    createdBy(parseTx(bytes, maxGenesisBytes)).filter(({ outputIndex }) => !spent.has(seq * 2 ** 20 + outputIndex)),
  );
}

/** Spent outputs: which transaction created them, at which index, and which one consumed them. */
const spendRows = (db: Database, t: ReturnType<typeof tablesOf>): string[] =>
  db
    .prepare<{ utxo: number; tx: number }>(`SELECT utxo, tx FROM ${t.spend}`)
    .all()
    .map(({ utxo, tx }) => `${Math.floor(utxo / 2 ** 20)} ${utxo % 2 ** 20} ${tx}`);

/** Owners of unspent outputs with the copy of the output; none if it is long. */
const ownerRows = (db: Database, t: ReturnType<typeof tablesOf>): string[] =>
  db
    .prepare<{ address: Uint8Array; seq: number; bytes: Uint8Array | null }>(
      `SELECT address, seq, bytes FROM ${t.owner} WHERE ${unspentSets}`,
    )
    .all()
    .map(({ address, seq, bytes }) => `${toHex(address)} ${seq} ${bytes === null ? '' : toHex(decodeStoredUtxo(bytes).bytes)}`);

const ownerLines = ({ utxo: { bytes, outputIndex, output }, creator }: Created): string[] =>
  output.addresses.map((address) => `${address} ${creator * 2 ** 20 + outputIndex} ${bytes.length + 4 > 256 ? '' : toHex(bytes)}`);

/** The newest row of each balance that is not zero. */
const balanceRows = (db: Database, table: string): string[] =>
  db
    .prepare<Balance>(
      `SELECT address, asset, part, max(height) AS height, amount, count, nfts FROM ${table} GROUP BY address, asset, part
       HAVING count > 0 OR nfts > 0`,
    )
    .all()
    .map(({ address, asset, part, amount, count, nfts }) => {
      const partNumber = part.length === 9 ? -1 : Number.parseInt(toHex(part) || '0', 16);
      return `${toHex(address)} ${toHex(asset)} ${partNumber}: ${BigInt(`0x0${toHex(amount)}`)}/${count}/${nfts}`;
    });

type Balance = {
  readonly address: Uint8Array;
  readonly asset: Uint8Array;
  readonly part: Uint8Array;
  readonly amount: Uint8Array;
  readonly count: number;
  readonly nfts: number;
};

/** The sums of each address and asset, one line each: of single owners (0), of those with a lock time (the lock time), of several owners (-1). */
export function balanceLines(utxos: Iterable<Utxo>): string[] {
  const sums = new Map<string, { amount: bigint; count: number; nfts: number }>();
  const add = (key: string, amount: bigint | undefined): void => {
    const sum = sums.get(key) ?? { amount: 0n, count: 0, nfts: 0 };
    sums.set(key, sum);
    sum.amount += amount ?? 0n;
    sum[amount === undefined ? 'nfts' : 'count']++;
  };
  for (const { assetID, output } of utxos) {
    if (output.kind.endsWith('MintOutput')) continue;
    const amount = output.kind === 'secp256k1fx.TransferOutput' ? output.amount : undefined;
    const [first, ...others] = output.addresses;
    if (first !== undefined && others.length === 0)
      for (const part of new Set([0n, output.locktime])) add(`${first} ${assetID} ${part}`, amount);
    else if (amount !== undefined) for (const address of output.addresses) add(`${address} ${assetID} -1`, amount);
  }
  return [...sums].map(([key, { amount, count, nfts }]) => `${key}: ${amount}/${count}/${nfts}`);
}

/** Checks that each output that can be imported is listed under each of its owners, and no other is. */
function auditSharedMemory(db: Database): string[] {
  const entries = db.prepare<{ seq: number; bytes: Uint8Array }>('SELECT seq, bytes FROM atomic WHERE removed = 0').all();
  const rows = db.prepare<{ address: Uint8Array; seq: number }>('SELECT address, seq FROM atomic_owner').all();
  return compareLines(
    'owners in shared memory',
    rows.map(({ address, seq }) => `${toHex(address)} ${seq}`),
    entries.flatMap(({ seq, bytes }) => storedOwners(bytes).map((address) => `${address} ${seq}`)),
  );
}

/** IDs of the outputs that `reader` can import from `peer`, ascending. */
export const sharedIds = (db: Database, reader: Id, peer: Id): string[] =>
  db
    .prepare<{ id: Uint8Array }>(
      `SELECT a.id FROM atomic a JOIN chain r ON r.number = a.reader JOIN chain p ON p.number = a.peer
         WHERE r.id = ? AND p.id = ? AND a.removed = 0 ORDER BY a.id`,
    )
    .all(idToBytes(reader), idToBytes(peer))
    .map(({ id }) => toHex(id));

function compareLines(what: string, stored: readonly string[], computed: readonly string[]): string[] {
  const [storedSet, computedSet] = [new Set(stored), new Set(computed)];
  if (storedSet.size !== stored.length) return [`${what}: duplicate row`];
  const extra = stored.filter((line) => !computedSet.has(line));
  const missing = computed.filter((line) => !storedSet.has(line));
  const shown = [...extra.map((line) => `unexpected: ${line}`), ...missing.map((line) => `missing: ${line}`)].slice(0, 4);
  return shown.map((line) => `${what}: ${line}`);
}
