import type { Address } from '../../base/bytes/address.ts';
import { maxU64 } from '../../base/bytes/octets.ts';
import type { TransferableInput } from './input.ts';
import { makeUtxo, type Utxo } from './utxo.ts';

/**
 * What an import shows of the output that it consumes, whose export is unknown: ID, asset, amount, and the owners who signed. Their number is
 * the threshold. Unknown are further owners and the lock time, and so the bytes. The lock time is `maxU64`, which a spent output cannot have.
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
