import { type Id, idText } from '../../base/bytes/id.ts';
import { cacheByVersion } from '../../base/cache/memoize.ts';
import type { Store } from '../store/store.ts';
import { StateError } from './fault.ts';
import type { LastBlock } from './history.ts';
import type { StateTables } from './state-tables.ts';

/** The last numbers in use. `oldest`: see `UtxoTable.oldestSeq`. */
export type LastNumbers = { readonly tx: number; readonly oldest: number };

export type ChainTip = ReturnType<typeof openChainTip>;

/** Where a chain ends. The writer process caches it; other processes read the last block again after each commit. */
export function openChainTip(store: Store, chainID: Id, { history, utxos }: Pick<StateTables, 'history' | 'utxos'>) {
  const readNumbers = (): LastNumbers => ({ tx: history.lastTxSeq(), oldest: utxos.oldestSeq() });
  const storedLast = cacheByVersion(history.last, store.version);
  let cachedLast = store.readonly ? undefined : history.last();
  let numbers = readNumbers();
  return {
    /** Throws if the chain has no block yet. */
    last: (): LastBlock => {
      const accepted = cachedLast ?? storedLast();
      if (accepted === undefined)
        throw new StateError(`chain ${idText(chainID)} has no block yet`, { code: 'STATE_EMPTY', chainID: idText(chainID) });
      return accepted;
    },
    isInitialized: () => (cachedLast ?? history.last()) !== undefined,
    numbers: () => numbers,
    /** Sets both after a commit. */
    advance: (last: LastBlock, next: LastNumbers): void => {
      cachedLast = last;
      numbers = next;
    },
    /** Reads both again after a revert. */
    reload: (): void => {
      cachedLast = history.last();
      numbers = readNumbers();
    },
  };
}
