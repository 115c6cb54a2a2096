import { effectsOf, spentRefs } from '../../avm/tx/effects.ts';
import type { UtxoRef } from '../../avm/tx/input.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import { refId, type Utxo } from '../../avm/tx/utxo.ts';
import { assetOf } from '../../avm/view.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { createAddressTask } from '../follow/address-task.ts';
import { FollowError } from '../follow/fault.ts';
import type { Remote } from '../follow/remote.ts';
import { listUtxoPages } from '../follow/utxo-pages.ts';
import { ForkError } from './fault.ts';
import type { ListPastOutputs } from './past-outputs.ts';

/** Copies outputs and assets of a live node into this chain when they are first used. Promises are returned only if there is something to copy. */
export type Fork = {
  /** Fetches the unspent outputs of an address, with their assets, without storing them. */
  readonly fetchAddress: (address: Address) => Promise<ForkCopy>;
  /** Copies the unspent outputs of addresses that were not copied yet. */
  readonly copyAddresses: (addresses: readonly Address[]) => Promise<void> | undefined;
  /**
   * Copies the owners of the outputs that a transaction spends and this chain does not know, such as those of its genesis. `isWaiting`: whether a
   * transaction waits here for a block: the forked node does not have its outputs.
   */
  readonly copyInputs: (tx: Tx, isWaiting: (id: Id) => boolean) => Promise<void> | undefined;
  readonly copyAsset: (id: Id) => Promise<void> | undefined;
  /** A transaction of the forked node; undefined if it has none with this ID. */
  readonly tx: (id: Id) => Promise<Tx | undefined>;
};

/** Where copies are stored. `add` stores everything in one database transaction; outputs that are already stored, spent or not, are skipped. */
export type ForkLedger = {
  readonly hasAddress: (address: Address) => boolean;
  readonly hasOutput: (ref: UtxoRef) => boolean;
  readonly hasAsset: (assetID: Id) => boolean;
  readonly add: (copy: ForkCopy) => void;
};

export type ForkCopy = { readonly address: Address | undefined; readonly utxos: readonly Utxo[]; readonly assets: readonly Tx[] };

/** Outputs of one address, unknown inputs of one transaction, milliseconds to copy an address, and requests at the same time. */
export const forkLimits = { outputs: 16_384, inputs: 256, time: 30_000, concurrency: 8 } as const;

export function createFork({
  remote,
  listPast,
  ledger,
  formatAddress,
  now,
}: {
  readonly remote: Pick<Remote, 'url' | 'tx' | 'utxos'>;
  /** The outputs at an earlier block; without it, the current ones. */
  readonly listPast?: ListPastOutputs | undefined;
  readonly ledger: ForkLedger;
  readonly formatAddress: (address: Address) => string;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}): Fork {
  const fetchTx = (id: Id): Promise<Tx | undefined> => remote.tx(id).catch(rethrow);

  const listAddress = async (address: Address): Promise<ForkCopy> => {
    const end = now() + forkLimits.time;
    const found = new Map<Id, Utxo>();
    for await (const page of listPast?.(address) ?? listUtxoPages(remote, 'X', address)) {
      for (const utxo of page) found.set(utxo.id, utxo);
      if (found.size > forkLimits.outputs) throw tooLarge(formatAddress(address));
      if (now() > end)
        throw sourceFailed(`it took longer than ${forkLimits.time / 1000} s to list the outputs of ${formatAddress(address)}`);
    }
    const utxos = [...found.values()];
    return { address, utxos, assets: await fetchAssets(new Set(utxos.map(({ assetID }) => assetID))) };
  };
  const fetchAddress = (address: Address): Promise<ForkCopy> => listAddress(address).catch(rethrow);
  // Which addresses are copied is in the database, because a revert undoes copies too; the task only joins requests at the same time.
  const copyOnce = createAddressTask(
    async (address) => {
      if (!ledger.hasAddress(address)) ledger.add(await fetchAddress(address));
    },
    { concurrency: forkLimits.concurrency, validFor: { milliseconds: 0, now: () => 0 } },
  );

  const fetchAssets = async (ids: ReadonlySet<Id>): Promise<Tx[]> => {
    const found = await fetchTxs([...ids].filter((id) => !ledger.hasAsset(id)));
    return found.filter((tx) => assetOf(tx) !== 'not-an-asset');
  };

  const fetchTxs = async (ids: readonly Id[]): Promise<Tx[]> => {
    const found: Tx[] = [];
    for (let i = 0; i < ids.length; i += forkLimits.concurrency) {
      const txs = await Promise.all(ids.slice(i, i + forkLimits.concurrency).map(fetchTx));
      found.push(...txs.filter((tx) => tx !== undefined));
    }
    return found;
  };

  const copyAddresses = (addresses: readonly Address[]): Promise<void> | undefined => {
    const missing = addresses.filter((address) => !ledger.hasAddress(address));
    return missing.length === 0 ? undefined : copyOnce(missing);
  };

  /** avm.getTx does not tell whether an output is unspent, so the outputs of its first owner are copied. */
  const copyOwners = async (creators: readonly Id[], wanted: ReadonlySet<Id>): Promise<void> => {
    const outputs = (await fetchTxs(creators)).flatMap((tx) => effectsOf(tx).created).filter(({ id }) => wanted.has(id));
    await copyAddresses([...new Set(outputs.flatMap(({ output }) => output.addresses.slice(0, 1)))]);
  };

  const sourceFailed = (why: string) =>
    new ForkError(`cannot copy from the forked node ${remote.url}: ${why}`, { code: 'FORK_SOURCE_FAILED', url: remote.url, why });

  function rethrow(error: unknown): never {
    if (!(error instanceof FollowError)) throw error;
    const { fault } = error;
    throw sourceFailed('why' in fault ? `${fault.method}: ${fault.why}` : error.message);
  }

  return {
    fetchAddress,
    copyAddresses,
    copyInputs: (tx, isWaiting) => {
      const unknown = spentRefs(tx.unsigned).filter((ref) => !ledger.hasOutput(ref) && !isWaiting(ref.txID));
      if (unknown.length === 0) return undefined;
      const creators = [...new Set(unknown.map(({ txID }) => txID))];
      if (creators.length > forkLimits.inputs) return Promise.reject(tooManyInputs());
      return copyOwners(creators, new Set(unknown.map(refId)));
    },
    copyAsset: (id) => {
      if (ledger.hasAsset(id)) return undefined;
      return fetchAssets(new Set([id])).then((assets) => {
        if (assets.length > 0) ledger.add({ address: undefined, utxos: [], assets });
      });
    },
    tx: fetchTx,
  };
}

const tooLarge = (address: string) =>
  new ForkError(`${address} has more than ${forkLimits.outputs} outputs on the forked node, too many to copy; use another address`, {
    code: 'FORK_ADDRESS_TOO_LARGE',
    address,
    max: forkLimits.outputs,
  });

const tooManyInputs = () =>
  new ForkError(
    `the transaction spends outputs of more than ${forkLimits.inputs} unknown transactions; copy their owners with --fork-address`,
    {
      code: 'FORK_TOO_MANY_INPUTS',
      max: forkLimits.inputs,
    },
  );
