import type { Address } from '../bytes/address.ts';
import { toHex } from '../bytes/hex.ts';
import { type Id, idToBytes } from '../bytes/id.ts';
import { maxGenesisBytes } from '../codec/pack.ts';
import type { Dialect } from '../index/ddl.ts';
import { ask, type Steps } from '../index/steps.ts';
import type { IndexSpec } from '../index-write/block-writer.ts';
import { tablesOf } from '../state/schema.ts';
import { restored, type StoredUtxo } from '../state/stored-utxo.ts';
import { effectsOf } from '../tx/effects.ts';
import { parseTx, type Tx } from '../tx/tx.ts';
import type { Utxo } from '../tx/utxo.ts';

/** What a plain program would keep of a chain: all of it, in maps. The index is held against it, so none of this is the writer's code. */
export type ChainModel = {
  readonly spec: IndexSpec;
  readonly blocks: ModelBlock[];
  readonly txs: ModelTx[];
  readonly outputs: Map<Id, ModelOutput>;
  /** Outputs an address alone owns and may still spend. */
  readonly unspentBy: Map<Address, Set<ModelOutput>>;
};

export type ModelBlock = { readonly height: number; readonly time: number; readonly txs: ModelTx[] };

export type ModelTx = {
  readonly seq: number;
  readonly tx: Tx;
  readonly height: number;
  readonly time: number;
  readonly consumed: Utxo[];
  readonly emitted: Utxo[];
  readonly exported: { readonly utxo: Utxo; readonly to: Id }[];
  readonly imported: { readonly utxo: Utxo; readonly from: Id }[];
};

export type ModelOutput = {
  readonly utxo: Utxo;
  readonly seq: number;
  readonly height: number;
  readonly time: number;
  /** Made by no transaction this chain knows. */
  readonly older: boolean;
  spentBy: ModelTx | undefined;
};

/** What a step of reading brought. */
export type News = { readonly blocks: readonly ModelBlock[]; readonly older: readonly ModelOutput[] };

/** Reads on from where it stopped the last time, and leaves the model as it is after the chain's last block. */
export function chainModel(spec: IndexSpec, dialect: Dialect): { readonly model: ChainModel; readonly readOn: () => Steps<News> } {
  const t = tablesOf(spec.number);
  const model: ChainModel = { spec, blocks: [], txs: [], outputs: new Map(), unspentBy: new Map() };
  let lastUtxo = 0;

  const add = (output: ModelOutput): void => {
    model.outputs.set(output.utxo.id, output);
    const [owner] = output.utxo.output.addresses;
    if (output.utxo.output.addresses.length !== 1 || owner === undefined) return;
    const held = model.unspentBy.get(owner) ?? new Set();
    model.unspentBy.set(owner, held.add(output));
  };

  const spend = (id: Id, by: ModelTx): void => {
    const output = model.outputs.get(id);
    if (output === undefined) return;
    output.spentBy = by;
    by.consumed.push(output.utxo);
    const [owner] = output.utxo.output.addresses;
    if (owner !== undefined) model.unspentBy.get(owner)?.delete(output);
  };

  function* importsOf(txs: readonly Tx[]): Steps<Map<string, Utxo>> {
    const found = new Map<string, Utxo>();
    for (const { unsigned, ...tx } of txs) {
      if (unsigned.kind !== 'ImportTx') continue;
      for (const id of effectsOf({ unsigned, ...tx }).imported?.ids ?? []) {
        const values = [idToBytes(id), idToBytes(unsigned.sourceChain), idToBytes(spec.id)];
        const moved = { text: 'SELECT bytes FROM moved WHERE id = ? AND source = ? AND destination = ?', values };
        const atomic = {
          text: `SELECT a.bytes FROM atomic a JOIN chain p ON p.number = a.peer JOIN chain r ON r.number = a.reader
                 WHERE a.bytes IS NOT NULL AND a.id = ? AND p.id = ? AND r.id = ?`,
          values,
        };
        const [row] = yield* ask<{ bytes: StoredUtxo }>(dialect === 'sqlite' ? [atomic, moved] : [moved]);
        if (row !== undefined) found.set(unsigned.sourceChain + id, restored(row.bytes));
      }
    }
    return found;
  }

  function* readOn(): Steps<News> {
    const after = model.blocks[model.blocks.length - 1]?.height ?? -1;
    const blocks = yield* ask<{ height: number; time: number; first_tx: number; tx_count: number }>([
      { text: `SELECT height, time, first_tx, tx_count FROM ${t.block} WHERE height > ? ORDER BY height`, values: [after] },
    ]);
    const txRows = yield* ask<{ seq: number; height: number; bytes: Uint8Array }>([
      { text: `SELECT seq, height, bytes FROM ${t.tx} WHERE seq > ? ORDER BY seq`, values: [model.txs.length] },
    ]);
    const utxoRows = yield* ask<{ seq: number; id: Uint8Array; height: number; bytes: StoredUtxo }>([
      { text: `SELECT seq, id, height, bytes FROM ${t.utxo} WHERE seq > ? ORDER BY seq`, values: [lastUtxo] },
    ]);
    const rowOf = new Map(utxoRows.map((row) => [toHex(row.id), row]));
    lastUtxo = utxoRows[utxoRows.length - 1]?.seq ?? lastUtxo;
    const parsed = txRows.map(({ seq, height, bytes }) => ({ seq, height, tx: parseTx(bytes, maxGenesisBytes) }));
    const imports = yield* importsOf(parsed.map(({ tx }) => tx));
    const begin = model.blocks[0]?.time ?? blocks[0]?.time ?? 0;

    const made = new Set(
      parsed.filter(({ height }) => isTold(spec, height)).flatMap(({ tx }) => effectsOf(tx).created.map(({ id }) => id as string)),
    );
    const older: ModelOutput[] = [];
    for (const [id, row] of rowOf) {
      if (made.has(id)) continue;
      const output = { utxo: restored(row.bytes), seq: row.seq, height: 0, time: begin, older: true, spentBy: undefined };
      older.push(output);
      add(output);
    }
    const news: ModelBlock[] = [];
    for (const { height, time } of blocks) {
      const block: ModelBlock = { height, time, txs: [] };
      for (const { seq, tx } of parsed.filter((row) => row.height === height)) {
        const { spent, created, exported, imported } = effectsOf(tx);
        const one: ModelTx = { seq, tx, height, time, consumed: [], emitted: [], exported: [], imported: [] };
        for (const id of spent) spend(id, one);
        for (const utxo of isTold(spec, height) ? created : []) {
          one.emitted.push(utxo);
          add({ utxo, seq: rowOf.get(utxo.id)?.seq ?? 0, height, time, older: false, spentBy: undefined });
        }
        for (const utxo of exported?.utxos ?? []) one.exported.push({ utxo, to: exported?.to as Id });
        for (const id of imported?.ids ?? []) {
          const utxo = imports.get((imported?.from as Id) + id);
          if (utxo !== undefined) one.imported.push({ utxo, from: imported?.from as Id });
        }
        block.txs.push(one);
        model.txs.push(one);
      }
      model.blocks.push(block);
      news.push(block);
    }
    return { blocks: news, older };
  }

  return { model, readOn };
}

/** What became of the outputs of an old network's genesis, no block tells. */
const isTold = (spec: IndexSpec, height: number): boolean => height > 0 || spec.completeFrom === 0;
