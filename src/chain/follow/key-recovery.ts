import type { Tx } from '../../avm/tx/tx.ts';
import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { RecoverKey } from '../../base/crypto/recover.ts';
import { packRecoveryInputs, recoverBatch, unpackSigners } from '../../base/crypto/recovery-batch.ts';
import type { SignerKeys } from '../../base/crypto/signer-keys.ts';
import type { FollowedBlock } from './ledger.ts';
import { signaturesOf } from './signer-prefetch.ts';

export type KeyRecoveryDeps = {
  /** The addresses among these whose public keys are not stored. */
  readonly withoutKeys: (addresses: readonly Address[]) => Promise<readonly Address[]>;
  /** See `createSignerPrefetch`; undefined if there is no thread. */
  readonly recoverOnThread: ((batch: Uint8Array) => Promise<Uint8Array | undefined>) | undefined;
  readonly recoverKey: RecoverKey;
  /** Where the index finds the keys when it stores the blocks. */
  readonly keys: SignerKeys | undefined;
};

/**
 * Recovers the public keys that the index stores with blocks whose signatures were not verified: from one transaction of each address that sends
 * for the first time, in place of all.
 */
export const createKeyRecovery =
  ({ withoutKeys, recoverOnThread, recoverKey, keys }: KeyRecoveryDeps) =>
  async (blocks: readonly FollowedBlock[]): Promise<void> => {
    const senders = collectSenders(blocks);
    const signed = new Set<Tx>();
    for (const address of await withoutKeys([...senders.keys()])) for (const tx of senders.get(address)?.txs ?? []) signed.add(tx);
    const inputs = [...signed].flatMap(signaturesOf);
    if (inputs.length === 0) return;
    const batch = packRecoveryInputs(inputs);
    unpackSigners((await recoverOnThread?.(batch)) ?? recoverBatch(recoverKey, batch), keys);
  };

/** Transactions that show the key of an address: one that it alone has signed, or else all that it or another owner has signed. */
type Sender = { readonly txs: Tx[]; readonly hasSigned: boolean };

function collectSenders(blocks: readonly FollowedBlock[]): ReadonlyMap<Address, Sender> {
  const senders = new Map<Address, Sender>();
  const add = (tx: Tx, { addresses }: Utxo['output']): void => {
    const hasSigned = addresses.length === 1;
    for (const address of addresses) {
      const known = senders.get(address);
      if (known?.hasSigned === true) continue;
      if (known === undefined || hasSigned) senders.set(address, { txs: [tx], hasSigned });
      else known.txs.push(tx);
    }
  };
  for (const { diff, imported } of blocks) {
    let createdHere: ReadonlyMap<Id, Utxo> | undefined;
    for (const { tx, effects } of diff.applied) {
      for (const ref of effects.spent) {
        const id = refId(ref);
        createdHere ??= diff.consumed.has(id) ? undefined : createdBy(diff.applied);
        const utxo = diff.consumed.get(id) ?? createdHere?.get(id);
        if (utxo !== undefined) add(tx, utxo.output);
      }
      for (const id of effects.imported?.ids ?? []) {
        const utxo = imported.get(id);
        if (utxo !== undefined) add(tx, utxo.output);
      }
    }
  }
  return senders;
}

const createdBy = (applied: FollowedBlock['diff']['applied']): ReadonlyMap<Id, Utxo> =>
  new Map(applied.flatMap(({ effects }) => effects.created.map((utxo) => [utxo.id, utxo] as const)));
