import { operationOutputs } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Id } from '../../base/bytes/id.ts';
import { isNft, unitsOf } from './output-amount.ts';

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
