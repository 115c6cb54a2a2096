import { addresses } from '../api/addresses.ts';
import { notFound } from '../api/api-error.ts';
import { choices, endTimestamp, pathId, sortOrder, startTimestamp } from '../api/params.ts';
import { type ApiRoute, type Paging, routeDefiner } from '../api/route.ts';
import type { ServedChain } from '../api/served-chains.ts';
import { type Id, idText } from '../bytes/id.ts';
import { txKinds } from '../index/tables.ts';
import type { Order, Subject, TimeRange, TxEntry, TxKind } from '../index-read/index-reads.ts';
import { chainParams, chainPath, type NetworkSpelling, networkSpelling, requireChain } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { listMetadata } from './list-metadata.ts';
import { cutPage, maxPageBytes, openListing, outputBytes, pageParams } from './paging.ts';
import { assetsOfTxs, renderTx } from './render-tx.ts';
import { listSchema, TransactionSchema } from './schemas.ts';

const defineRoute = routeDefiner<DataDeps>();

/** All transaction types of the Primary Network. */
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

const txTypes = choices(txTypeNames, 'Only these transaction types. Types of other chains are accepted and match nothing.');

const TransactionList = listSchema('ListXChainTransactionsResponse', 'transactions', TransactionSchema);

export const txRoutes: readonly ApiRoute<DataDeps>[] = [
  defineRoute({
    method: 'GET',
    path: `${chainPath}/transactions`,
    id: 'listLatestPrimaryNetworkTransactions',
    tag: 'Transactions',
    summary: 'Transactions, newest first by default',
    description:
      'Of the whole chain, or of the given addresses: an address has a transaction if it owns an output that the transaction consumes or creates. ' +
      'A page whose transactions have very many outputs may be shorter than pageSize without being the last.',
    params: { ...chainParams, addresses: addresses(), txTypes, startTimestamp, endTimestamp, ...pageParams, sortOrder: sortOrder() },
    response: TransactionList,
    cachePolicy: 'pinned-page',
    run: async (deps, values, { paging }) => {
      const { addresses: requested, txTypes: types, startTimestamp: from, endTimestamp: to, pageSize: limit, sortOrder: order } = values;
      const subjects = requested?.owners.map((address): Subject => ({ address }));
      const spelling = networkSpelling(deps.served, values.network, requested);
      return listTxs(deps, requireChain(deps.served, values), {
        spelling,
        subjects,
        types,
        times: { from, to },
        order,
        limit,
        paging,
      });
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${chainPath}/transactions/{txHash}`,
    id: 'getTxByHash',
    tag: 'Transactions',
    summary: 'One transaction',
    params: { ...chainParams, txHash: pathId({ description: 'Transaction ID.' }) },
    response: TransactionSchema,
    cachePolicy: 'block',
    run: async (deps, { txHash, ...chainRef }) => {
      const chain = requireChain(deps.served, chainRef);
      const entry = await chain.reads.tx(txHash, await chain.reads.tip());
      if (entry === undefined) throw notFound(`No accepted transaction ${idText(txHash)} on ${chain.slug}`);
      const [rendered] = await renderTxs(deps, chain, networkSpelling(deps.served, chainRef.network), [entry]);
      return rendered;
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${chainPath}/assets/{assetId}/transactions`,
    id: 'listAssetTransactions',
    tag: 'Transactions',
    summary: 'Transactions with an asset, newest first',
    params: {
      ...chainParams,
      assetId: pathId({ description: 'Asset ID.' }),
      txTypes,
      startTimestamp,
      endTimestamp,
      ...pageParams,
    },
    response: TransactionList,
    cachePolicy: 'pinned-page',
    run: async (deps, { assetId, txTypes: types, startTimestamp: from, endTimestamp: to, pageSize: limit, ...chainRef }, { paging }) => {
      const chain = requireChain(deps.served, chainRef);
      const times = { from, to };
      const spelling = networkSpelling(deps.served, chainRef.network);
      const page = await listTxs(deps, chain, {
        spelling,
        subjects: [{ asset: assetId }],
        types,
        times,
        order: 'desc',
        limit,
        paging,
      });
      // An asset created on another chain may have transactions here, so only an empty list is checked.
      if (page.transactions.length === 0 && !(await isAsset(chain, assetId)))
        throw notFound(`No asset ${idText(assetId)} on ${chain.slug}`);
      return page;
    },
  }),
];

type TxListQuery = {
  readonly spelling: NetworkSpelling;
  readonly subjects: readonly Subject[] | undefined;
  readonly types: readonly (typeof txTypeNames)[number][] | undefined;
  readonly times: TimeRange;
  readonly order: Order;
  readonly limit: number;
  readonly paging: Paging;
};

async function listTxs(deps: DataDeps, chain: ServedChain, { spelling, types, limit, paging, ...query }: TxListQuery) {
  const kinds = types?.filter((type): type is TxKind => type in txKinds);
  if (kinds?.length === 0) return { transactions: [], ...(await listMetadata(spelling, chain)) };
  const [listing, metadata] = await Promise.all([openListing(chain.reads, paging), listMetadata(spelling, chain)]);
  const rows = await chain.reads.txs({ ...query, ...listing, kinds, limit: limit + 1, maxBytes: maxPageBytes });
  const { items, nextPageToken } = cutPage(rows, listing, { limit, seqOf: ({ seq }) => seq, bytesOf: txEntryBytes, paging });
  return { nextPageToken, transactions: await renderTxs(deps, chain, spelling, items), ...metadata };
}

/** At least the size of the transaction itself: a list that `maxBytes` cut short must have a next page. */
const txEntryBytes = ({ tx, consumed, emitted }: TxEntry): number =>
  Math.max(tx.bytes.length, outputBytes(consumed) + outputBytes(emitted));

async function renderTxs(deps: DataDeps, chain: ServedChain, { hrp }: NetworkSpelling, entries: readonly TxEntry[]) {
  const createdIDs = entries.filter(({ tx }) => tx.unsigned.kind === 'CreateAssetTx').map(({ tx }) => tx.id);
  const created = createdIDs.length === 0 ? undefined : await chain.reads.assets(createdIDs);
  const labelOf = await deps.assetLabels(chain)(assetsOfTxs(entries));
  const context = { formatAddress: deps.addressFormatter(hrp), publicKeyText: deps.publicKeyText, labelOf };
  return entries.map((entry) => renderTx(entry, created?.get(entry.tx.id), context));
}

async function isAsset({ reads }: ServedChain, id: Id): Promise<boolean> {
  return (await reads.assets([id])).has(id);
}
