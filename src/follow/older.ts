import type { Address } from '../bytes/address.ts';
import { nonsense } from './fault.ts';
import { createTurns, type InTurn } from './in-turn.ts';
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

/** The addresses that are remembered as done, how many are listed at once, and how many pages an address may have. */
const most = { remembered: 200_000, atOnce: 8, pages: 100_000 } as const;

export function createOlder({ remote, ledger, reached }: OlderDeps): Older {
  const done = new Set<Address>();
  const underWay = new Map<Address, Promise<void>>();
  const lanes = Array.from({ length: most.atOnce }, createTurns);
  let turn = 0;

  /** Page by page. If the output a page ended with is spent meanwhile, the node begins again at the newest: so some may come twice. */
  const list = async (address: Address): Promise<void> => {
    let after: UtxoCursor | undefined;
    for (let pages = 0; pages < most.pages; pages++) {
      const { utxos, next } = await remote.utxos({ of: 'X', address, after });
      if (utxos.some(({ output }) => !output.addresses.includes(address)))
        throw nonsense('avm.getUTXOs', 'it lists an output of somebody else');
      // What was made or consumed up to here is told by blocks; once those are held, only what is older is missing.
      await reached(await remote.height());
      if (utxos.length > 0) await ledger.addOlder(utxos);
      if (next === undefined) return;
      after = next;
    }
    throw nonsense('avm.getUTXOs', `there is no end to it after ${most.pages} pages`);
  };

  const one = async (address: Address): Promise<void> => {
    await list(address);
    if (done.size >= most.remembered) done.delete(done.values().next().value as Address);
    done.add(address);
  };

  /** Several who ask for the same address wait for the same answer. */
  const shared = (address: Address): Promise<void> => {
    const before = underWay.get(address);
    if (before !== undefined) return before;
    const lane = lanes[turn++ % lanes.length] as InTurn;
    const mine = lane(() => one(address)).finally(() => underWay.delete(address));
    underWay.set(address, mine);
    return mine;
  };

  return {
    complete: async (addresses) => {
      await Promise.all([...new Set(addresses)].filter((address) => !done.has(address)).map(shared));
    },
  };
}
