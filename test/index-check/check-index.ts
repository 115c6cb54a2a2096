import type { Utxo } from '../../src/avm/tx/utxo.ts';
import { type Address, addressToBytes } from '../../src/base/bytes/address.ts';
import { toHex } from '../../src/base/bytes/hex.ts';
import { type Id, idText, idToBytes } from '../../src/base/bytes/id.ts';
import { chainTables } from '../../src/ledger/index/chain-tables.ts';
import type { Dialect } from '../../src/ledger/index/ddl.ts';
import { type ExplorerTables, explorerSchema, explorerTablesOf } from '../../src/ledger/index/explorer-tables.ts';
import type { SqlValue } from '../../src/ledger/index/sql.ts';
import { type IndexTables, indexSchema, indexTablesOf, sharedIndexSchema } from '../../src/ledger/index/tables.ts';
import type { IndexSpec } from '../../src/ledger/index-write/block-writer.ts';
import { tablesOf } from '../../src/ledger/state/schema.ts';
import { encodeStoredUtxo } from '../../src/ledger/state/stored-utxo.ts';
import { fetchRows, type Queries } from '../../src/ledger/store/queries.ts';
import { type ChainModel, createChainModel, type ModelBlock, type ModelOutput, type NewChainData } from './chain-model.ts';
import { assetCounts, assetCountText, explorerRows, txOutputTexts } from './expected-explorer-rows.ts';
import {
  activeRows,
  addCrossChainOutputs,
  addressesOfTx,
  assetRows,
  assetsOfTx,
  balanceRows,
  bucketRows,
  bucketStartByUnit,
  type CrossChainOutput,
  crossChainKey,
  crossChainOutputs,
  currentBalanceText,
  exportedRows,
  historyRowTexts,
  holderRowText,
  importedRows,
  isMintUtxo,
  minuteRows,
  outputRows,
  partHex,
  seenTimesByAddress,
  sumHex,
} from './expected-rows.ts';
import { createRunningCounts } from './running-counts.ts';

/** Compares an index with its chains. It implements the rules of the index a second time and shares no code with the writer. */
type IndexChecker = {
  /** Reads what the chains have stored since the last call and checks the rows that this affects. Returns the differences as texts. */
  readonly checkNew: () => Queries<string[]>;
  /** Checks all rows of all tables. */
  readonly checkAll: () => Queries<string[]>;
};

/** `chains` must be all chains that are indexed in the database. */
export function createIndexChecker(chains: readonly IndexSpec[], dialect: Dialect): IndexChecker {
  const checked = chains.map((spec) => ({ ...createChainModel(spec, dialect), counts: createRunningCounts(spec) }));
  const models = checked.map(({ model }) => model);
  const crossChain = new Map<string, CrossChainOutput>();

  function* readAll(): Queries<{ model: ChainModel; counts: Counts; newData: NewChainData }[]> {
    const read = [];
    for (const { model, counts, readNew } of checked) {
      const newData = yield* readNew();
      for (const output of newData.preLinearization) counts.addPreLinearization(output);
      for (const block of newData.blocks) {
        counts.addBlock(block);
        addCrossChainOutputs(crossChain, model.spec.id, block.txs);
      }
      read.push({ model, counts, newData });
    }
    return read;
  }

  return {
    checkNew: function* () {
      const problems: string[] = [];
      const read = yield* readAll();
      yield* addSpentTimes(crossChain);
      for (const { model, counts, newData } of read) problems.push(...(yield* checkNewData(model, counts, newData, crossChain)));
      return problems;
    },
    checkAll: function* () {
      yield* readAll();
      const problems: string[] = [];
      const crossChain = crossChainOutputs(models);
      yield* addSpentTimes(crossChain);
      const keys = yield* movedKeys();
      for (const model of models) problems.push(...(yield* checkChain(model, crossChain, keys)));
      problems.push(...differences('moved', [...crossChain.values()].map(crossChainOutputText), yield* movedTexts()));
      return problems;
    },
  };
}

/** Checks all rows of an index once. */
export const checkIndex = (chains: readonly IndexSpec[], dialect: Dialect): Queries<string[]> =>
  createIndexChecker(chains, dialect).checkAll();

type Counts = ReturnType<typeof createRunningCounts>;

