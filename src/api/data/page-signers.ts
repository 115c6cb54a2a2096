import { outputFields, readU32 } from '../../avm/tx/transfer-layout.ts';
import type { Address } from '../../base/bytes/address.ts';
import { toHexAt } from '../../base/bytes/hex.ts';
import type { OutputEntry, TransferEntry } from '../../ledger/index-read/index-reads.ts';
import type { AddressTexts } from './address-texts.ts';
import { storedOutput } from './write-transfer-output.ts';

/** Adds the owners of consumed outputs: those whose public keys the JSON of the outputs may show. */
export function addSigners(signers: Set<Address>, outputs: readonly OutputEntry[]): void {
  for (const output of outputs)
    if (output.spent?.tx !== undefined) for (const owner of output.utxo.output.addresses.slice(0, maxOwners)) signers.add(owner);
}

/** The same for the outputs of transfers, which are not decoded. Leaves out owners whose keys are in `known`. */
export function addTransferSigners(signers: Set<Address>, entries: readonly TransferEntry[], known: AddressTexts): void {
  for (const { bytes, layout, consumed, emitted } of entries) {
    for (const output of consumed) {
      if (output === undefined) continue;
      if (output.other === undefined) addOwnersAt(signers, output.bytes, storedOutput, known);
      else addSigners(signers, [output.other]);
    }
    for (let i = 0; i < emitted.length; i++)
      if (emitted[i]?.spender !== undefined) addOwnersAt(signers, bytes, layout.outputs[i] as number, known);
  }
}

function addOwnersAt(signers: Set<Address>, bytes: Uint8Array, output: number, known: AddressTexts): void {
  const count = Math.min(readU32(bytes, output + outputFields.ownerCount), maxOwners);
  for (let i = 0; i < count; i++) {
    const at = output + outputFields.owners + 20 * i;
    if (known.find(bytes, at) < 0) signers.add(toHexAt(bytes, at, 20) as Address);
  }
}

/** Owners per output whose stored keys are read. Few of many owners sign; the keys of others are recovered. */
const maxOwners = 8;
