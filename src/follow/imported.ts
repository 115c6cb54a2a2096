import type { Id } from '../bytes/id.ts';
import type { RecoverSigner } from '../crypto/recover.ts';
import { Fault } from '../fault.ts';
import { signedPart } from '../tx/tx.ts';
import { makeUtxo, type Utxo } from '../tx/utxo.ts';
import type { Import } from './block-inputs.ts';
import type { Exports } from './exports.ts';

/** Outputs of other chains that imports take. */
export type Imported = {
  readonly utxos: ReadonlyMap<Id, Utxo>;
  /** Those nobody could tell: what `utxos` has of them is what the import itself shows. */
  readonly untold: ReadonlySet<Id>;
};

/** How many exports are asked for at once: a block may import thousands of outputs. */
const atOnce = 16;

export async function findImported(imports: readonly Import[], exports: Exports, recover: RecoverSigner): Promise<Imported> {
  const utxos = new Map<Id, Utxo>();
  const untold = new Set<Id>();
  const find = async (wanted: Import): Promise<void> => {
    const exported = await exports.of(wanted.from, wanted.input.txID);
    if (exported === undefined) untold.add(wanted.id);
    // An export that is known and has no such output: then there is none, and the rules will say so.
    const utxo = exported === undefined ? shownBy(wanted, recover) : exported.find(({ id }) => id === wanted.id);
    if (utxo !== undefined) utxos.set(wanted.id, utxo);
  };
  for (let i = 0; i < imports.length; i += atOnce) await Promise.all(imports.slice(i, i + atOnce).map(find));
  return { utxos, untold };
}

/**
 * What an import says of the output it takes: asset and amount, and by its signatures who may spend it. Owners who did not sign and a
 * lock time stay unknown. Undefined if even that cannot be read; the rules then say what is wrong.
 */
function shownBy({ input, tx, credential }: Import, recover: RecoverSigner): Utxo | undefined {
  const { txID, outputIndex, assetID } = input;
  const signed = tx.credentials[credential];
  if (signed?.kind !== 'secp256k1fx.Credential') return undefined;
  try {
    const addresses = signed.signatures.map((signature) => recover(signedPart(tx), signature));
    const { amount } = input.input;
    const output = { kind: 'secp256k1fx.TransferOutput' as const, amount, locktime: 0n, threshold: addresses.length, addresses };
    return makeUtxo(txID, outputIndex, assetID, output);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
