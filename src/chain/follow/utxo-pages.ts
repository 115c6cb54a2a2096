import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { invalidResponse } from './fault.ts';
import type { Remote, RemoteUtxoCursor, RemoteUtxoQuery } from './remote.ts';

/** Limit of pages per address. */
const maxPages = 100_000;

const methods = { X: 'avm.getUTXOs', P: 'platform.getUTXOs', C: 'avax.getUTXOs' } as const;

/** Lists all UTXOs of an address, page by page. If the last output of a page is spent meanwhile, the node starts over, so outputs may repeat. */
export async function* listUtxoPages(
  remote: Pick<Remote, 'utxos'>,
  chain: RemoteUtxoQuery['chain'],
  address: Address,
): AsyncGenerator<readonly Utxo[]> {
  let after: RemoteUtxoCursor | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const { utxos, next } = await remote.utxos({ chain, address, after });
    if (utxos.some(({ output }) => !output.addresses.includes(address)))
      throw invalidResponse(methods[chain], 'it lists an output of another address');
    yield utxos;
    if (next === undefined) return;
    after = next;
  }
  throw invalidResponse(methods[chain], `it lists more than ${maxPages} pages`);
}
