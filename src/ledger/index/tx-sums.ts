import { operationOutputs } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Id } from '../../base/bytes/id.ts';
import { isNft, unitsOf } from './output-amount.ts';
import { txKinds } from './tables.ts';

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

/** Units, and the number of NFTs and properties. */
export type MintedSum = { units: bigint; nfts: number };

/** Adds what a transaction newly creates of each asset: the outputs of a new asset, and those of mint operations. */
export function addMinted(sums: Map<Id, MintedSum>, { id, unsigned }: Tx): void {
  if (unsigned.kind === 'CreateAssetTx') {
    const sum = sumOf(sums, id);
    for (const { outputs } of unsigned.initialStates) for (const output of outputs) addOutput(sum, output);
  }
  if (unsigned.kind !== 'OperationTx') return;
  for (const operation of unsigned.operations)
    if ('mintInput' in operation.operation)
      for (const output of operationOutputs(operation)) addOutput(sumOf(sums, operation.assetID), output);
}

function sumOf(sums: Map<Id, MintedSum>, asset: Id): MintedSum {
  const sum = sums.get(asset) ?? { units: 0n, nfts: 0 };
  sums.set(asset, sum);
  return sum;
}

function addOutput(sum: MintedSum, output: Parameters<typeof unitsOf>[0]): void {
  sum.units += unitsOf(output);
  if (isNft(output)) sum.nfts++;
}

/** Sums of the transactions of a block. `kinds`: number of transactions by kind number; see `txKinds`. */
type BlockSums = { readonly bytes: number; readonly fees: bigint; readonly kinds: readonly number[] };

export function blockSums(txs: readonly Tx[], feeAsset: Id): BlockSums {
  const kinds = Object.keys(txKinds).map(() => 0);
  let [bytes, fees] = [0, 0n];
  for (const tx of txs) {
    bytes += tx.bytes.length;
    fees += burnedAmount(tx, feeAsset);
    const kind = txKinds[tx.unsigned.kind];
    kinds[kind] = (kinds[kind] as number) + 1;
  }
  return { bytes, fees, kinds };
}
