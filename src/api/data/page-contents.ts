import { ownersFields, readU32 } from '../../avm/tx/output-layout.ts';
import { type Address, addressLength } from '../../base/bytes/address.ts';
import { toHexAt } from '../../base/bytes/hex.ts';
import { type Id, idLength } from '../../base/bytes/id.ts';
import type { OutputEntry } from '../../ledger/index-read/index-reads.ts';
import { ownersAt, type StoredUtxo, utxoFields } from '../../ledger/state/stored-utxo.ts';
import { hasBytesAt } from './render-context.ts';

/** Adds the owners of consumed outputs: those whose public keys the JSON of the outputs may show. */
export function addSigners(signers: Set<Address>, outputs: readonly (OutputEntry | undefined)[]): void {
  for (const output of outputs) if (output?.spent?.layout !== undefined) addOwners(signers, output.stored);
}

/** Adds the owners of an output. */
export function addOwners(signers: Set<Address>, stored: StoredUtxo): void {
  const owners = ownersAt(stored);
  const count = Math.min(readU32(stored, owners + ownersFields.count), maxOwners);
  for (let i = 0; i < count; i++)
    signers.add(toHexAt(stored, owners + ownersFields.addresses + addressLength * i, addressLength) as Address);
}

/** Owners per output whose stored keys are read. Few of many owners sign; the keys of others are recovered. */
const maxOwners = 8;

/** The IDs of all assets that a page shows. */
export class PageAssets {
  readonly ids = new Set<Id>();
  private last: Uint8Array = new Uint8Array(0);
  private lastAt = 0;

  /** Adds the asset whose ID is in `bytes` at `at`. Nearly every output has the asset of the one before. */
  add(bytes: Uint8Array, at: number): void {
    if (this.last.length > 0 && hasBytesAt(bytes, at, this.last, this.lastAt)) return;
    this.last = bytes;
    this.lastAt = at;
    this.ids.add(toHexAt(bytes, at, idLength) as Id);
  }

  addOutputs(outputs: readonly (Pick<OutputEntry, 'stored'> | undefined)[]): void {
    for (const output of outputs) if (output !== undefined) this.add(output.stored, utxoFields.assetID);
  }
}
