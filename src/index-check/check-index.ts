import { type Address, addressToBytes } from '../bytes/address.ts';
import { toHex } from '../bytes/hex.ts';
import { type Id, idText, idToBytes } from '../bytes/id.ts';
import { u64Bytes } from '../bytes/octets.ts';
import type { Dialect } from '../index/ddl.ts';
import type { SqlValue } from '../index/sql.ts';
import { ask, type Steps } from '../index/steps.ts';
import { type IndexTables, indexSchema, indexTablesOf, sharedIndexSchema, shelves } from '../index/tables.ts';
import type { IndexSpec } from '../index-write/block-writer.ts';
import { stored } from '../state/stored-utxo.ts';
import type { Utxo } from '../tx/utxo.ts';
import { type ChainModel, chainModel, type ModelBlock, type ModelOutput, type News } from './chain-model.ts';
import {
  addMoves,
  assetRows,
  assetsIn,
  balanceNow,
  balanceRows,
  historyOf,
  holderText,
  importedRows,
  involvedIn,
  isMint,
  type Move,
  movedRows,
  moveName,
  movesOf,
  outputRows,
  presences,
  secondRows,
  spanRows,
  startsOf,
} from './expected-rows.ts';
import { runningCounts } from './running-counts.ts';

/** Holds an index against its chains. It knows the rules of the index anew: it shares no code with what writes it. */
export type IndexChecker = {
  /** Reads what the chains have had since the last time, and checks what that touched. Differences, in words. */
  readonly next: () => Steps<string[]>;
  /** Checks every row of everything. */
  readonly whole: () => Steps<string[]>;
};

/** All the chains that are indexed in the database. */
export function indexChecker(chains: readonly IndexSpec[], dialect: Dialect): IndexChecker {
  const watched = chains.map((spec) => ({ ...chainModel(spec, dialect), counts: runningCounts(spec) }));
  const models = watched.map(({ model }) => model);
  const moves = new Map<string, Move>();

  function* readOn(): Steps<{ model: ChainModel; counts: Counts; news: News }[]> {
    const read = [];
    for (const { model, counts, readOn } of watched) {
      const news = yield* readOn();
      for (const output of news.older) counts.addOlder(output);
      for (const block of news.blocks) {
        counts.addBlock(block);
        addMoves(moves, model.spec.id, block.txs);
      }
      read.push({ model, counts, news });
    }
    return read;
  }

  return {
    next: function* () {
      const problems: string[] = [];
      const read = yield* readOn();
      yield* addGone(moves);
      for (const { model, counts, news } of read) problems.push(...(yield* checkNews(model, counts, news, moves)));
      return problems;
    },
    whole: function* () {
      yield* readOn();
      const problems: string[] = [];
      const moves = movesOf(models);
      yield* addGone(moves);
      const names = yield* movedNames();
      for (const model of models) problems.push(...(yield* checkChain(model, moves, names)));
      problems.push(...differences('moved', [...moves.values()].map(moveText), yield* movedTexts()));
      return problems;
    },
  };
}

/** Checks an index once, whole. */
export const checkIndex = (chains: readonly IndexSpec[], dialect: Dialect): Steps<string[]> => indexChecker(chains, dialect).whole();

type Counts = ReturnType<typeof runningCounts>;

function* checkChain(model: ChainModel, moves: ReadonlyMap<string, Move>, names: ReadonlyMap<number, string>): Steps<string[]> {
  const { spec, blocks, outputs, txs } = model;
  const t = indexTablesOf(spec.number);
  const own = [...moves.values()].filter(({ source }) => source === spec.id);
  const inbound = [...moves.values()].filter(({ destination }) => destination === spec.id);
  const places = [...[...outputs.values()].map((output) => outputRows(output)), ...own.map(movedRows), ...inbound.map(importedRows)];
  const named = (seq: SqlValue) => (Number(seq) < 0 ? (names.get(-Number(seq)) ?? '?') : `${seq}`);
  const expected: { readonly [K in keyof IndexTables]: readonly string[] } = {
    holding: places.flatMap(({ holding }) => holding),
    amount: places.flatMap(({ amount }) => amount),
    history: txs.flatMap(historyOf),
    balance: balanceRows(model),
    holder: [...presences(model)].map(([address, presence]) => holderText(address, presence)),
    assetStat: assetRows(model),
    minter: [...outputs.values()].filter(({ utxo }) => isMint(utxo)).map(({ utxo, seq }) => `${utxo.assetID} ${seq}`),
    span: spanRows(model),
    second: secondRows(model).map(({ text }) => text),
  };
  const problems: string[] = [];
  for (const key of Object.keys(expected) as (keyof IndexTables)[]) {
    const columns = Object.keys(indexSchema[key].columns);
    const rows = yield* ask<Row>([{ text: `SELECT ${columns.join(', ')} FROM ${t[key]}`, values: [] }]);
    const texts = rows.map((row) => columns.map((column) => (column === 'seq' ? named(row[column] ?? null) : cell(row[column]))).join(' '));
    problems.push(...differences(t[key], expected[key], texts));
  }
  const last = blocks[blocks.length - 1]?.height ?? -1;
  problems.push(...differences('progress', [`${spec.id} ${last} ${spec.completeFrom}`], yield* progressTexts(spec)));
  return problems;
}

