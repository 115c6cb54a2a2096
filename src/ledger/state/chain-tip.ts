import { type Id, idText } from '../../base/bytes/id.ts';
import { cacheByVersion } from '../../base/cache/memoize.ts';
import type { Store } from '../store/store.ts';
import { StateError } from './fault.ts';
import type { AcceptedBlock } from './history.ts';
import type { StateTables } from './state-tables.ts';

/** The last accepted block, and the number of unspent outputs after it. */
export type LastBlock = AcceptedBlock & { readonly unspent: number };

/** The last numbers in use. `oldest`: see `UtxoTable.oldestSeq`. */
export type LastNumbers = { readonly tx: number; readonly oldest: number };

/** Where a chain ends. The writer process caches it; other processes read the last block again after each commit. */
export type ChainTip = {
  /** Throws if the chain has no block yet. */
  readonly last: () => LastBlock;
  readonly isInitialized: () => boolean;
  readonly numbers: () => LastNumbers;
  /** Sets both after a commit. */
  readonly advance: (last: LastBlock, numbers: LastNumbers) => void;
  /** Reads both again after a revert. */
  readonly reload: () => void;
};

export function openChainTip(store: Store, chainID: Id, { history, utxos }: Pick<StateTables, 'history' | 'utxos'>): ChainTip {
  const readNumbers = (): LastNumbers => ({ tx: history.lastTxSeq(), oldest: utxos.oldestSeq() });
  const storedLast = cacheByVersion(history.last, store.version);
  let cachedLast = store.readonly ? undefined : history.last();
  let numbers = readNumbers();
  return {
    last: () => {
      const accepted = cachedLast ?? storedLast();
      if (accepted === undefined)
        throw new StateError(`chain ${idText(chainID)} has no block yet`, { code: 'STATE_EMPTY', chainID: idText(chainID) });
      return accepted;
    },
    isInitialized: () => (cachedLast ?? history.last()) !== undefined,
    numbers: () => numbers,
    advance: (last, next) => {
      cachedLast = last;
      numbers = next;
    },
    reload: () => {
      cachedLast = history.last();
      numbers = readNumbers();
    },
  };
}
