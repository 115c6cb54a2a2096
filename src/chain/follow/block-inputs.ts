import type { Block } from '../../avm/tx/block.ts';
import { type Effects, effectsOf } from '../../avm/tx/effects.ts';
import type { TransferableInput, UtxoRef } from '../../avm/tx/input.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import { refId, utxoId } from '../../avm/tx/utxo.ts';
import type { Id } from '../../base/bytes/id.ts';

/** What a batch of blocks needs from outside to be verified. */
export type BlockInputs = {
  /** Outputs of this chain that they consume and do not create, by id, with the transaction that created them. */
  readonly utxos: ReadonlyMap<Id, UtxoRef>;
  /** Assets that they refer to and do not create. */
  readonly assets: ReadonlySet<Id>;
  readonly imports: readonly ImportedInput[];
  readonly effects: ReadonlyMap<Tx, Effects>;
};

/** An input of an ImportTx: it consumes an output of another chain. */
export type ImportedInput = {
  /** Id of the consumed output. */
  readonly id: Id;
  readonly sourceChain: Id;
  readonly input: TransferableInput;
};

export function collectBlockInputs(blocks: readonly Block[]): BlockInputs {
  const effects = new Map<Tx, Effects>();
  const utxos = new Map<Id, UtxoRef>();
  const assets = new Set<Id>();
  const imports: ImportedInput[] = [];
  const createdUtxos = new Set<Id>();
  const createdAssets = new Set<Id>();
  for (const { txs } of blocks)
    for (const tx of txs) {
      const txEffects = effectsOf(tx);
      effects.set(tx, txEffects);
      for (const ref of txEffects.spent) {
        const id = refId(ref);
        if (!createdUtxos.has(id)) utxos.set(id, ref);
      }
      for (const id of assetIdsOf(tx)) if (!createdAssets.has(id)) assets.add(id);
      imports.push(...importedInputsOf(tx));
      for (const utxo of txEffects.created) createdUtxos.add(utxo.id);
      createdAssets.add(tx.id);
    }
  return { utxos, assets, imports, effects };
}

/** Ids of all assets that the rules may look up for a transaction. May repeat. */
export function assetIdsOf({ unsigned }: Tx): readonly Id[] {
  const ids: Id[] = [];
  for (const { assetID } of unsigned.inputs) ids.push(assetID);
  for (const { assetID } of unsigned.outputs) ids.push(assetID);
  if (unsigned.kind === 'OperationTx') for (const { assetID } of unsigned.operations) ids.push(assetID);
  if (unsigned.kind === 'ImportTx') for (const { assetID } of unsigned.importedInputs) ids.push(assetID);
  if (unsigned.kind === 'ExportTx') for (const { assetID } of unsigned.exportedOutputs) ids.push(assetID);
  return ids;
}

function importedInputsOf(tx: Tx): ImportedInput[] {
  const { unsigned } = tx;
  if (unsigned.kind !== 'ImportTx') return [];
  return unsigned.importedInputs.map((input) => ({
    id: utxoId(input.txID, input.outputIndex),
    sourceChain: unsigned.sourceChain,
    input,
  }));
}
