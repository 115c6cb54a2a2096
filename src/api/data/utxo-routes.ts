import type { OutputEntry } from '../../ledger/index-read/index-reads.ts';
import { type AddressList, addresses, bodyAddresses } from '../rest/addresses.ts';
import type { ValuesOf } from '../rest/param.ts';
import { amount, assetId, bool, choice, pageSize, pageToken, sortOrder } from '../rest/params.ts';
import { type ApiRoute, type Paging, routeDefiner } from '../rest/route.ts';
import { chainParams, chainPath, networkSpelling, requireChain } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { joinPage } from './json-page.ts';
import { listMetadata } from './list-metadata.ts';
import { atOneEpoch } from './one-epoch.ts';
import { countWithinBytes, cutPage, openListing, pageParams } from './paging.ts';
import { listSchema, UtxoSchema } from './schemas.ts';
import { readUtxoPieces } from './utxo-pieces.ts';

const defineRoute = routeDefiner<DataDeps>();

const filters = {
  assetId,
  minUtxoAmount: amount('Only outputs of at least this amount. An NFT or a property counts as 1, a mint output as 0.'),
  includeSpent: bool('Include spent outputs.'),
  sortBy: choice(['timestamp', 'amount'], 'timestamp', 'Outputs with equal values are sorted by ID.'),
  sortOrder: sortOrder(),
};

const common = {
  tag: 'UTXOs',
  description:
    'An output is listed if the addresses include enough of its owners to reach its threshold, even if it is locked. ' +
    'A page of outputs with very many owners may be shorter than pageSize without being the last.',
  response: listSchema('ListUtxosResponse', 'utxos', UtxoSchema),
  cachePolicy: 'pinned-page-or-second',
} as const;

export const utxoRoutes: readonly ApiRoute<DataDeps>[] = [
  defineRoute({
    ...common,
    method: 'GET',
    path: `${chainPath}/utxos`,
    id: 'getUtxosByAddresses',
    summary: 'Outputs of addresses, newest first by default',
    params: { ...chainParams, addresses: addresses({ required: true }), ...filters, ...pageParams },
    run: listUtxos,
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: `${chainPath}/utxos`,
    id: 'getUtxosByAddressesV2',
    summary: 'The same for more addresses and with larger pages',
    params: { ...chainParams, addresses: bodyAddresses(), ...filters, pageToken, pageSize: pageSize(10, 1024) },
    run: listUtxos,
  }),
];

type UtxoListParams = ValuesOf<typeof chainParams & typeof filters> & { readonly addresses: AddressList; readonly pageSize: number };

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
  await chain.backfillAddresses?.(owners);
  const spelling = networkSpelling(deps.served, params.network, params.addresses);
  const query = { addresses: owners, asset, minAmount: minUtxoAmount, includeSpent, sortBy, order, limit: limit + 1 };
  const page = atOneEpoch(deps.epoch, async (epoch) => {
    const listing = await openListing(chain.reads, paging);
    const entries = await chain.reads.utxos({ ...listing, ...query });
    const shown = entries.slice(0, countWithinBytes(entries, limit, sizeOf));
    const pieces = await readUtxoPieces(deps, {
      chain,
      hrp: spelling.hrp,
      epoch,
      entries: shown,
      areImportsKnown: chain.foreignImports !== 'unknown',
    });
    return { listing, entries, pieces };
  });
  const [metadata, { listing, entries, pieces }] = await Promise.all([listMetadata(spelling, chain), page]);
  const { nextPageToken } = cutPage(entries, listing, { limit, seqOf: ({ seq }) => seq, bytesOf: sizeOf, paging });
  return joinPage({ name: 'utxos', pieces, nextPageToken, metadata });
}

/** Size of an output in bytes. Does not decode a stored output. */
const sizeOf = (entry: OutputEntry): number => entry.stored?.length ?? entry.utxo.bytes.length;
