import { toHex } from '../bytes/hex.ts';
import { type Id, idText, idToBytes } from '../bytes/id.ts';
import { concat } from '../bytes/octets.ts';
import { versionSize } from '../codec/pack.ts';
import { bulk, marks } from '../index/bulk.ts';
import { IndexError } from '../index/fault.ts';
import { countLearned } from '../index/migrate.ts';
import type { WritableSql } from '../index/sql.ts';
import { ask, runSteps, type Steps } from '../index/steps.ts';
import { blockWriter, type IndexSpec } from '../index-write/block-writer.ts';
import { type ExportShelf, exportSteps } from '../index-write/exported-outputs.ts';
import type { NewBlock } from '../state/block-change.ts';
import { tablesOf } from '../state/schema.ts';
import { restored } from '../state/stored-utxo.ts';
import type { Asset } from '../state/view.ts';
import type { Block } from '../tx/block.ts';
import { effectsOf } from '../tx/effects.ts';
import type { Tx } from '../tx/tx.ts';
import type { Utxo } from '../tx/utxo.ts';
import { chainRows, type LastBlock } from './chain-rows.ts';

/** A chain that another node runs, with its index, in PostgreSQL. One process writes at a time; the caller sees to that. */
export type PostgresChain = {
  readonly isInitialized: () => Promise<boolean>;
  /** Block 0 and what the genesis made; nothing happens if it is there. */
  readonly init: (genesisTxs: readonly Tx[], first: Block) => Promise<void>;
  readonly lastAccepted: () => Promise<{ readonly id: Id; readonly height: bigint; readonly time: bigint }>;
  readonly blockAt: (height: bigint) => Promise<Uint8Array | undefined>;
  /** Unspent outputs and assets, as far as they are here; `spent`: outputs that were. */
  readonly load: (wanted: { readonly utxos: readonly Id[]; readonly assets: readonly Id[] }) => Promise<{
    readonly utxos: ReadonlyMap<Id, Utxo>;
    readonly assets: ReadonlyMap<Id, Asset | 'not-an-asset'>;
    readonly spent: ReadonlySet<Id>;
  }>;
  /** Blocks in order, with their index, all of them or none. */
  readonly commit: (blocks: readonly NewBlock[]) => Promise<void>;
  readonly addOlder: (utxos: readonly Utxo[]) => Promise<void>;
  readonly exported: ExportShelf;
};

