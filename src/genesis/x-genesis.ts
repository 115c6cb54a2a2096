import { addressToBytes } from '../bytes/address.ts';
import { compareHex, concat } from '../bytes/octets.ts';
import type { Allocation, GenesisConfig } from './avalanchego-json.ts';
import { buildAvmGenesis } from './avm-genesis.ts';
import { GenesisError } from './fault.ts';

/** The X-Chain's genesis: one asset, AVAX, whose memo holds the Ethereum address beside every amount. Peer: genesis/genesis.go, FromConfig. */
export function buildXGenesis(config: GenesisConfig): Uint8Array {
  const allocations = sorted(config.allocations.filter((allocation) => allocation.initialAmount > 0n));
  const avax = {
    alias: 'AVAX',
    name: 'Avalanche',
    symbol: 'AVAX',
    denomination: 9,
    memo: concat(allocations.map((allocation) => addressToBytes(allocation.ethAddress))),
    holders: allocations.map(({ initialAmount, address }) => ({ amount: initialAmount, address })),
    minters: [],
  };
  return buildAvmGenesis(config.networkID, [avax]);
}

const byAmountAndAddress = (a: Allocation, b: Allocation): number =>
  a.initialAmount < b.initialAmount ? -1 : a.initialAmount > b.initialAmount ? 1 : compareHex(a.address, b.address);

/**
 * Go sorts up to twelve elements by insertion, which keeps equal ones in order, and more by quicksort, which does not: there the order
 * of the Ethereum addresses beside equal amounts of one owner is an accident of Go's library, and so are the IDs that follow from it.
 */
function sorted(allocations: readonly Allocation[]): Allocation[] {
  const inOrder = [...allocations].sort(byAmountAndAddress);
  const undecided = inOrder.some((next, i) => {
    const before = inOrder[i - 1];
    return before !== undefined && byAmountAndAddress(before, next) === 0 && before.ethAddress !== next.ethAddress;
  });
  if (undecided && inOrder.length > 12)
    throw new GenesisError(
      'allocations: two of the same amount and avaxAddr have different ethAddrs, and their order is not defined among more than 12; give them different amounts',
      { code: 'GENESIS_ORDER_UNDEFINED' },
    );
  return inOrder;
}
