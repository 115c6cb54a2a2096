import type { Tx, Utxo } from '../../api/contract/answers.ts';
import type { PageContext } from './page-context.ts';
import { callIfAllowed, type Source } from './source.ts';

/** Indexes of the owners who signed a shared input, in the order of its signatures, by the ID of the output that it consumes. */
export type Signers = Readonly<Record<string, readonly number[]>>;

/** Whether it matters who signed: several own the output, or several must sign. Of an incomplete output only those who signed are known. */
export const isShared = ({ addresses, threshold, isIncomplete }: Utxo): boolean =>
  isIncomplete !== true && (addresses.length > 1 || threshold > 1);

/** The signers of the shared inputs of a transaction, from its signature indices. Without the Node RPC nobody is known to have signed. */
export async function readSigners(source: Source, { has, chain }: PageContext, { txHash, consumedUtxos }: Tx): Promise<Signers> {
  const shared = consumedUtxos.filter(isShared);
  if (shared.length === 0 || !has.rpc) return {};
  const tx = (await callIfAllowed(source, chain.rpcUrl, 'avm.getTx', { txID: txHash, encoding: 'json' }))?.tx;
  if (tx === undefined || typeof tx === 'string') return {};
  const { inputs, importedInputs, operations } = tx.unsignedTx;
  const found = new Map<string, readonly number[]>();
  const keyOf = (txID: string, index: number | string): string => `${txID}:${index}`;
  // AvalancheGo's JSON has null for an empty list.
  for (const { txID, outputIndex, input } of [...(inputs ?? []), ...(importedInputs ?? [])])
    found.set(keyOf(txID, outputIndex), input.signatureIndices);
  for (const { inputIDs, operation } of operations ?? [])
    for (const { txID, outputIndex } of inputIDs) found.set(keyOf(txID, outputIndex), operationSigners(operation));
  return Object.fromEntries(
    shared.flatMap(({ utxoId, creationTxHash, outputIndex }) => {
      const indexes = found.get(keyOf(creationTxHash, outputIndex));
      return indexes === undefined ? [] : [[utxoId, indexes]];
    }),
  );
}

type SignatureIndices = { readonly signatureIndices?: readonly number[] };

/** Every kind of operation has one list of signature indices: of its mint input, of its input, or its own. */
function operationSigners(operation: object): readonly number[] {
  const { mintInput, input, signatureIndices } = operation as SignatureIndices & {
    readonly mintInput?: SignatureIndices;
    readonly input?: SignatureIndices;
  };
  return mintInput?.signatureIndices ?? input?.signatureIndices ?? signatureIndices ?? [];
}
