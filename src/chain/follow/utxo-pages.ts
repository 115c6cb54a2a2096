import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { invalidResponse } from './fault.ts';
import { type Remote, type RemoteUtxoCursor, type UtxoList, utxoMethods } from './remote.ts';

/** Limit of pages per address. */
const maxPages = 100_000;

/** Lists all UTXOs of an address, page by page. If the last output of a page is spent meanwhile, the node starts over, so outputs may repeat. */
export async function* listUtxoPages(remote: Pick<Remote, 'utxos'>, list: UtxoList, address: Address): AsyncGenerator<readonly Utxo[]> {
  let after: RemoteUtxoCursor | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const { utxos, next } = await remote.utxos({ list, address, after });
    if (utxos.some(({ output }) => !output.addresses.includes(address)))
      throw invalidResponse(utxoMethods[list], 'it lists an output of another address');
    yield utxos;
    if (next === undefined) return;
    after = next;
  }
  throw invalidResponse(utxoMethods[list], `it lists more than ${maxPages} pages`);
}
