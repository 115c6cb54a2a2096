import type { Id } from '../bytes/id.ts';
import type { UtxoRef } from './input.ts';
import type { Operation } from './operation.ts';
import type { Output, TransferableOutput } from './output.ts';
import type { Tx } from './tx.ts';
import { handle, type UnsignedTx } from './unsigned.ts';
import { makeUtxo, type Utxo, utxoId } from './utxo.ts';

/** What a transaction does to the ledger once it is accepted. A pure function of the transaction: rules have been judged before. */
export type Effects = {
  /** Outputs of this chain it consumes. */
  readonly spent: readonly Id[];
  readonly created: readonly Utxo[];
  /** Outputs it takes out of the memory shared with another chain. */
  readonly imported: { readonly from: Id; readonly ids: readonly Id[] } | undefined;
  /** Outputs it puts into the memory shared with another chain; they never enter this chain's state. */
  readonly exported: { readonly to: Id; readonly utxos: readonly Utxo[] } | undefined;
};

/** Peer: vms/avm/txs/executor/executor.go. New outputs are numbered through: base outputs first, then what the kind adds. */
export function effectsOf({ id, unsigned }: Tx): Effects {
  const outputs = [...unsigned.outputs.map(plain), ...handle(addedOutputs(id), unsigned)];
  const utxos = outputs.map((added, index) => makeUtxo(id, index, added.assetID, added.output));
  const kept = unsigned.kind === 'ExportTx' ? unsigned.outputs.length : utxos.length;
  return {
    spent: [...unsigned.inputs, ...operationInputs(unsigned)].map(refId),
    created: utxos.slice(0, kept),
    imported: unsigned.kind === 'ImportTx' ? { from: unsigned.sourceChain, ids: unsigned.importedInputs.map(refId) } : undefined,
    exported: unsigned.kind === 'ExportTx' ? { to: unsigned.destinationChain, utxos: utxos.slice(kept) } : undefined,
  };
}

/** Every output a transaction consumes, imported ones too: two transactions that share one cannot both be accepted. */
export function consumedBy({ unsigned }: Tx): Id[] {
  const imported = unsigned.kind === 'ImportTx' ? unsigned.importedInputs : [];
  return [...unsigned.inputs, ...operationInputs(unsigned), ...imported].map(refId);
}

/** The outputs an operation makes, in the peer's order. Peer: the Outs method of each fx's operations. */
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

type Added = { assetID: Id; output: Output };

const plain = ({ assetID, output }: TransferableOutput): Added => ({ assetID, output });

const addedOutputs = (txID: Id) => ({
  BaseTx: (): Added[] => [],
  CreateAssetTx: (tx: Extract<UnsignedTx, { kind: 'CreateAssetTx' }>): Added[] =>
    tx.initialStates.flatMap((state) => state.outputs.map((output) => ({ assetID: txID, output }))),
  OperationTx: (tx: Extract<UnsignedTx, { kind: 'OperationTx' }>): Added[] =>
    tx.operations.flatMap((op) => operationOutputs(op).map((output) => ({ assetID: op.assetID, output }))),
  ImportTx: (): Added[] => [],
  ExportTx: (tx: Extract<UnsignedTx, { kind: 'ExportTx' }>): Added[] => tx.exportedOutputs.map(plain),
});

const operationInputs = (tx: UnsignedTx): UtxoRef[] => (tx.kind === 'OperationTx' ? tx.operations.flatMap((op) => op.inputIDs) : []);

const refId = (ref: UtxoRef): Id => utxoId(ref.txID, ref.outputIndex);
