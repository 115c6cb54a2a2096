import { anyObject, bigInteger, id, integer, list, object, optional, record, text } from './schema.ts';
import type { OutOf } from './views.ts';

/** The JSON of transactions and blocks, as `avm.getTx` and `avm.getBlock` return it with encoding `json`. */

const Output = object('Output', {
  addresses: list(text()),
  locktime: bigInteger(),
  threshold: integer(),
  /** Only of outputs that hold an amount. */
  amount: optional(bigInteger()),
  /** Only of NFT outputs. */
  groupID: optional(integer()),
  /** Only of NFTs: hex after `0x`. */
  payload: optional(text()),
});

const TransferableOutput = object('TransferableOutput', { assetID: id(), fxID: id(), output: Output });

const TransferableInput = object('TransferableInput', {
  txID: id(),
  outputIndex: integer(),
  assetID: id(),
  fxID: id(),
  input: record({ amount: bigInteger(), signatureIndices: list(integer()) }),
});

const UnsignedTx = object('UnsignedTransaction', {
  networkID: integer(),
  blockchainID: id(),
  outputs: list(TransferableOutput),
  inputs: list(TransferableInput),
  /** Hex after `0x`. */
  memo: text(),
  /** These four: only of a CreateAssetTx. */
  name: optional(text()),
  symbol: optional(text()),
  denomination: optional(integer()),
  initialStates: optional(list(record({ fxIndex: integer(), fxID: id(), outputs: list(Output) }))),
  /** Only of an OperationTx. */
  operations: optional(
    list(
      record({
        assetID: id(),
        inputIDs: list(record({ txID: id(), outputIndex: integer() })),
        fxID: id(),
        operation: anyObject(),
      }),
    ),
  ),
  /** Both: only of an ImportTx. */
  sourceChain: optional(id()),
  importedInputs: optional(list(TransferableInput)),
  /** Both: only of an ExportTx. */
  destinationChain: optional(id()),
  exportedOutputs: optional(list(TransferableOutput)),
});

export const TxSchema = object('Transaction', {
  unsignedTx: UnsignedTx,
  credentials: list(record({ fxID: id(), credential: record({ signatures: list(text()) }) })),
  id: id(),
});

export const BlockSchema = object('Block', {
  parentID: id(),
  height: integer(),
  /** Unix seconds. */
  time: integer(),
  merkleRoot: id(),
  txs: list(TxSchema),
  id: id(),
});

export type OutputJson = OutOf<typeof Output>;
export type TransferableOutputJson = OutOf<typeof TransferableOutput>;
export type TransferableInputJson = OutOf<typeof TransferableInput>;
export type UnsignedTxJson = OutOf<typeof UnsignedTx>;
export type TxJson = OutOf<typeof TxSchema>;
export type BlockJson = OutOf<typeof BlockSchema>;
