import { addressToBytes } from '../../base/bytes/address.ts';
import { compareHex, concat } from '../../base/bytes/octets.ts';
import type { Allocation, GenesisConfig } from './avalanchego-json.ts';
import { buildAvmGenesis } from './avm-genesis.ts';
import { GenesisError } from './fault.ts';

/** Builds the X-Chain's genesis: one asset, AVAX, whose memo holds the Ethereum address of every allocation. AvalancheGo: genesis/genesis.go, FromConfig. */
export function buildXGenesis(config: GenesisConfig): Uint8Array {
  const allocations = sortAllocations(config.allocations.filter((allocation) => allocation.initialAmount > 0n));
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
 * Sorts allocations by amount and address, as AvalancheGo does. Go's sort is stable only up to 12 elements. With more, the order of
 * allocations with equal amount and address depends on Go's implementation, and so do the resulting IDs: this is rejected.
 */
function sortAllocations(allocations: readonly Allocation[]): Allocation[] {
  const sorted = [...allocations].sort(byAmountAndAddress);
  const hasAmbiguousOrder = sorted.some((next, i) => {
    const before = sorted[i - 1];
    return before !== undefined && byAmountAndAddress(before, next) === 0 && before.ethAddress !== next.ethAddress;
  });
  if (hasAmbiguousOrder && sorted.length > 12)
    throw new GenesisError(
      'allocations: two with the same amount and avaxAddr have different ethAddrs, and with more than 12 allocations their order is undefined; give them different amounts',
      { code: 'GENESIS_ORDER_UNDEFINED' },
    );
  return sorted;
}
