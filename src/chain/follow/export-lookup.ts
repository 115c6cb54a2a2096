import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Id } from '../../base/bytes/id.ts';
import { createCache } from '../../base/cache/cache.ts';
import { CodecError } from '../../base/codec/fault.ts';
import { parseExportedOutputs } from './exported-output.ts';
import { FollowError, isTemporary } from './fault.ts';
import type { ForeignChain, Remote } from './remote.ts';
import { abortableSleep, type Timing } from './timing.ts';

/** Finds what transactions of the P- and C-Chain exported to this chain. The followed node runs those chains too. */
export type ExportLookup = {
  /** All outputs that a transaction exported to this chain; undefined if that cannot be found out. */
  readonly find: (from: Id, txID: Id) => Promise<readonly Utxo[] | undefined>;
};

/** Milliseconds. If the node answers for this chain but not for another: when to give up, delay between retries, and how long to skip that chain. */
const limits = { giveUpAfter: 5000, retryDelay: 500, skipFor: 60_000 } as const;

/** Bytes of a cached export; most have one or two outputs. */
const entrySize = 2000;

export function createExportLookup({
  remote,
  chainID,
  foreign,
  timing,
  signal,
}: {
  readonly remote: Pick<Remote, 'foreignTx' | 'height'>;
  /** The id of this chain. */
  readonly chainID: Id;
  /** Ids of the other chains by their alias on the node. */
  readonly foreign: { readonly [C in ForeignChain]: Id };
  readonly timing: Timing;
  readonly signal: AbortSignal;
}): ExportLookup {
  // Many imports within a few blocks often consume outputs of one export.
  const cache = createCache<string, Promise<readonly Utxo[] | undefined>>('exports', { size: entrySize });
  const skipUntil = new Map<ForeignChain, number>();

  const fetchTx = async (chain: ForeignChain, txID: Id): Promise<Uint8Array | undefined> => {
    for (const began = timing.now(); ; ) {
      if (timing.now() < (skipUntil.get(chain) ?? 0)) return undefined;
      try {
        return await remote.foreignTx(chain, txID);
      } catch (error) {
        if (error instanceof FollowError && error.fault.code === 'FOLLOW_REFUSED') return undefined;
        if (!isTemporary(error)) throw error;
      }
      if (timing.now() - began > limits.giveUpAfter) {
        // Throws if the node is down: then following waits for the node instead of skipping the chain.
        await remote.height();
        skipUntil.set(chain, timing.now() + limits.skipFor);
      } else await abortableSleep(timing, limits.retryDelay, signal);
    }
  };

  const fetchExport = async (from: Id, txID: Id): Promise<readonly Utxo[] | undefined> => {
    const chain = from === foreign.P ? 'P' : from === foreign.C ? 'C' : undefined;
    const bytes = chain && (await fetchTx(chain, txID));
    if (chain === undefined || bytes === undefined) return undefined;
    try {
      return parseExportedOutputs(chain, bytes, { from, to: chainID });
    } catch (error) {
      if (error instanceof CodecError) return undefined;
      throw error;
    }
  };

  return {
    find: (from, txID) => {
      // Anyone can name the export of one chain as that of another.
      const key = `${from} ${txID}`;
      const cached = cache.get(key);
      if (cached !== undefined) return cached;
      const found = fetchExport(from, txID);
      cache.set(key, found);
      // Unknown exports and failures are not cached: the next lookup tries again.
      const forget = (): void => void cache.delete(key);
      found.then((utxos) => utxos ?? forget(), forget);
      return found;
    },
  };
}
