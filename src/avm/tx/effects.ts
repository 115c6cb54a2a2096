import type { Id } from '../../base/bytes/id.ts';
import type { UtxoRef } from './input.ts';
import type { Operation } from './operation.ts';
import type { Output } from './output.ts';
import type { Tx } from './tx.ts';
import { dispatchTx, type TxHandlers, type UnsignedTx } from './unsigned.ts';
import { makeUtxo, refId, type Utxo } from './utxo.ts';

/** What a transaction changes once it is accepted. It depends on the transaction alone; the rules are verified before. */
export type Effects = {
  /** Outputs of this chain that it consumes. */
  readonly spent: readonly UtxoRef[];
  readonly created: readonly Utxo[];
  /** Outputs that it removes from the memory shared with another chain. */
  readonly imported: { readonly from: Id; readonly ids: readonly Id[] } | undefined;
  /** Outputs that it adds to the memory shared with another chain; they never enter this chain's state. */
  readonly exported: { readonly to: Id; readonly utxos: readonly Utxo[] } | undefined;
};

/**
 * Output indexes continue: first the base outputs, then those that the kind of transaction adds.
 * AvalancheGo: vms/avm/txs/executor/executor.go.
 */
export function effectsOf({ id, unsigned }: Tx): Effects {
  const created = makeUtxos(id, unsigned.outputs, 0);
  const added = makeUtxos(id, dispatchTx(addedOutputs, unsigned, id), created.length);
  const exported = unsigned.kind === 'ExportTx' ? { to: unsigned.destinationChain, utxos: added } : undefined;
  return {
    spent: spentRefs(unsigned),
    created: exported !== undefined || added.length === 0 ? created : created.concat(added),
    imported: unsigned.kind === 'ImportTx' ? { from: unsigned.sourceChain, ids: unsigned.importedInputs.map(refId) } : undefined,
    exported,
  };
}

/** The outputs that a transaction creates on its own chain, by index. They are neither encoded nor hashed, which is most of the work of `effectsOf`. */
export const createdOutputs = ({ id, unsigned }: Tx): readonly NewOutput[] =>
  unsigned.kind === 'ExportTx' ? unsigned.outputs : [...unsigned.outputs, ...dispatchTx(addedOutputs, unsigned, id)];

const makeUtxos = (txID: Id, outputs: readonly NewOutput[], firstIndex: number): readonly Utxo[] =>
  outputs.length === 0 ? noUtxos : outputs.map(({ assetID, output }, i) => makeUtxo(txID, firstIndex + i, assetID, output));

const noUtxos: readonly Utxo[] = [];

/** The outputs of its own chain that a transaction consumes. */
export const spentRefs = (unsigned: UnsignedTx): readonly UtxoRef[] =>
  unsigned.kind === 'OperationTx' ? [...unsigned.inputs, ...unsigned.operations.flatMap((op) => op.inputIDs)] : unsigned.inputs;

/** All outputs a transaction consumes, imported ones included. */
export function consumedRefs({ unsigned }: Tx): readonly UtxoRef[] {
  const refs = spentRefs(unsigned);
  return unsigned.kind === 'ImportTx' ? [...refs, ...unsigned.importedInputs] : refs;
}

/** Their ids: two transactions that share one conflict. */
export const consumedIds = (tx: Tx): Id[] => consumedRefs(tx).map(refId);

/** The outputs an operation creates, in order. AvalancheGo: the Outs method of each fx's operations. */
export const operationOutputs = ({ operation }: Operation): Output[] => {
  switch (operation.kind) {
    case 'secp256k1fx.MintOperation':
      return [
        { kind: 'secp256k1fx.MintOutput', ...operation.mintOutput },
        { kind: 'secp256k1fx.TransferOutput', ...operation.transferOutput },
      ];
    case 'nftfx.MintOperation':
      return operation.outputs.map((owners) => ({
        kind: 'nftfx.TransferOutput',
        groupID: operation.groupID,
        payload: operation.payload,
        ...owners,
      }));
    case 'nftfx.TransferOperation':
      return [{ kind: 'nftfx.TransferOutput', ...operation.output }];
    case 'propertyfx.MintOperation':
      return [
        { kind: 'propertyfx.MintOutput', ...operation.mintOutput },
        { kind: 'propertyfx.OwnedOutput', ...operation.ownedOutput },
      ];
    case 'propertyfx.BurnOperation':
      return [];
  }
};

type NewOutput = { readonly assetID: Id; readonly output: Output };

const noOutputs = (): readonly NewOutput[] => [];

/** The outputs that a kind of transaction adds to the base outputs. */
const addedOutputs: TxHandlers<readonly NewOutput[], Id> = {
  BaseTx: noOutputs,
  CreateAssetTx: (tx, txID) => tx.initialStates.flatMap((state) => state.outputs.map((output) => ({ assetID: txID, output }))),
  OperationTx: (tx) => tx.operations.flatMap((op) => operationOutputs(op).map((output) => ({ assetID: op.assetID, output }))),
  ImportTx: noOutputs,
  ExportTx: (tx) => tx.exportedOutputs,
};