function* checkNews(model: ChainModel, counts: Counts, { blocks, older }: News, moves: ReadonlyMap<string, Move>): Steps<string[]> {
  if (blocks.length + older.length === 0) return [];
  const { spec } = model;
  const t = indexTablesOf(spec.number);
  const problems: string[] = [];
  const outputs = new Set<ModelOutput>(older);
  const addresses = new Set<Address>();
  const assets = new Set<Id>();
  for (const tx of blocks.flatMap((block) => block.txs)) {
    for (const { id } of [...tx.consumed, ...tx.emitted]) outputs.add(model.outputs.get(id) as ModelOutput);
    for (const address of involvedIn(tx)) addresses.add(address);
    for (const asset of assetsIn(tx)) assets.add(asset);
    for (const row of historyOf(tx)) {
      const [subject, kind, seq] = row.split(' ') as [string, string, string];
      const values = [Buffer.from(subject, 'hex'), Number(kind), Number(seq)];
      problems.push(...(yield* expectRow(t.history, indexSchema.history.columns, 'subject = ? AND kind = ? AND tx = ?', values, [row])));
    }
    for (const { utxo, to } of tx.exported) problems.push(...(yield* checkMove(moves, utxo, spec.id, to)));
    for (const { utxo, from } of tx.imported) problems.push(...(yield* checkMove(moves, utxo, from, spec.id)));
  }
  for (const output of outputs) problems.push(...(yield* checkOutput(model, output)));
  for (const address of addresses)
    problems.push(
      ...(yield* expectRow(t.holder, indexSchema.holder.columns, 'address = ?', [addressToBytes(address)], counts.holder(address))),
    );
  for (const asset of assets)
    problems.push(...(yield* expectRow(t.assetStat, indexSchema.assetStat.columns, 'asset = ?', [idToBytes(asset)], counts.asset(asset))));
  for (const time of timesOf(blocks)) {
    problems.push(...(yield* expectRow(t.second, indexSchema.second.columns, 'time = ?', [time], counts.second(time))));
    for (const [unit, startOf] of startsOf.entries()) {
      const expected = counts.span(unit, time);
      problems.push(...(yield* expectRow(t.span, indexSchema.span.columns, 'unit = ? AND start = ?', [unit, startOf(time)], expected)));
    }
  }
  const last = model.blocks[model.blocks.length - 1]?.height ?? -1;
  problems.push(...differences('progress', [`${spec.id} ${last} ${spec.completeFrom}`], yield* progressTexts(spec)));
  return problems;
}

const timesOf = (blocks: readonly ModelBlock[]): Set<number> => new Set(blocks.filter(({ height }) => height > 0).map(({ time }) => time));

/** An output is on its shelf and on no other; the balance it belongs to is the sum of what there is. */
function* checkOutput(model: ChainModel, output: ModelOutput): Steps<string[]> {
  const { utxo, seq, time } = output;
  const t = indexTablesOf(model.spec.number);
  const problems: string[] = [];
  const tie = Buffer.from(utxo.id.slice(0, 16), 'hex');
  const amount = Buffer.from(outputRows(output).amount[0]?.split(' ')[2] ?? '', 'hex');
  for (const owner of new Set(utxo.output.addresses)) {
    const mine = (rows: readonly string[]) => rows.filter((row) => row.startsWith(owner));
    const places = Object.values(shelves).map(() => '?');
    const where = (sorting: string) => `address = ? AND shelf IN (${places.join(', ')}) AND ${sorting} = ? AND tie = ? AND seq = ?`;
    const key = [addressToBytes(owner), ...Object.values(shelves)];
    const { holding, amount: amounts } = outputRows(output);
    problems.push(...(yield* expectRow(t.holding, indexSchema.holding.columns, where('time'), [...key, time, tie, seq], mine(holding))));
    problems.push(...(yield* expectRow(t.amount, indexSchema.amount.columns, where('amount'), [...key, amount, tie, seq], mine(amounts))));
  }
  if (isMint(utxo)) {
    const expected = [`${utxo.assetID} ${seq}`];
    problems.push(
      ...(yield* expectRow(t.minter, indexSchema.minter.columns, 'asset = ? AND seq = ?', [idToBytes(utxo.assetID), seq], expected)),
    );
  }
  const [owner, ...others] = utxo.output.addresses;
  if (owner === undefined || others.length > 0 || isMint(utxo)) return problems;
  const {
    assetID,
    output: { locktime },
  } = utxo;
  const rows = yield* ask<Row>([
    {
      text: `SELECT amount, count, nfts FROM ${t.balance} WHERE address = ? AND asset = ? AND locktime = ? ORDER BY height DESC LIMIT 1`,
      values: [addressToBytes(owner), idToBytes(assetID), u64Bytes(locktime)],
    },
  ]);
  const now = balanceNow(model, owner, assetID, locktime);
  const texts = rows.map((row) => `${cell(row.amount)} ${row.count} ${row.nfts}`);
  // What never was there at the end of a block has no row.
  if (texts.length > 0 || !now.endsWith(' 0 0')) problems.push(...differences(`balance of ${owner} in ${idText(assetID)}`, [now], texts));
  return problems;
}

