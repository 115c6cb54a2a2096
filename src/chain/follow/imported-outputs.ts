import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { ImportedInput } from './block-inputs.ts';
import type { ExportLookup } from './export-lookup.ts';

/** Outputs of other chains that imports consume. */
export type ImportedOutputs = {
  readonly utxos: ReadonlyMap<Id, Utxo>;
  /** Outputs whose export could not be found. */
  readonly unknown: ReadonlySet<Id>;
};

/** Exports looked up at the same time: a block may import thousands of outputs. */
const concurrency = 16;

export async function findImportedOutputs(imports: readonly ImportedInput[], exportLookup: ExportLookup): Promise<ImportedOutputs> {
  const utxos = new Map<Id, Utxo>();
  const unknown = new Set<Id>();
  const find = async (input: ImportedInput): Promise<void> => {
    const exported = await exportLookup.find(input.sourceChain, input.input.txID);
    if (exported === undefined) unknown.add(input.id);
    // If the export is known but has no such output, the rules reject the import.
    const utxo = exported?.find(({ id }) => id === input.id);
    if (utxo !== undefined) utxos.set(input.id, utxo);
  };
  for (let i = 0; i < imports.length; i += concurrency) await Promise.all(imports.slice(i, i + concurrency).map(find));
  return { utxos, unknown };
}
