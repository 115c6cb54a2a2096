import { unsignedBytes } from '../../avm/tx/tx.ts';
import { makeUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { RecoverSigner } from '../../base/crypto/recover.ts';
import { Fault } from '../../base/fault.ts';
import type { ImportedInput } from './block-inputs.ts';
import type { ExportLookup } from './export-lookup.ts';

/** Outputs of other chains that imports consume. */
export type ImportedOutputs = {
  readonly utxos: ReadonlyMap<Id, Utxo>;
  /** Outputs whose export could not be found: `utxos` has what the import shows of them. */
  readonly unknown: ReadonlySet<Id>;
};

/** Exports looked up at the same time: a block may import thousands of outputs. */
const concurrency = 16;

export async function findImportedOutputs(
  imports: readonly ImportedInput[],
  exportLookup: ExportLookup,
  recover: RecoverSigner,
): Promise<ImportedOutputs> {
  const utxos = new Map<Id, Utxo>();
  const unknown = new Set<Id>();
  const find = async (input: ImportedInput): Promise<void> => {
    const exported = await exportLookup.find(input.sourceChain, input.input.txID);
    if (exported === undefined) unknown.add(input.id);
    // If the export is known but has no such output, the rules reject the import.
    const utxo = exported === undefined ? outputFromImport(input, recover) : exported.find(({ id }) => id === input.id);
    if (utxo !== undefined) utxos.set(input.id, utxo);
  };
  for (let i = 0; i < imports.length; i += concurrency) await Promise.all(imports.slice(i, i + concurrency).map(find));
  return { utxos, unknown };
}

/**
 * Rebuilds an output from the import that consumes it: asset and amount, and the signers as owners. Owners who did not sign and the
 * locktime stay unknown. Returns undefined if the signatures are invalid; the rules then reject the import.
 */
function outputFromImport({ input, tx, credentialIndex }: ImportedInput, recover: RecoverSigner): Utxo | undefined {
  const { txID, outputIndex, assetID } = input;
  const signed = tx.credentials[credentialIndex];
  if (signed?.kind !== 'secp256k1fx.Credential') return undefined;
  try {
    const addresses = signed.signatures.map((signature) => recover(unsignedBytes(tx), signature));
    const { amount } = input.input;
    const output = { kind: 'secp256k1fx.TransferOutput' as const, amount, locktime: 0n, threshold: addresses.length, addresses };
    return makeUtxo(txID, outputIndex, assetID, output);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
