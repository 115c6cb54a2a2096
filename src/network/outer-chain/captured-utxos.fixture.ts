import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { bech32Decode } from '../../base/bytes/bech32.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { ChainState } from '../../ledger/state/chain-state.ts';

/** The unspent outputs of addresses such as `X-local1…`, as `avm.getUTXOs` returns them, sorted. */
export function utxosOf(state: ChainState, addresses: readonly string[]): Record<string, string[]> {
  const start = { address: '0'.repeat(40) as Address, utxoID: '0'.repeat(64) as Utxo['id'] };
  const read = (text: string): string[] => {
    const address = toHex(bech32Decode(text.slice(2)).bytes) as Address;
    return state
      .utxos(state.id, { addresses: [address], start, limit: 1024 }, true)
      .utxos.map(toHex)
      .sort();
  };
  return Object.fromEntries(addresses.map((address) => [address, read(address)]));
}