export function postgresChain(sql: WritableSql, chain: IndexSpec): PostgresChain {
  const t = tablesOf(chain.number);
  const rows = chainRows(chain.number);
  const writer = blockWriter(chain, 'postgres');
  const exported = exportSteps(chain, 'postgres');
  const assetsById = bulk(sizes, 1, (n) => `SELECT id, fxs FROM ${t.asset} WHERE id IN (${marks(n)})`);
  const txsById = bulk(sizes, 1, (n) => `SELECT id FROM ${t.tx} WHERE id IN (${marks(n)})`);

  function* store(blocks: readonly NewBlock[], tip: LastBlock | undefined): Steps<void> {
    const { stored, queries } = yield* rows.numbered(blocks, tip?.unspent ?? 0);
    // The index looks up when outputs were made: the blocks must be there before it.
    yield queries;
    yield* writer.write(stored);
  }

  function* loaded(wanted: Parameters<PostgresChain['load']>[0]): Steps<Awaited<ReturnType<PostgresChain['load']>>> {
    const held = yield* rows.held(wanted.utxos);
    const utxos = new Map<Id, Utxo>();
    const spent = new Set<Id>();
    for (const [id, row] of held) {
      if (row.spent === null) utxos.set(id, restored(row.bytes));
      else spent.add(id);
    }
    const found = yield* ask<{ id: Uint8Array; fxs: string }>(assetsById(wanted.assets.map(idToBytes)));
    const assets = new Map<Id, Asset | 'not-an-asset'>();
    for (const row of found) {
      const id = toHex(row.id) as Id;
      assets.set(id, { id, fxs: row.fxs.split(' ').filter(Boolean).map(Number) });
    }
    const others = wanted.assets.filter((id) => !assets.has(id));
    for (const row of yield* ask<{ id: Uint8Array }>(txsById(others.map(idToBytes)))) assets.set(toHex(row.id) as Id, 'not-an-asset');
    return { utxos, assets, spent };
  }

  function* blockBytes(height: bigint): Steps<Uint8Array | undefined> {
    if (height > Number.MAX_SAFE_INTEGER) return undefined;
    const [block] = yield* ask<{ header: Uint8Array; first_tx: number; tx_count: number }>([
      { text: `SELECT header, first_tx, tx_count FROM ${t.block} WHERE height = ?`, values: [Number(height)] },
    ]);
    if (block === undefined) return undefined;
    const txs = yield* ask<{ bytes: Uint8Array }>([
      {
        text: `SELECT bytes FROM ${t.tx} WHERE seq >= ? AND seq < ? ORDER BY seq`,
        values: [block.first_tx, block.first_tx + block.tx_count],
      },
    ]);
    return concat([block.header, ...txs.map(({ bytes }) => bytes.subarray(versionSize))]);
  }

  const writing = <T>(steps: () => Steps<T>) => sql.write((tx) => runSteps(tx, steps()));

  return {
    isInitialized: async () => (await runSteps(sql, rows.last())) !== undefined,
    init: async (genesisTxs, first) => {
      const effects = (tx: Tx) => (chain.completeFrom === 0 ? effectsOf(tx) : { ...effectsOf(tx), created: [] });
      const diff = { applied: genesisTxs.map((tx) => ({ tx, effects: effects(tx) })), consumed: new Map() };
      await writing(function* () {
        if ((yield* rows.last()) === undefined) yield* store([{ block: first, diff }], undefined);
      });
    },
    lastAccepted: async () => {
      const last = await runSteps(sql, rows.last());
      if (last === undefined) throw empty(chain.id);
      return { id: last.id, height: BigInt(last.height), time: BigInt(last.time) };
    },
    blockAt: (height) => runSteps(sql, blockBytes(height)),
    load: (wanted) => runSteps(sql, loaded(wanted)),
    commit: async (blocks) => {
      if (blocks.length === 0) return;
      await writing(function* () {
        const last = yield* rows.last();
        if (last === undefined) throw empty(chain.id);
        checkOrder(blocks, last);
        yield* store(blocks, last);
      });
    },
    addOlder: async (utxos) => {
      if (utxos.length === 0) return;
      await writing(function* () {
        const added = yield* rows.addOlder(utxos);
        if (added.length === 0) return;
        yield* writer.writeOlder(added);
        yield [countLearned];
      });
    },
    exported: {
      open: (address) => runSteps(sql, exported.open(address)),
      take: async (gone) => {
        await writing(function* () {
          if ((yield* exported.take(gone)) > 0) yield [countLearned];
        });
      },
    },
  };
}

const sizes = [512, 128, 32, 8, 1];

/** As state/chain-state.ts: whatever a caller gets wrong, only the next block goes in. */
function checkOrder(blocks: readonly NewBlock[], last: LastBlock): void {
  let parent: { readonly id: Id; readonly height: bigint } = { id: last.id, height: BigInt(last.height) };
  for (const { block } of blocks) {
    if (block.parentID !== parent.id || block.height !== parent.height + 1n)
      throw new IndexError(`block ${idText(block.id)} does not follow the last accepted block ${idText(parent.id)}`, {
        code: 'INDEX_WRONG_PARENT',
        blockID: idText(block.id),
        parentID: idText(block.parentID),
        lastAccepted: idText(parent.id),
      });
    parent = block;
  }
}

const empty = (chainID: Id) =>
  new IndexError(`chain ${idText(chainID)} has no block yet`, { code: 'INDEX_EMPTY', chainID: idText(chainID) });
