import { effectsOf } from '../../src/avm/tx/effects.ts';
import { parseTx, type Tx } from '../../src/avm/tx/tx.ts';
import type { Utxo } from '../../src/avm/tx/utxo.ts';
import { refId } from '../../src/avm/tx/utxo.ts';
import type { Address } from '../../src/base/bytes/address.ts';
import { type Id, idToBytes } from '../../src/base/bytes/id.ts';
import { maxGenesisBytes } from '../../src/base/codec/pack.ts';
import type { Dialect } from '../../src/ledger/index/ddl.ts';
import type { IndexSpec } from '../../src/ledger/index-write/block-writer.ts';
import { tablesOf } from '../../src/ledger/state/schema.ts';
import { decodeStoredUtxo, type StoredUtxo } from '../../src/ledger/state/stored-utxo.ts';
import { fetchRows, type Queries } from '../../src/ledger/store/queries.ts';

/** A simple in-memory model of a whole chain, which the index is checked against. It shares no code with the index writer. */
export type ChainModel = {
  readonly spec: IndexSpec;
  readonly blocks: ModelBlock[];
  readonly txs: ModelTx[];
  readonly outputs: Map<Id, ModelOutput>;
  /** Unspent single-owner outputs by address. */
  readonly unspentBy: Map<Address, Set<ModelOutput>>;
};

export type ModelBlock = { readonly height: number; readonly time: number; readonly txs: ModelTx[] };

export type ModelTx = {
  readonly seq: number;
  readonly tx: Tx;
  readonly height: number;
  readonly time: number;
  readonly consumed: Utxo[];
  readonly created: Utxo[];
  readonly exported: { readonly utxo: Utxo; readonly to: Id }[];
  readonly imported: { readonly utxo: Utxo; readonly from: Id }[];
};

export type ModelOutput = {
  readonly utxo: Utxo;
  readonly seq: number;
  readonly height: number;
  readonly time: number;
  /** From before linearization: no known transaction of this chain created it. */
  readonly isPreLinearization: boolean;
  spentBy: ModelTx | undefined;
};

/** Blocks and outputs from before linearization that one call of `readNew` has read. */
export type NewChainData = { readonly blocks: readonly ModelBlock[]; readonly preLinearization: readonly ModelOutput[] };

/** Creates an empty model. Each call of `readNew` reads the rows stored since the previous call, up to the chain's last block. */
export function createChainModel(
  spec: IndexSpec,
  dialect: Dialect,
): { readonly model: ChainModel; readonly readNew: () => Queries<NewChainData> } {
  const t = tablesOf(spec.number);
  const model: ChainModel = { spec, blocks: [], txs: [], outputs: new Map(), unspentBy: new Map() };
  let oldestUtxo = 0;

  const addOutput = (output: ModelOutput): void => {
    model.outputs.set(output.utxo.id, output);
    const [owner] = output.utxo.output.addresses;
    if (output.utxo.output.addresses.length !== 1 || owner === undefined) return;
    const unspent = model.unspentBy.get(owner) ?? new Set();
    model.unspentBy.set(owner, unspent.add(output));
  };

  const spendOutput = (id: Id, by: ModelTx): void => {
    const output = model.outputs.get(id);
    if (output === undefined) return;
    output.spentBy = by;
    by.consumed.push(output.utxo);
    const [owner] = output.utxo.output.addresses;
    if (owner !== undefined) model.unspentBy.get(owner)?.delete(output);
  };

  /** Outputs that transactions import, by source chain and id. */
  function* readImports(txs: readonly Tx[]): Queries<Map<string, Utxo>> {
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
        const [row] = yield* fetchRows<{ bytes: StoredUtxo }>(dialect === 'sqlite' ? [atomic, moved] : [moved]);
        if (row !== undefined) found.set(unsigned.sourceChain + id, decodeStoredUtxo(row.bytes));
      }
    }
    return found;
  }

  function* readNew(): Queries<NewChainData> {
    const after = model.blocks[model.blocks.length - 1]?.height ?? -1;
    const blocks = yield* fetchRows<{ height: number; time: number; first_tx: number; tx_count: number }>([
      { text: `SELECT height, time, first_tx, tx_count FROM ${t.block} WHERE height > ? ORDER BY height`, values: [after] },
    ]);
    const txRows = yield* fetchRows<{ seq: number; height: number; bytes: Uint8Array }>([
      { text: `SELECT seq, height, bytes FROM ${t.tx} WHERE seq > ? ORDER BY seq`, values: [model.txs.length] },
    ]);
    const oldRows = yield* fetchRows<{ seq: number; bytes: StoredUtxo }>([
      { text: `SELECT seq, bytes FROM ${t.oldUtxo} WHERE seq < ? ORDER BY seq`, values: [oldestUtxo] },
    ]);
    oldestUtxo = Math.min(oldestUtxo, oldRows[0]?.seq ?? 0);
    const parsed = txRows.map(({ seq, height, bytes }) => ({ seq, height, tx: parseTx(bytes, maxGenesisBytes) }));
    const imports = yield* readImports(parsed.map(({ tx }) => tx));
    const firstTime = model.blocks[0]?.time ?? blocks[0]?.time ?? 0;

    const preLinearization: ModelOutput[] = [];
    for (const row of oldRows) {
      const output = {
        utxo: decodeStoredUtxo(row.bytes),
        seq: row.seq,
        height: 0,
        time: firstTime,
        isPreLinearization: true,
        spentBy: undefined,
      };
      preLinearization.push(output);
      addOutput(output);
    }
    const newBlocks: ModelBlock[] = [];
    for (const { height, time } of blocks) {
      const block: ModelBlock = { height, time, txs: [] };
      for (const { seq, tx } of parsed.filter((row) => row.height === height)) {
        const { spent, created, exported, imported } = effectsOf(tx);
        const modelTx: ModelTx = { seq, tx, height, time, consumed: [], created: [], exported: [], imported: [] };
        for (const ref of spent) spendOutput(refId(ref), modelTx);
        for (const utxo of outputsAreKnown(spec, height) ? created : []) {
          modelTx.created.push(utxo);
          addOutput({ utxo, seq: seq * 2 ** 20 + utxo.outputIndex, height, time, isPreLinearization: false, spentBy: undefined });
        }
        for (const utxo of exported?.utxos ?? []) modelTx.exported.push({ utxo, to: exported?.to as Id });
        for (const id of imported?.ids ?? []) {
          const utxo = imports.get((imported?.from as Id) + id);
          if (utxo !== undefined) modelTx.imported.push({ utxo, from: imported?.from as Id });
        }
        block.txs.push(modelTx);
        model.txs.push(modelTx);
      }
      model.blocks.push(block);
      newBlocks.push(block);
    }
    return { blocks: newBlocks, preLinearization };
  }

  return { model, readNew };
}

/** False for the genesis of a chain with history from before linearization: which of its outputs still exist is unknown. */
const outputsAreKnown = (spec: IndexSpec, height: number): boolean => height > 0 || spec.completeFrom === 0;