function* checkChain(
  model: ChainModel,
  crossChain: ReadonlyMap<string, CrossChainOutput>,
  movedKeyBySeq: ReadonlyMap<number, string>,
): Queries<string[]> {
  const { spec, blocks, outputs, txs } = model;
  const t = indexTablesOf(spec.number);
  const outbound = [...crossChain.values()].filter(({ source }) => source === spec.id);
  const inbound = [...crossChain.values()].filter(({ destination }) => destination === spec.id);
  const counts = assetCounts(model);
  const seqText = (seq: SqlValue) => movedKeyBySeq.get(-Number(seq)) ?? `${seq}`;
  const expected: { readonly [K in keyof IndexTables]: readonly string[] } = {
    owner: [...outputs.values()].flatMap((output) => outputRows(output)),
    movedOwner: [...outbound.flatMap(exportedRows), ...inbound.flatMap(importedRows)],
    history: txs.flatMap((tx) => historyRowTexts(model, tx)),
    holder: [...seenTimesByAddress(model)].map(([address, times]) => holderRowText(address, times)),
    active: activeRows(model),
    assetStat: assetRows(model).map((row) => `${row} ${assetCountText(counts, row.split(' ')[0] as Id)}`),
    minter: [...outputs.values()].filter(({ utxo }) => isMintUtxo(utxo)).map(({ utxo, seq }) => `${utxo.assetID} ${seq}`),
    span: bucketRows(model),
    minute: minuteRows(model),
  };
  const open = yield* openBucketTexts(spec);
  const problems: string[] = openBucketProblems(open, blocks.at(-1));
  for (const key of Object.keys(expected) as (keyof IndexTables)[]) {
    const columns = Object.keys(indexSchema[key].columns);
    const rows = yield* fetchRows<CheckedRow>([{ text: `SELECT ${columns.join(', ')} FROM ${t[key]}`, values: [] }]);
    const texts = rows.map((row) =>
      columns.map((column) => (column === 'seq' ? seqText(row[column] ?? null) : cellText(row[column]))).join(' '),
    );
    problems.push(...differences(t[key], expected[key], [...texts, ...(open[key as 'span'] ?? [])]));
  }
  const { columns } = chainTables.balance;
  problems.push(...(yield* expectRow(tablesOf(spec.number).balance, columns, '1 = 1', [], balanceRows(model))));
  problems.push(...(yield* checkExplorerRows(model)));
  const last = blocks[blocks.length - 1]?.height ?? -1;
  problems.push(...differences('progress', [`${spec.id} ${last} ${spec.completeFrom}`], yield* progressTexts(spec)));
  return problems;
}

function* checkExplorerRows(model: ChainModel): Queries<string[]> {
  const names = explorerTablesOf(model.spec.number);
  const expected = explorerRows(model);
  const problems: string[] = [];
  for (const key of Object.keys(names) as (keyof ExplorerTables)[])
    problems.push(...(yield* expectRow(names[key], explorerSchema[key].columns, '1 = 1', [], expected[key])));
  const txTable = tablesOf(model.spec.number).tx;
  problems.push(...(yield* expectRow(txTable, txOutputColumns, 'length(outputs) > 0', [], txOutputTexts(model))));
  return problems;
}

const txOutputColumns = { seq: { type: 'int' }, outputs: { type: 'blob' } } as const;

function* checkNewData(
  model: ChainModel,
  counts: Counts,
  { blocks, preLinearization }: NewChainData,
  crossChain: ReadonlyMap<string, CrossChainOutput>,
): Queries<string[]> {
  if (blocks.length + preLinearization.length === 0) return [];
  const { spec } = model;
  const t = indexTablesOf(spec.number);
  const problems: string[] = [];
  const outputs = new Set<ModelOutput>(preLinearization);
  const addresses = new Set<Address>();
  const assets = new Set<Id>();
  for (const tx of blocks.flatMap((block) => block.txs)) {
    for (const { id } of [...tx.consumed, ...tx.created]) outputs.add(model.outputs.get(id) as ModelOutput);
    for (const address of addressesOfTx(tx)) addresses.add(address);
    for (const asset of assetsOfTx(tx)) assets.add(asset);
    for (const row of historyRowTexts(model, tx)) {
      const [subject, kind, seq] = row.split(' ') as [string, string, string];
      const values = [Buffer.from(subject, 'hex'), Number(kind), Number(seq)];
      problems.push(...(yield* expectRow(t.history, indexSchema.history.columns, 'subject = ? AND kind = ? AND tx = ?', values, [row])));
    }
    for (const { utxo, to } of tx.exported) problems.push(...(yield* checkCrossChainOutput(crossChain, utxo, spec.id, to)));
    for (const { utxo, from } of tx.imported) problems.push(...(yield* checkCrossChainOutput(crossChain, utxo, from, spec.id)));
  }
  for (const output of outputs) problems.push(...(yield* checkOutput(model, output)));
  for (const address of addresses)
    problems.push(
      ...(yield* expectRow(t.holder, indexSchema.holder.columns, 'address = ?', [addressToBytes(address)], counts.holderRows(address))),
    );
  for (const asset of assets)
    problems.push(...(yield* expectRow(t.assetStat, assetColumns, 'asset = ?', [idToBytes(asset)], counts.assetRows(asset))));
  const open = yield* openBucketTexts(spec);
  problems.push(...openBucketProblems(open, model.blocks.at(-1)));
  for (const time of timesOf(blocks)) {
    const minute = time - (time % 60);
    const openMinute = open.minute.filter((row) => row.startsWith(`${minute} `));
    problems.push(...(yield* expectRow(t.minute, indexSchema.minute.columns, 'start = ?', [minute], counts.minuteRows(time), openMinute)));
    for (const [unit, startOf] of bucketStartByUnit.entries()) {
      const start = startOf(time);
      const openBucket = open.span.filter((row) => row.startsWith(`${unit} ${start} `));
      const where = 'unit = ? AND start = ?';
      problems.push(
        ...(yield* expectRow(t.span, indexSchema.span.columns, where, [unit, start], counts.bucketRows(unit, time), openBucket)),
      );
    }
  }
  const last = model.blocks[model.blocks.length - 1]?.height ?? -1;
  problems.push(...differences('progress', [`${spec.id} ${last} ${spec.completeFrom}`], yield* progressTexts(spec)));
  return problems;
}

