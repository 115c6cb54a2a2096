import type { Address } from '../bytes/address.ts';
import type { Id } from '../bytes/id.ts';
import type { Utxo } from '../tx/utxo.ts';
import { nonsense } from './fault.ts';
import type { FollowLedger } from './ledger.ts';
import type { Remote, UtxoCursor } from './remote.ts';

/**
 * Outputs that were there before the first block: no block tells of them, so they are fetched from the followed node's own list when
 * somebody first asks for an address. Which addresses are done is remembered in memory only: after a restart the first use of one lists
 * it again, and what is already held is passed over.
 */
export type Older = {
  /** Rejects with a FollowError if the node does not help. */
  readonly complete: (addresses: readonly Address[]) => Promise<void>;
};

export type OlderDeps = {
  readonly remote: Pick<Remote, 'height' | 'utxos'>;
  readonly ledger: Pick<FollowLedger, 'addOlder'>;
  /** Resolves when the block of this height is here; rejects if that takes too long. */
  readonly reached: (height: bigint) => Promise<void>;
};

/** The addresses that are remembered as done, and how many are listed at once. */
const most = { remembered: 200_000, atOnce: 4, pages: 100_000 } as const;

export function createOlder(deps: OlderDeps): Older {
  const done = new Set<Address>();
  const underWay = new Map<Address, Promise<void>>();

  const one = async (address: Address): Promise<void> => {
    const utxos = await listed(deps.remote, address);
    // What is made or consumed up to here is told by blocks; once those are held, only what is older is missing.
    await deps.reached(await deps.remote.height());
    if (utxos.length > 0) await deps.ledger.addOlder(utxos);
    if (done.size >= most.remembered) done.delete(done.values().next().value as Address);
    done.add(address);
  };

  /** Several who ask for the same address wait for the same answer. */
  const shared = (address: Address): Promise<void> => {
    const before = underWay.get(address);
    if (before !== undefined) return before;
    const mine = one(address).finally(() => underWay.delete(address));
    underWay.set(address, mine);
    return mine;
  };

  return {
    complete: async (addresses) => {
      const missing = [...new Set(addresses)].filter((address) => !done.has(address));
      for (let i = 0; i < missing.length; i += most.atOnce) await Promise.all(missing.slice(i, i + most.atOnce).map(shared));
    },
  };
}

/** All pages. If the output a page ended with is spent meanwhile, the node begins again at the newest: so some may come twice. */
async function listed(remote: Pick<Remote, 'utxos'>, address: Address): Promise<Utxo[]> {
  const found = new Map<Id, Utxo>();
  let after: UtxoCursor | undefined;
  for (let pages = 0; pages < most.pages; pages++) {
    const { utxos, next } = await remote.utxos({ of: 'X', address, after });
    for (const utxo of utxos) {
      if (!utxo.output.addresses.includes(address)) throw nonsense('avm.getUTXOs', 'it listed an output of another address');
      found.set(utxo.id, utxo);
    }
    if (next === undefined) return [...found.values()];
    after = next;
  }
  throw nonsense('avm.getUTXOs', `there is no end to it after ${most.pages} pages`);
}
