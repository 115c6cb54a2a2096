import type { Id } from '../../base/bytes/id.ts';
import type { UtxoRef } from './input.ts';
import type { Operation } from './operation.ts';
import type { Output, TransferableOutput } from './output.ts';
import type { Tx } from './tx.ts';
import { dispatchTx, type UnsignedTx } from './unsigned.ts';
import { makeUtxo, refId, type Utxo } from './utxo.ts';

/** What a transaction changes once it is accepted. It depends on the transaction alone; the rules are verified before. */
export type Effects = {
  /** Outputs of this chain that it consumes. */
  readonly spent: readonly Id[];
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
  const outputs = [...unsigned.outputs.map(toNewOutput), ...dispatchTx(outputsByTxKind(id), unsigned)];
  const utxos = outputs.map((created, index) => makeUtxo(id, index, created.assetID, created.output));
  const localCount = unsigned.kind === 'ExportTx' ? unsigned.outputs.length : utxos.length;
  return {
    spent: spentRefs(unsigned).map(refId),
    created: utxos.slice(0, localCount),
    imported: unsigned.kind === 'ImportTx' ? { from: unsigned.sourceChain, ids: unsigned.importedInputs.map(refId) } : undefined,
    exported: unsigned.kind === 'ExportTx' ? { to: unsigned.destinationChain, utxos: utxos.slice(localCount) } : undefined,
  };
}

/** The outputs of its own chain that a transaction consumes. */
export const spentRefs = (unsigned: UnsignedTx): UtxoRef[] => [...unsigned.inputs, ...operationInputs(unsigned)];

/** Ids of all outputs a transaction consumes, imported ones included: two transactions that share one conflict. */
export function consumedIds({ unsigned }: Tx): Id[] {
  const imported = unsigned.kind === 'ImportTx' ? unsigned.importedInputs : [];
  return [...spentRefs(unsigned), ...imported].map(refId);
}

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

type NewOutput = { assetID: Id; output: Output };

const toNewOutput = ({ assetID, output }: TransferableOutput): NewOutput => ({ assetID, output });

const outputsByTxKind = (txID: Id) => ({
  BaseTx: (): NewOutput[] => [],
  CreateAssetTx: (tx: Extract<UnsignedTx, { kind: 'CreateAssetTx' }>): NewOutput[] =>
    tx.initialStates.flatMap((state) => state.outputs.map((output) => ({ assetID: txID, output }))),
  OperationTx: (tx: Extract<UnsignedTx, { kind: 'OperationTx' }>): NewOutput[] =>
    tx.operations.flatMap((op) => operationOutputs(op).map((output) => ({ assetID: op.assetID, output }))),
  ImportTx: (): NewOutput[] => [],
  ExportTx: (tx: Extract<UnsignedTx, { kind: 'ExportTx' }>): NewOutput[] => tx.exportedOutputs.map(toNewOutput),
});

const operationInputs = (tx: UnsignedTx): UtxoRef[] => (tx.kind === 'OperationTx' ? tx.operations.flatMap((op) => op.inputIDs) : []);