const timesOf = (blocks: readonly ModelBlock[]): Set<number> => new Set(blocks.filter(({ height }) => height > 0).map(({ time }) => time));

/** Checks that an output is in its set and in no other, and that its balance is the sum of the unspent outputs. */
function* checkOutput(model: ChainModel, output: ModelOutput): Queries<string[]> {
  const { utxo, seq } = output;
  const t = indexTablesOf(model.spec.number);
  const problems: string[] = [];
  for (const owner of new Set(utxo.output.addresses)) {
    const expected = outputRows(output).filter((row) => row.startsWith(owner));
    const key = [addressToBytes(owner), seq];
    problems.push(...(yield* expectRow(t.owner, indexSchema.owner.columns, 'address = ? AND seq = ?', key, expected)));
  }
  if (isMintUtxo(utxo)) {
    const expected = [`${utxo.assetID} ${seq}`];
    problems.push(
      ...(yield* expectRow(t.minter, indexSchema.minter.columns, 'asset = ? AND seq = ?', [idToBytes(utxo.assetID), seq], expected)),
    );
  }
  const [owner, ...others] = utxo.output.addresses;
  if (owner === undefined || others.length > 0 || isMintUtxo(utxo)) return problems;
  const {
    assetID,
    output: { locktime },
  } = utxo;
  const { balance } = tablesOf(model.spec.number);
  for (const part of new Set([0n, locktime])) {
    const rows = yield* fetchRows<CheckedRow>([
      {
        text: `SELECT amount, count, nfts FROM ${balance} WHERE address = ? AND asset = ? AND part = ? ORDER BY height DESC LIMIT 1`,
        values: [addressToBytes(owner), idToBytes(assetID), Buffer.from(partHex(part), 'hex')],
      },
    ]);
    const now = currentBalanceText(model, owner, assetID, part);
    const texts = rows.map((row) => `${cellText(row.amount)} ${row.count} ${row.nfts}`);
    // A balance that was never above zero at the end of a block has no row.
    if (texts.length > 0 || !now.endsWith(' 0 0')) problems.push(...differences(`balance of ${owner} in ${idText(assetID)}`, [now], texts));
  }
  return problems;
}

function* checkCrossChainOutput(
  crossChain: ReadonlyMap<string, CrossChainOutput>,
  utxo: Utxo,
  source: Id,
  destination: Id,
): Queries<string[]> {
  const output = crossChain.get(crossChainKey(utxo.id, source, destination));
  const texts = yield* movedTexts('WHERE id = ? AND source = ? AND destination = ?', [utxo.id, source, destination].map(idToBytes));
  return differences('moved', output === undefined ? [] : [crossChainOutputText(output)], texts);
}

const crossChainOutputText = ({ utxo, source, destination, exportedBy, importedBy, spentTime }: CrossChainOutput): string =>
  [utxo.id, source, destination, toHex(encodeStoredUtxo(utxo)), exportedBy?.time ?? importedBy?.time, exportedBy?.height]
    .concat([importedBy?.tx.id, importedBy?.height, importedBy?.time ?? spentTime])
    .map((value) => value ?? 'null')
    .join(' ');

/**
 * Takes over the spent times of exports whose import is unknown. No chain in the database can confirm these, so they are accepted if they
 * are possible: the source chain exported the output before, and no import of it is known.
 */
function* addSpentTimes(crossChain: ReadonlyMap<string, CrossChainOutput>): Queries<void> {
  const rows = yield* fetchRows<{ id: Uint8Array; source: Uint8Array; destination: Uint8Array; taken_time: number }>([
    { text: 'SELECT id, source, destination, taken_time FROM moved WHERE taken_by IS NULL AND taken_time IS NOT NULL', values: [] },
  ]);
  for (const { id, source, destination, taken_time } of rows) {
    const output = crossChain.get(toHex(id) + toHex(source) + toHex(destination));
    if (output?.exportedBy !== undefined && output.importedBy === undefined && taken_time >= output.exportedBy.time)
      output.spentTime = taken_time;
  }
}