function* checkMove(moves: ReadonlyMap<string, Move>, utxo: Utxo, source: Id, destination: Id): Steps<string[]> {
  const move = moves.get(moveName(utxo.id, source, destination));
  const texts = yield* movedTexts('WHERE id = ? AND source = ? AND destination = ?', [utxo.id, source, destination].map(idToBytes));
  return differences('moved', move === undefined ? [] : [moveText(move)], texts);
}

const moveText = ({ utxo, source, destination, put, taken, gone }: Move): string =>
  [utxo.id, source, destination, toHex(stored(utxo)), put?.time ?? taken?.time, put?.height]
    .concat([taken?.tx.id, taken?.height, taken?.time ?? gone])
    .map((value) => value ?? 'null')
    .join(' ');

/** What no chain here can tell is believed if it can be so: this chain had put it, and nobody is known to have taken it. */
function* addGone(moves: ReadonlyMap<string, Move>): Steps<void> {
  const rows = yield* ask<{ id: Uint8Array; source: Uint8Array; destination: Uint8Array; taken_time: number }>([
    { text: 'SELECT id, source, destination, taken_time FROM moved WHERE taken_by IS NULL AND taken_time IS NOT NULL', values: [] },
  ]);
  for (const { id, source, destination, taken_time } of rows) {
    const move = moves.get(toHex(id) + toHex(source) + toHex(destination));
    if (move?.put !== undefined && move.taken === undefined && taken_time >= move.put.time) move.gone = taken_time;
  }
}

function* movedTexts(where = '', values: readonly SqlValue[] = []): Steps<string[]> {
  const columns = Object.keys(sharedIndexSchema.moved.columns).filter((column) => column !== 'seq');
  const rows = yield* ask<Row>([{ text: `SELECT ${columns.join(', ')} FROM moved ${where}`, values }]);
  return rows.map((row) => columns.map((column) => cell(row[column])).join(' '));
}

function* movedNames(): Steps<Map<number, string>> {
  const rows = yield* ask<{ seq: number; id: Uint8Array; source: Uint8Array; destination: Uint8Array }>([
    { text: 'SELECT seq, id, source, destination FROM moved', values: [] },
  ]);
  return new Map(rows.map(({ seq, id, source, destination }) => [seq, toHex(id) + toHex(source) + toHex(destination)]));
}

function* progressTexts({ id }: IndexSpec): Steps<string[]> {
  const rows = yield* ask<Row>([{ text: 'SELECT chain, height, complete_from FROM progress WHERE chain = ?', values: [idToBytes(id)] }]);
  return rows.map((row) => `${cell(row.chain)} ${row.height} ${row.complete_from}`);
}

type Row = { readonly [column: string]: SqlValue };

function* expectRow(
  table: string,
  columns: object,
  where: string,
  values: readonly SqlValue[],
  expected: readonly string[],
): Steps<string[]> {
  const names = Object.keys(columns);
  const rows = yield* ask<Row>([{ text: `SELECT ${names.join(', ')} FROM ${table} WHERE ${where}`, values }]);
  return differences(
    table,
    expected,
    rows.map((row) => names.map((name) => cell(row[name])).join(' ')),
  );
}

const cell = (value: SqlValue | undefined): string =>
  value instanceof Uint8Array ? toHex(value) : value === null || value === undefined ? 'null' : `${value}`;

/** Both as sets of rows; a row that stands there twice is told as well. */
function differences(table: string, expected: readonly string[], found: readonly string[]): string[] {
  const [wanted, there] = [new Set(expected), new Set(found)];
  const missing = [...wanted].filter((row) => !there.has(row)).map((row) => `${table}: missing ${row}`);
  const extra = [...there].filter((row) => !wanted.has(row)).map((row) => `${table}: should not have ${row}`);
  const doubled = wanted.size === expected.length && there.size !== found.length ? [`${table}: has a row twice`] : [];
  return [...missing, ...extra, ...doubled].slice(0, maxTold);
}

/** Of one table at a time. */
const maxTold = 20;
