import type { OutputEntry } from '../../ledger/index-read/index-reads.ts';
import { utxoRows } from '../contract/data-routes.ts';
import type { ValuesOf } from '../contract/views.ts';
import { implementRoutes, type Paging } from '../rest/route.ts';
import { readBackfilled } from './backfilled-read.ts';
import { listMetadata, networkSpelling, requireChain } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { joinPage } from './json-page.ts';
import { atOneEpoch } from './one-epoch.ts';
import { countWithinBytes, cutPage, openListing } from './paging.ts';
import { loadAhead, readUtxoPieces } from './utxo-pieces.ts';

/** Handlers of the Data API that list the outputs of addresses: GET, and POST for more addresses. Their rows are `utxoRows` in contract/data-routes.ts. */
export const utxoRoutes = implementRoutes<DataDeps>()(utxoRows, {
  getUtxosByAddresses: listUtxos,
  getUtxosByAddressesV2: listUtxos,
});

type UtxoListParams = ValuesOf<(typeof utxoRows)['getUtxosByAddresses']['params']>;

async function listUtxos(deps: DataDeps, params: UtxoListParams, { paging }: { readonly paging: Paging }) {
  const {
    addresses: { owners },
    assetId: asset,
    minUtxoAmount,
    includeSpent,
    sortBy,
    sortOrder: order,
    pageSize: limit,
  } = params;
  const chain = requireChain(deps.served, params);
  const spelling = networkSpelling(deps.served, params.network, params.addresses);
  const query = { addresses: owners, asset, minAmount: minUtxoAmount, includeSpent, sortBy, order, limit: limit + 1 };
  const readPage = async (epoch: number, areImportsKnown: boolean) => {
    const listing = await openListing(chain.reads, paging);
    let loading: Promise<void> | undefined;
    const { outputs: entries, readTo } = await chain.reads.utxos({ ...listing, ...query }, (found) => {
      loading = loadAhead(deps, chain, found);
    });
    await loading;
    const shown = entries.slice(0, countWithinBytes(entries, limit, sizeOf));
    const pieces = await readUtxoPieces(deps, { chain, hrp: spelling.hrp, epoch, entries: shown, areImportsKnown });
    return { listing, entries, readTo, pieces };
  };
  const [metadata, { listing, entries, readTo, pieces }] = await Promise.all([
    listMetadata(spelling, chain),
    readBackfilled(chain, owners, (areImportsKnown) => atOneEpoch(deps.epoch, (epoch) => readPage(epoch, areImportsKnown))),
  ]);
  const { nextPageToken } = cutPage(entries, listing, { limit, seqOf: ({ seq }) => seq, bytesOf: sizeOf, readTo, paging });
  return joinPage({ name: 'utxos', pieces, nextPageToken, metadata });
}

/** Size of an output in bytes. */
const sizeOf = ({ stored }: OutputEntry): number => stored.length;
