import { type Id, idText } from '../bytes/id.ts';
import { addressBlob, idBlob } from '../index/blob.ts';
import type { Dialect } from '../index/ddl.ts';
import { IndexError } from '../index/fault.ts';
import { isRight } from '../index/output-amount.ts';
import type { SqlValue } from '../index/sql.ts';
import { ask, type Steps } from '../index/steps.ts';
import type { NumberedUtxo } from '../state/utxo-table.ts';
import { type BlockFacts, blockFacts, type NewInIndex } from './block-facts.ts';
import { countedRows } from './counter-rows.ts';
import { knownMoves, moveOutputs, withKnownImports } from './cross-chain-rows.ts';
import { leavingRows, placingRows, shelve } from './output-set-rows.ts';
import { writeOlder } from './pre-linearization-rows.ts';
import { readBefore } from './previous-rows.ts';
import { emptyCache } from './writer-cache.ts';
import { type WriterQueries, writerQueries } from './writer-queries.ts';

/** A chain as its index knows it. */
export type IndexSpec = {
  /** Of its tables. */
  readonly number: number;
  readonly id: Id;
  /** What fees are paid in. */
  readonly feeAsset: Id;
  /** Height from which on its history is whole. Above 0 nobody knows what became of the outputs of its genesis. */
  readonly completeFrom: number;
};

export type BlockWriter = {
  /** Blocks that follow one another and the last one written, whose own rows are in the tables of the chain already. */
  readonly write: (blocks: readonly NewInIndex[]) => Steps<void>;
  /** Outputs that are older than any block, after block 0 is written. */
  readonly writeOlder: (utxos: readonly NumberedUtxo[]) => Steps<void>;
  /** Drops every cached row: the tables were changed by a revert. */
  readonly forget: () => void;
};

/** Writes all the index keeps of a chain, in the caller's transactions. What it remembers, only another writer could make wrong. */
export function blockWriter(chain: IndexSpec, dialect: Dialect, schema: '' | `${string}.` = ''): BlockWriter {
  const q = writerQueries(dialect, chain.number, schema);
  let memory = emptyCache();

  function* older(utxos: readonly NumberedUtxo[]): Steps<void> {
    memory = emptyCache();
    if (utxos.length > 0) yield* writeOlder(q, utxos);
  }

  function* write(stored: readonly NewInIndex[]): Steps<void> {
    const first = Number(stored[0]?.block.height);
    const last = first + stored.length - 1;
    const olderOnes = stored.flatMap((block) => block.older ?? []);
    if (olderOnes.length > 0) yield* older(olderOnes);
    // A block that was written and then not stored, or one that came another way: nothing remembered can be trusted.
    if (memory.height !== first - 1) {
      memory = emptyCache();
      yield* checkFollows(q, chain.id, first);
    }
    memory.height = undefined;
    const known = yield* knownMoves(q, stored);
    const blocks = withKnownImports(stored, chain.id, known);
    const facts = blocks.map((block) => blockFacts(block, chain.feeAsset));
    const before = yield* readBefore(q, memory, blocks, facts);
    const moved = yield* moveOutputs(q, chain.id, blocks, known);
    const { placings, movings } = shelve(blocks, (height) => before.times.get(height) as number);
    const placed = placingRows([...placings, ...movings, ...moved.placings]);
    const left = leavingRows(movings);
    const counted = countedRows(before, facts, memory);
    yield [
      ...q.removeHolding(left.holding),
      ...q.removeAmount(left.amount),
      ...q.addHolding(placed.holding),
      ...q.addAmount(placed.amount),
      ...q.addHistory(historyRows(facts)),
      ...q.addMinter(minterRows(blocks)),
      ...q.addBalance(counted.balances),
      ...q.putHolder(counted.holders),
      ...q.putHolderHours(counted.holderHours),
      ...q.putAsset(counted.assets),
      ...q.putSpan(counted.spans),
      ...q.putSecond(counted.seconds),
      ...moved.queries,
      ...q.putProgress([idBlob(chain.id), last, chain.completeFrom]),
    ];
    memory.height = last;
  }

  const forget = (): void => {
    memory = emptyCache();
  };

  return { write, writeOlder: older, forget };
}

/** An index with a gap could not be told from a whole one. */
function* checkFollows(q: WriterQueries, chain: Id, wanted: number): Steps<void> {
  const [row] = yield* ask<{ height: number }>(q.progress([idBlob(chain)]));
  const height = row?.height ?? -1;
  if (height !== wanted - 1)
    throw new IndexError(`the index of chain ${idText(chain)} ends at height ${height}, block ${wanted} does not follow`, {
      code: 'INDEX_BEHIND',
      chainID: idText(chain),
      height,
      wanted,
    });
}

/** Every transaction under the chain itself, its addresses and its assets. */
function historyRows(facts: readonly BlockFacts[]): SqlValue[] {
  const rows: SqlValue[] = [];
  for (const { txs } of facts)
    for (const { seq, kind, addresses, assets } of txs) {
      rows.push(wholeChain, kind, seq);
      for (const address of addresses) rows.push(addressBlob(address), kind, seq);
      for (const asset of assets) rows.push(idBlob(asset), kind, seq);
    }
  return rows;
}

const wholeChain = new Uint8Array(0);

function minterRows(blocks: readonly NewInIndex[]): SqlValue[] {
  const rows: SqlValue[] = [];
  for (const { made } of blocks) for (const { utxo, seq } of made) if (isRight(utxo.output)) rows.push(idBlob(utxo.assetID), seq);
  return rows;
}
