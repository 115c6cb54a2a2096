import { type AskedAddresses, addresses, bodyAddresses } from '../api/addresses.ts';
import type { ValuesOf } from '../api/param.ts';
import { amount, assetId, bool, choice, pageSize, pageToken, sortOrder } from '../api/params.ts';
import { type Pages, type Route, route } from '../api/route.ts';
import { chainAt, chainPath, placeParams, spellingOf } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { listFrame } from './list-frame.ts';
import { listingOf, pageOf, pageParams, weightOfOutputs } from './paging.ts';
import { renderUtxos } from './render-utxo.ts';
import { listSchema, Utxo } from './schemas.ts';

const row = route<DataDeps>();

const filters = {
  assetId,
  minUtxoAmount: amount('Only outputs of at least this amount. An NFT or a property counts 1, a right to mint 0.'),
  includeSpent: bool('Consumed outputs as well.'),
  sortBy: choice(['timestamp', 'amount'], 'timestamp', 'Equal ones stand in the order of their ids.'),
  sortOrder: sortOrder(),
};

const common = {
  tag: 'UTXOs',
  description:
    'An output is listed if enough of its owners are among the addresses; locked ones too. ' +
    'A page of outputs with very many owners may be shorter than asked for and still not be the last.',
  response: listSchema('ListUtxosResponse', 'utxos', Utxo),
  keep: 'pin-tip',
} as const;

export const utxoRoutes: readonly Route<DataDeps>[] = [
  row({
    ...common,
    method: 'GET',
    path: `${chainPath}/utxos`,
    id: 'getUtxosByAddresses',
    summary: 'Outputs of addresses, newest first unless asked otherwise',
    params: { ...placeParams, addresses: addresses({ required: true }), ...filters, ...pageParams },
    run: listUtxos,
  }),
  row({
    ...common,
    method: 'POST',
    path: `${chainPath}/utxos`,
    id: 'getUtxosByAddressesV2',
    summary: 'The same for more addresses, and in larger pages',
    params: { ...placeParams, addresses: bodyAddresses(), ...filters, pageToken, pageSize: pageSize(10, 1024) },
    run: listUtxos,
  }),
];

type Asked = ValuesOf<typeof placeParams & typeof filters> & { readonly addresses: AskedAddresses; readonly pageSize: number };

async function listUtxos(deps: DataDeps, asked: Asked, { pages }: { readonly pages: Pages }) {
  const {
    addresses: { owners },
    assetId: only,
    minUtxoAmount,
    includeSpent,
    sortBy,
    sortOrder: order,
    pageSize: limit,
  } = asked;
  const chain = chainAt(deps.served, asked);
  await chain.complete?.(owners);
  const spelling = spellingOf(deps.served, asked.network, asked.addresses);
  const [listing, frame] = await Promise.all([listingOf(chain.reads, pages), listFrame(spelling, chain)]);
  const query = { addresses: owners, asset: only, minAmount: minUtxoAmount, includeSpent, sortBy, order, limit: limit + 1 };
  const rows = await chain.reads.utxos({ ...listing, ...query });
  const { items, nextPageToken } = pageOf(rows, listing, {
    limit,
    numberOf: ({ seq }) => seq,
    weightOf: (one) => weightOfOutputs([one]),
    pages,
  });
  const labelOf = await deps.labels(chain)(items.map(({ utxo }) => utxo.assetID));
  return { nextPageToken, utxos: renderUtxos(items, { address: deps.addressIn(spelling.hrp), keyText: deps.keyText, labelOf }), ...frame };
}
