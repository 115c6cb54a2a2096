import { type Block, blockHeaderSize } from '../../avm/tx/block.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { UnsignedTx } from '../../avm/tx/unsigned.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import type { SqlValue } from '../store/database.ts';

/*
 * The row of a block. Beside what the block itself has, it holds sums of its transactions: lists of blocks show them, and reading and decoding
 * thousands of transactions for such a list would take too long. They are columns of the block's own row, so that a block writes one row.
 */

/** Number of columns of the table `block`; see schema.ts. */
export const blockColumns = 13;

/** Values of the columns, in their order. */
export const blockRow = (block: Block, firstTx: number, unspent: number, feeAsset: Id | undefined): SqlValue[] => [
  Number(block.height),
  idToBytes(block.id),
  block.bytes.subarray(0, blockHeaderSize),
  firstTx,
  block.txs.length,
  Number(block.time),
  unspent,
  ...blockSums(block.txs, feeAsset),
];

/** Values of the columns `tx_bytes`, `fees` and those of the kinds other than BaseTx. */
export function blockSums(txs: readonly Tx[], feeAsset: Id | undefined): SqlValue[] {
  const counts = new Map<UnsignedTx['kind'], number>();
  let [bytes, fees] = [0, 0n];
  for (const tx of txs) {
    bytes += tx.bytes.length;
    if (feeAsset !== undefined) fees += burnedAmount(tx, feeAsset);
    counts.set(tx.unsigned.kind, (counts.get(tx.unsigned.kind) ?? 0) + 1);
  }
  return [bytes, feesToBytes(fees), ...countedKinds.map((kind) => counts.get(kind) ?? 0)];
}

/** The kinds with a column of their own, in the order of the columns. The other transactions are BaseTxs. */
const countedKinds = ['CreateAssetTx', 'OperationTx', 'ImportTx', 'ExportTx'] as const;

/** The columns of `blockSums` as they are read. */
export type BlockSumsRow = {
  readonly tx_count: number;
  readonly tx_bytes: number;
  readonly fees: Uint8Array;
  readonly create_asset: number;
  readonly operation: number;
  readonly import: number;
  readonly export: number;
};

export const blockSumsColumns = 'tx_count, tx_bytes, fees, create_asset, operation, import, export';

export const txCounts = (row: BlockSumsRow): Readonly<Record<UnsignedTx['kind'], number>> => ({
  BaseTx: row.tx_count - row.create_asset - row.operation - row.import - row.export,
  CreateAssetTx: row.create_asset,
  OperationTx: row.operation,
  ImportTx: row.import,
  ExportTx: row.export,
});

/** Big-endian bytes without leading zeros: few, and a sum may exceed a u64. */
const feesToBytes = (fees: bigint): Uint8Array => {
  const hex = fees === 0n ? '' : fees.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
};

export const feesFromBytes = (bytes: Uint8Array): bigint => {
  let fees = 0n;
  for (const byte of bytes) fees = (fees << 8n) | BigInt(byte);
  return fees;
};

/**
 * Amount of an asset that a transaction burns: inputs minus outputs, which is the fee and anything the sender left over. Minted amounts
 * are in operations, not in inputs or outputs, and do not count. Never below 0.
 */
export function burnedAmount({ unsigned }: Tx, asset: Id): bigint {
  let sum = 0n;
  for (const { assetID, input } of unsigned.inputs) if (assetID === asset) sum += input.amount;
  for (const { assetID, output } of unsigned.outputs) if (assetID === asset) sum -= output.amount;
  if (unsigned.kind === 'ImportTx') for (const { assetID, input } of unsigned.importedInputs) if (assetID === asset) sum += input.amount;
  if (unsigned.kind === 'ExportTx') for (const { assetID, output } of unsigned.exportedOutputs) if (assetID === asset) sum -= output.amount;
  return sum > 0n ? sum : 0n;
}
