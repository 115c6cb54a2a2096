import type { TypeOf } from '../../base/codec/codec.ts';
import { bytes, id, list, text, u8, u32 } from '../../base/codec/primitive.ts';
import { struct } from '../../base/codec/struct.ts';
import { TransferableInput } from './input.ts';
import { Operation } from './operation.ts';
import { InitialState, TransferableOutput } from './output.ts';
import { goInterface } from './type-ids.ts';

export const BaseTx = struct({
  networkID: u32,
  blockchainID: id,
  outputs: list(TransferableOutput),
  inputs: list(TransferableInput),
  memo: bytes,
});
export type BaseTx = TypeOf<typeof BaseTx>;

/** Creates an asset whose id is the id of this transaction. Name and symbol are bytes; the rules verify their characters. */
export const CreateAssetTx = struct({ ...BaseTx.fields, name: text, symbol: text, denomination: u8, initialStates: list(InitialState) });
export type CreateAssetTx = TypeOf<typeof CreateAssetTx>;

export const OperationTx = struct({ ...BaseTx.fields, operations: list(Operation) });
export type OperationTx = TypeOf<typeof OperationTx>;

export const ImportTx = struct({ ...BaseTx.fields, sourceChain: id, importedInputs: list(TransferableInput) });
export type ImportTx = TypeOf<typeof ImportTx>;

export const ExportTx = struct({ ...BaseTx.fields, destinationChain: id, exportedOutputs: list(TransferableOutput) });
export type ExportTx = TypeOf<typeof ExportTx>;

export const UnsignedTx = goInterface('txs.UnsignedTx', {
  BaseTx,
  CreateAssetTx,
  OperationTx,
  ImportTx,
  ExportTx,
});
export type UnsignedTx = TypeOf<typeof UnsignedTx>;

/**
 * One handler per kind of transaction. A new kind does not compile until every table has a handler for it. What handlers need beside the
 * transaction is passed as `context`, so that a table is created once and not for every transaction.
 */
export type TxHandlers<R, C = void> = { readonly [K in UnsignedTx['kind']]: (tx: Extract<UnsignedTx, { kind: K }>, context: C) => R };

/** Calls the handler for the kind of the transaction. */
export const dispatchTx = <R, C>(handlers: TxHandlers<R, C>, tx: UnsignedTx, context: C): R =>
  (handlers[tx.kind] as (tx: UnsignedTx, context: C) => R)(tx, context);
