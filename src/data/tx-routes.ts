import { addresses } from '../api/addresses.ts';
import { choices, endTimestamp, pathId, sortOrder, startTimestamp } from '../api/params.ts';
import { notFound } from '../api/refusal.ts';
import { type Pages, type Route, route } from '../api/route.ts';
import type { ServedChain } from '../api/served.ts';
import { type Id, idText } from '../bytes/id.ts';
import { kinds } from '../index/tables.ts';
import type { Order, Subject, Times, TxEntry, TxKind } from '../index-read/index-reads.ts';
import { chainAt, chainPath, placeParams, type Spelling, spellingOf } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { listFrame } from './list-frame.ts';
import { listingOf, maxWeight, pageOf, pageParams, weightOfOutputs } from './paging.ts';
import { assetsOfTxs, renderTx } from './render-tx.ts';
import { listSchema, Transaction } from './schemas.ts';

const row = route<DataDeps>();

/** All that the primary network has. */
const txTypeNames = [
  'AddValidatorTx',
  'AddSubnetValidatorTx',
  'AddDelegatorTx',
  'CreateChainTx',
  'CreateSubnetTx',
  'ImportTx',
  'ExportTx',
  'AdvanceTimeTx',
  'RewardValidatorTx',
  'RemoveSubnetValidatorTx',
  'TransformSubnetTx',
  'AddPermissionlessValidatorTx',
  'AddPermissionlessDelegatorTx',
  'BaseTx',
  'TransferSubnetOwnershipTx',
  'ConvertSubnetToL1Tx',
  'RegisterL1ValidatorTx',
  'SetL1ValidatorWeightTx',
  'DisableL1ValidatorTx',
  'IncreaseL1ValidatorBalanceTx',
  'UNKNOWN',
  'CreateAssetTx',
  'OperationTx',
] as const;

const txTypes = choices(txTypeNames, 'Only these kinds. Kinds of other chains are known and match nothing here.');

const TransactionList = listSchema('ListXChainTransactionsResponse', 'transactions', Transaction);

export const txRoutes: readonly Route<DataDeps>[] = [
  row({
    method: 'GET',
    path: `${chainPath}/transactions`,
    id: 'listLatestPrimaryNetworkTransactions',
    tag: 'Transactions',
    summary: 'Transactions, newest first unless asked otherwise',
    description:
      'Of the whole chain, or of all the addresses given: those who own what a transaction consumes or makes. ' +
      'A page whose transactions have very many outputs may be shorter than asked for and still not be the last.',
    params: { ...placeParams, addresses: addresses(), txTypes, startTimestamp, endTimestamp, ...pageParams, sortOrder: sortOrder() },
    response: TransactionList,
    keep: 'pin',
    run: async (deps, values, { pages }) => {
      const { addresses: asked, txTypes: types, startTimestamp: from, endTimestamp: to, pageSize: limit, sortOrder: order } = values;
      const subjects = asked?.owners.map((address): Subject => ({ address }));
      const spelling = spellingOf(deps.served, values.network, asked);
      return listTxs(deps, chainAt(deps.served, values), { spelling, subjects, types, times: { from, to }, order, limit, pages });
    },
  }),
  row({
    method: 'GET',
    path: `${chainPath}/transactions/{txHash}`,
    id: 'getTxByHash',
    tag: 'Transactions',
    summary: 'One transaction',
    params: { ...placeParams, txHash: pathId({ description: 'The id of the transaction.' }) },
    response: Transaction,
    keep: 'tip-only',
    run: async (deps, { txHash, ...place }) => {
      const chain = chainAt(deps.served, place);
      const entry = await chain.reads.tx(txHash, await chain.reads.tip());
      if (entry === undefined) throw notFound(`No accepted transaction ${idText(txHash)} on ${chain.slug}`);
      const [rendered] = await renderTxs(deps, chain, spellingOf(deps.served, place.network), [entry]);
      return rendered;
    },
  }),
  row({
    method: 'GET',
    path: `${chainPath}/assets/{assetId}/transactions`,
    id: 'listAssetTransactions',
    tag: 'Transactions',
    summary: 'Transactions with an asset, newest first',
    params: {
      ...placeParams,
      assetId: pathId({ description: 'The id of the asset.' }),
      txTypes,
      startTimestamp,
      endTimestamp,
      ...pageParams,
    },
    response: TransactionList,
    keep: 'pin',
    run: async (deps, { assetId, txTypes: types, startTimestamp: from, endTimestamp: to, pageSize: limit, ...place }, { pages }) => {
      const chain = chainAt(deps.served, place);
      const times = { from, to };
      const spelling = spellingOf(deps.served, place.network);
      const answer = await listTxs(deps, chain, { spelling, subjects: [{ asset: assetId }], types, times, order: 'desc', limit, pages });
      // An asset made elsewhere may have come and gone here, so only an empty list raises the question.
      if (answer.transactions.length === 0 && !(await isAsset(chain, assetId)))
        throw notFound(`No asset ${idText(assetId)} on ${chain.slug}`);
      return answer;
    },
  }),
];

type Asked = {
  readonly spelling: Spelling;
  readonly subjects: readonly Subject[] | undefined;
  readonly types: readonly (typeof txTypeNames)[number][] | undefined;
  readonly times: Times;
  readonly order: Order;
  readonly limit: number;
  readonly pages: Pages;
};

async function listTxs(deps: DataDeps, chain: ServedChain, { spelling, types, limit, pages, ...query }: Asked) {
  const wanted = types?.filter((type): type is TxKind => type in kinds);
  if (wanted?.length === 0) return { transactions: [], ...(await listFrame(spelling, chain)) };
  const [listing, frame] = await Promise.all([listingOf(chain.reads, pages), listFrame(spelling, chain)]);
  const rows = await chain.reads.txs({ ...query, ...listing, kinds: wanted, limit: limit + 1, maxBytes: maxWeight });
  const { items, nextPageToken } = pageOf(rows, listing, { limit, numberOf: ({ seq }) => seq, weightOf, pages });
  return { nextPageToken, transactions: await renderTxs(deps, chain, spelling, items), ...frame };
}

/** Not less than its bytes: a list that ended early because of those has a next page. */
const weightOf = ({ tx, consumed, emitted }: TxEntry): number =>
  Math.max(tx.bytes.length, weightOfOutputs(consumed) + weightOfOutputs(emitted));

async function renderTxs(deps: DataDeps, chain: ServedChain, { hrp }: Spelling, entries: readonly TxEntry[]) {
  const makers = entries.filter(({ tx }) => tx.unsigned.kind === 'CreateAssetTx').map(({ tx }) => tx.id);
  const made = makers.length === 0 ? undefined : await chain.reads.assets(makers);
  const labelOf = await deps.labels(chain)(assetsOfTxs(entries));
  const spelling = { address: deps.addressIn(hrp), keyText: deps.keyText, labelOf };
  return entries.map((entry) => renderTx(entry, made?.get(entry.tx.id), spelling));
}

async function isAsset({ reads }: ServedChain, id: Id): Promise<boolean> {
  return (await reads.assets([id])).has(id);
}
