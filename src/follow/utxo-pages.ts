import type { Address } from '../bytes/address.ts';
import type { Utxo } from '../tx/utxo.ts';
import { nonsense } from './fault.ts';
import type { Remote, UtxoCursor, UtxoQuery } from './remote.ts';

/** How many pages an address may have. */
const mostPages = 100_000;

const methods = { X: 'avm.getUTXOs', P: 'platform.getUTXOs', C: 'avax.getUTXOs' } as const;

/** All that a node lists for an address. If the output a page ended with is spent meanwhile, it begins anew at the newest: so some may come twice. */
export async function* utxoPages(remote: Pick<Remote, 'utxos'>, of: UtxoQuery['of'], address: Address): AsyncGenerator<readonly Utxo[]> {
  let after: UtxoCursor | undefined;
  for (let pages = 0; pages < mostPages; pages++) {
    const { utxos, next } = await remote.utxos({ of, address, after });
    if (utxos.some(({ output }) => !output.addresses.includes(address))) throw nonsense(methods[of], 'it lists an output of somebody else');
    yield utxos;
    if (next === undefined) return;
    after = next;
  }
  throw nonsense(methods[of], `there is no end to it after ${mostPages} pages`);
}