function* movedTexts(where = '', values: readonly SqlValue[] = []): Queries<string[]> {
  const columns = Object.keys(sharedIndexSchema.moved.columns).filter((column) => column !== 'seq');
  const rows = yield* fetchRows<CheckedRow>([{ text: `SELECT ${columns.join(', ')} FROM moved ${where}`, values }]);
  return rows.map((row) => columns.map((column) => cellText(row[column])).join(' '));
}

function* movedKeys(): Queries<Map<number, string>> {
  const rows = yield* fetchRows<{ seq: number; id: Uint8Array; source: Uint8Array; destination: Uint8Array }>([
    { text: 'SELECT seq, id, source, destination FROM moved', values: [] },
  ]);
  return new Map(rows.map(({ seq, id, source, destination }) => [seq, toHex(id) + toHex(source) + toHex(destination)]));
}

function* progressTexts({ id }: IndexSpec): Queries<string[]> {
  const rows = yield* fetchRows<CheckedRow>([
    { text: 'SELECT chain, height, complete_from FROM progress WHERE chain = ?', values: [idToBytes(id)] },
  ]);
  return rows.map((row) => `${cellText(row.chain)} ${row.height} ${row.complete_from}`);
}

type OpenBucketTexts = { readonly span: readonly string[]; readonly minute: readonly string[] };

/** The buckets of the last block, which are not in their tables yet, as the rows they will have. */
function* openBucketTexts({ id }: IndexSpec): Queries<OpenBucketTexts> {
  const [row] = yield* fetchRows<{ open_buckets: string | null }>([
    { text: 'SELECT open_buckets FROM progress WHERE chain = ?', values: [idToBytes(id)] },
  ]);
  if (typeof row?.open_buckets !== 'string') return { span: [], minute: [] };
  const { span, minute }: { span: (number | string)[][]; minute: (number | string)[] } = JSON.parse(row.open_buckets);
  const text = (values: (number | string)[]) =>
    values.map((value) => (typeof value === 'string' ? sumHex(BigInt(value)) : value)).join(' ');
  return { span: span.map(text), minute: [text(minute)] };
}

/** The open buckets must be those of the last block, and there are none before block 1. */
function openBucketProblems({ span, minute }: OpenBucketTexts, last: ModelBlock | undefined): string[] {
  const expected =
    last === undefined || last.height === 0 ? [] : [...bucketStartByUnit.map((startOf, unit) => `${unit} ${startOf(last.time)}`)];
  const minutes = last === undefined || last.height === 0 ? [] : [`${last.time - (last.time % 60)}`];
  const found = span.map((row) => row.split(' ').slice(0, 2).join(' '));
  return [
    ...differences('open buckets', expected, found),
    ...differences(
      'open minute',
      minutes,
      minute.map((row) => row.split(' ')[0] ?? ''),
    ),
  ];
}

/** The columns that running counts know: not those of holders and minted units. */
const assetColumns = { asset: 0, first: 0, last: 0, txs: 0, supply: 0, nfts: 0 };

type CheckedRow = { readonly [column: string]: SqlValue };

function* expectRow(
  table: string,
  columns: object,
  where: string,
  values: readonly SqlValue[],
  expected: readonly string[],
  elsewhere: readonly string[] = [],
): Queries<string[]> {
  const names = Object.keys(columns);
  const rows = yield* fetchRows<CheckedRow>([{ text: `SELECT ${names.join(', ')} FROM ${table} WHERE ${where}`, values }]);
  return differences(table, expected, [...rows.map((row) => names.map((name) => cellText(row[name])).join(' ')), ...elsewhere]);
}

const cellText = (value: SqlValue | undefined): string =>
  value instanceof Uint8Array ? toHex(value) : value === null || value === undefined ? 'null' : `${value}`;

/** The differences between two sets of rows. Also reports if a row was found twice. */
function differences(table: string, expected: readonly string[], found: readonly string[]): string[] {
  const [expectedSet, foundSet] = [new Set(expected), new Set(found)];
  const missing = [...expectedSet].filter((row) => !foundSet.has(row)).map((row) => `${table}: missing row ${row}`);
  const extra = [...foundSet].filter((row) => !expectedSet.has(row)).map((row) => `${table}: unexpected row ${row}`);
  const duplicates = expectedSet.size === expected.length && foundSet.size !== found.length ? [`${table}: duplicate row`] : [];
  return [...missing, ...extra, ...duplicates].slice(0, maxReported);
}

/** Differences reported per table. */
const maxReported = 20;
