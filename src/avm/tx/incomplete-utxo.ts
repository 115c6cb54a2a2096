import type { Address } from '../../base/bytes/address.ts';
import { maxU64 } from '../../base/bytes/octets.ts';
import type { TransferableInput } from './input.ts';
import { makeUtxo, type Utxo } from './utxo.ts';

/**
 * The output that an import consumes, as far as the import shows it: ID, asset, amount, and the owners who signed, whose number is the threshold.
 * Further owners, the lock time and the bytes are in the export, which is unknown. `maxU64` as lock time marks that: no spent output has it.
 */
export const makeIncompleteUtxo = ({ txID, outputIndex, assetID, input }: TransferableInput, signers: readonly Address[]): Utxo =>
  makeUtxo(txID, outputIndex, assetID, {
    kind: 'secp256k1fx.TransferOutput',
    amount: input.amount,
    locktime: maxU64,
    threshold: signers.length,
    addresses: [...signers],
  });

/** Whether an output that was imported is known from its import only. */
export const isIncompleteImport = ({ output }: Utxo): boolean => output.locktime === maxU64;
