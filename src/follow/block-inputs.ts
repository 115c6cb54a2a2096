import type { Id } from '../bytes/id.ts';
import type { Block } from '../tx/block.ts';
import { type Effects, effectsOf } from '../tx/effects.ts';
import type { TransferableInput, UtxoRef } from '../tx/input.ts';
import type { Tx } from '../tx/tx.ts';
import { utxoId } from '../tx/utxo.ts';

/** What verifying some blocks takes from outside of them. */
export type Needs = {
  /** Outputs of this chain that they consume and do not make, by id, with where they were made. */
  readonly utxos: ReadonlyMap<Id, UtxoRef>;
  /** Assets that they name and do not create. */
  readonly assets: ReadonlySet<Id>;
  readonly imports: readonly Import[];
  readonly effects: ReadonlyMap<Tx, Effects>;
};

/** An output of another chain that a transaction takes. */
export type Import = {
  readonly id: Id;
  readonly from: Id;
  readonly input: TransferableInput;
  readonly tx: Tx;
  /** Which credential signs for it. */
  readonly credential: number;
};

export function needsOf(blocks: readonly Block[]): Needs {
  const effects = new Map<Tx, Effects>();
  const utxos = new Map<Id, UtxoRef>();
  const assets = new Set<Id>();
  const imports: Import[] = [];
  const made = new Set<Id>();
  const created = new Set<Id>();
  for (const { txs } of blocks)
    for (const tx of txs) {
      const does = effectsOf(tx);
      effects.set(tx, does);
      for (const [i, ref] of localRefs(tx).entries()) {
        const id = does.spent[i] as Id;
        if (!made.has(id)) utxos.set(id, ref);
      }
      for (const id of assetsIn(tx)) if (!created.has(id)) assets.add(id);
      imports.push(...importsIn(tx));
      for (const utxo of does.created) made.add(utxo.id);
      created.add(tx.id);
    }
  return { utxos, assets, imports, effects };
}

/** In the order of `Effects.spent`. */
function localRefs({ unsigned }: Tx): UtxoRef[] {
  const operations = unsigned.kind === 'OperationTx' ? unsigned.operations.flatMap((one) => one.inputIDs) : [];
  return [...unsigned.inputs, ...operations];
}

/** Every asset that a rule may ask about. */
export function* assetsIn({ unsigned }: Tx): Iterable<Id> {
  for (const { assetID } of unsigned.inputs) yield assetID;
  for (const { assetID } of unsigned.outputs) yield assetID;
  if (unsigned.kind === 'OperationTx') for (const { assetID } of unsigned.operations) yield assetID;
  if (unsigned.kind === 'ImportTx') for (const { assetID } of unsigned.importedInputs) yield assetID;
  if (unsigned.kind === 'ExportTx') for (const { assetID } of unsigned.exportedOutputs) yield assetID;
}

function importsIn(tx: Tx): Import[] {
  const { unsigned } = tx;
  if (unsigned.kind !== 'ImportTx') return [];
  return unsigned.importedInputs.map((input, i) => ({
    id: utxoId(input.txID, input.outputIndex),
    from: unsigned.sourceChain,
    input,
    tx,
    credential: unsigned.inputs.length + i,
  }));
}
