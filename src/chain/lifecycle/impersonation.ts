import type { Block } from '../../avm/tx/block.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { ChainError } from './fault.ts';

/** The addresses whose outputs may be spent without their signatures, on a developer's chain. */
export type Impersonation = {
  /** Whether any address is impersonated. */
  readonly isActive: () => boolean;
  readonly has: (address: Address) => boolean;
  readonly add: (address: Address) => void;
  /** Returns whether the address was impersonated. */
  readonly remove: (address: Address) => boolean;
  /** Impersonates every address, or only those that were added. */
  readonly setAll: (isOn: boolean) => void;
  readonly isAll: () => boolean;
  readonly addresses: () => readonly Address[];
  /** Records whether a transaction passed verification only because an owner without a valid signature is impersonated. */
  readonly mark: (tx: Tx, isUsed: boolean) => void;
  /** The IDs of a block's transactions that are marked. */
  readonly markedIn: (block: Pick<Block, 'txs'>) => readonly Id[];
};

/** The most addresses that can be impersonated one by one. */
const maxAddresses = 10_000;

export function createImpersonation(): Impersonation {
  const addresses = new Set<Address>();
  const marked = new WeakSet<Tx>();
  let isAll = false;
  return {
    isActive: () => isAll || addresses.size > 0,
    has: (address) => isAll || addresses.has(address),
    add: (address) => {
      if (addresses.size >= maxAddresses && !addresses.has(address))
        throw new ChainError(`${maxAddresses} addresses are impersonated already; use dev.setAutoImpersonate to impersonate all`, {
          code: 'IMPERSONATION_FULL',
          max: maxAddresses,
        });
      addresses.add(address);
    },
    remove: (address) => addresses.delete(address),
    setAll: (isOn) => {
      isAll = isOn;
    },
    isAll: () => isAll,
    addresses: () => [...addresses],
    mark: (tx, isUsed) => void (isUsed ? marked.add(tx) : marked.delete(tx)),
    markedIn: ({ txs }) => txs.filter((tx) => marked.has(tx)).map(({ id }) => id),
  };
}
