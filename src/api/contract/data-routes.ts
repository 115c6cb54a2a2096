import {
  AddressChainsSchema,
  AssetDetailsSchema,
  BalancesSchema,
  BlockchainSchema,
  BlockchainWithGenesisSchema,
  BlockSchema,
  ChainInfoSchema,
  ChainSchema,
  historySchema,
  LastActivitySchema,
  listSchema,
  nextPageTokenSchema,
  TransactionSchema,
  UtxoSchema,
  VertexSchema,
} from './data-schemas.ts';
import { type RouteRow, route } from './route.ts';
import {
  amountOrZero,
  assetId,
  bodyAddresses,
  chainParams,
  chainPath,
  choices,
  endTimestamp,
  flagOrFalse,
  maxQueryAddresses,
  networkParam,
  outputSort,
  pageParams,
  pageSize,
  pageToken,
  sortOrder,
  startTimestamp,
  textsInPath,
  timestamp,
  txListStart,
} from './route-params.ts';
import { addresses, anything, heightOrId, id, integerIn, list, nodeID, object, optional, type Scalar, text, textParam } from './schema.ts';

/** Rows of the Data API, with the names and shapes of the public one. Their handlers are in `data`. */

export const chainRows = {
  supportedChains: route({
    method: 'GET',
    path: '/v1/chains',
    tag: 'Chains',
    summary: 'The chains of this server',
    params: {
      network: optional(text('Only chains of this network: mainnet, fuji, testnet, or the name of the one served.')),
      feature: choices(['nftIndexing', 'webhooks', 'teleporter'], 'Only chains with these features. AVM chains have none of them.'),
      ...pageParams,
    },
    response: object('ListChainsResponse', { chains: list(ChainSchema), nextPageToken: optional(nextPageTokenSchema) }),
    cachePolicy: 'block',
  }),
  getChainInfo: route({
    method: 'GET',
    path: '/v1/chains/{chainId}',
    tag: 'Chains',
    summary: 'One chain',
    params: { chainId: textParam({ description: 'A blockchain ID, an alias (X) or a name (x-chain).', example: 'X' }) },
    response: ChainSchema,
    cachePolicy: 'block',
  }),
};

export const blockchainRows = {
  listBlockchains: route({
    method: 'GET',
    path: '/v1/networks/{network}/blockchains',
    tag: 'Blockchains',
    summary: 'The known blockchains of the network: those this server serves, then P and C',
    params: { network: networkParam, pageToken, pageSize: pageSize(100, 10_000), sortOrder: sortOrder('asc') },
    response: object('ListBlockchainsResponse', { nextPageToken: optional(nextPageTokenSchema), blockchains: list(BlockchainSchema) }),
    cachePolicy: 'block',
  }),
  getBlockchainById: route({
    method: 'GET',
    path: chainPath,
    tag: 'Blockchains',
    summary: 'One blockchain, with its genesis',
    params: { network: networkParam, blockchainId: textParam({ description: 'A blockchain ID, an alias or a name.', example: 'x-chain' }) },
    response: BlockchainWithGenesisSchema,
    cachePolicy: 'block',
  }),
};

const BlockList = listSchema('ListPrimaryNetworkBlocksResponse', 'blocks', BlockSchema);

export const blockRows = {
  listLatestPrimaryNetworkBlocks: route({
    method: 'GET',
    path: `${chainPath}/blocks`,
    tag: 'Blocks',
    summary: 'Blocks, newest first',
    params: { ...chainParams, startTimestamp, endTimestamp, ...pageParams },
    response: BlockList,
    cachePolicy: 'pinned-page',
  }),
  getBlockById: route({
    method: 'GET',
    path: `${chainPath}/blocks/{blockId}`,
    tag: 'Blocks',
    summary: 'One block, by its height or its hash',
    params: { ...chainParams, blockId: { ...heightOrId('A height or a block hash.'), example: '0' } },
    response: BlockSchema,
    cachePolicy: 'final',
  }),
  listPrimaryNetworkBlocksByNodeId: route({
    method: 'GET',
    path: `${chainPath}/nodes/{nodeId}/blocks`,
    tag: 'Blocks',
    summary:
      'Blocks built by a node, newest first. Where several nodes build blocks it answers 404, since a block does not contain its proposer',
    params: { ...chainParams, nodeId: nodeID('NodeID-...'), startTimestamp, endTimestamp, ...pageParams },
    response: BlockList,
    cachePolicy: 'pinned-page',
  }),
};

/** All transaction types of the Primary Network. */
export const txTypeNames = [
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

export const txRows = {
  listLatestPrimaryNetworkTransactions: route({
    method: 'GET',
    path: `${chainPath}/transactions`,
    tag: 'Transactions',
    summary: 'Transactions, newest first by default',
    description:
      'Of the whole chain, or of the given addresses: an address has a transaction if it owns an output that the transaction consumes or creates. ' +
      'A page whose transactions have very many outputs may be shorter than pageSize without being the last.',
    params: {
      ...chainParams,
      addresses: optional(addresses(maxQueryAddresses)),
      txTypes,
      startTimestamp,
      endTimestamp,
      ...txListStart,
      ...pageParams,
      sortOrder: sortOrder(),
    },
    response: TransactionList,
    cachePolicy: 'pinned-page',
  }),
  getTxByHash: route({
    method: 'GET',
    path: `${chainPath}/transactions/{txHash}`,
    tag: 'Transactions',
    summary: 'One transaction',
    params: { ...chainParams, txHash: id('Transaction ID.') },
    response: TransactionSchema,
    cachePolicy: 'block',
    settledWhenSpent: 'emittedUtxos',
  }),
  listAssetTransactions: route({
    method: 'GET',
    path: `${chainPath}/assets/{assetId}/transactions`,
    tag: 'Transactions',
    summary: 'Transactions with an asset, newest first',
    params: {
      ...chainParams,
      assetId: id('Asset ID.'),
      txTypes,
      startTimestamp,
      endTimestamp,
      ...pageParams,
    },
    response: TransactionList,
    cachePolicy: 'pinned-page',
  }),
};

const filters = {
  assetId,
  minUtxoAmount: amountOrZero('Only outputs of at least this amount. An NFT or a property counts as 1, a mint output as 0.'),
  includeSpent: flagOrFalse('Include spent outputs.'),
  sortBy: outputSort(),
  sortOrder: sortOrder(),
};

const utxoList = {
  tag: 'UTXOs',
  description:
    'An output is listed if the addresses include enough of its owners to reach its threshold, even if it is locked. ' +
    'A page of outputs with very many owners may be shorter than pageSize without being the last; so may a page with assetId or minUtxoAmount, also an empty one, if few of very many outputs match.',
  response: listSchema('ListUtxosResponse', 'utxos', UtxoSchema),
  cachePolicy: 'pinned-page-or-second',
} as const;

export const utxoRows = {
  getUtxosByAddresses: route({
    ...utxoList,
    method: 'GET',
    path: `${chainPath}/utxos`,
    summary: 'Outputs of addresses, newest first by default',
    params: { ...chainParams, addresses: addresses(maxQueryAddresses), ...filters, ...pageParams },
  }),
  getUtxosByAddressesV2: route({
    ...utxoList,
    method: 'POST',
    path: `${chainPath}/utxos`,
    summary: 'Outputs of many addresses, with larger pages',
    params: { ...chainParams, addresses: bodyAddresses, ...filters, pageToken, pageSize: pageSize(10, 1024) },
  }),
};

const lastActivity = {
  path: `${chainPath}/lastActivityTimestampByAddresses`,
  tag: 'Addresses',
  response: LastActivitySchema,
  cachePolicy: 'block',
} as const;

export const addressRows = {
  getBalancesByAddresses: route({
    method: 'GET',
    path: `${chainPath}/balances`,
    tag: 'Balances',
    summary: 'Combined balances of addresses, now or at an earlier time',
    description: 'An output with several owners counts if the addresses include enough of them to reach its threshold.',
    params: {
      ...chainParams,
      addresses: addresses(maxQueryAddresses),
      blockTimestamp: timestamp('Balances right before this time, in Unix seconds. Outputs that were locked at that time count as locked.'),
    },
    response: object('ListXChainBalancesResponse', { balances: BalancesSchema, chainInfo: ChainInfoSchema, ...historySchema }),
    cachePolicy: 'block-and-second',
  }),
  getLastActivityTimestampByAddresses: route({
    ...lastActivity,
    method: 'GET',
    summary: 'The last transaction of any of the addresses',
    params: { ...chainParams, addresses: addresses(maxQueryAddresses) },
  }),
  getLastActivityTimestampByAddressesV2: route({
    ...lastActivity,
    method: 'POST',
    summary: 'The last transaction of any of many addresses',
    params: { ...chainParams, addresses: bodyAddresses },
  }),
  getChainIdsForAddresses: route({
    method: 'GET',
    path: '/v1/networks/{network}/addresses:listChainIds',
    tag: 'Addresses',
    summary: 'The chains of this server on which addresses have appeared. Addresses without activity are left out',
    params: { network: networkParam, addresses: addresses(maxQueryAddresses) },
    response: AddressChainsSchema,
    cachePolicy: 'block',
  }),
};

export const assetRows = {
  getAssetDetails: route({
    method: 'GET',
    path: `${chainPath}/assets/{assetId}`,
    tag: 'Assets',
    summary: 'One asset',
    params: { ...chainParams, assetId: id('Asset ID: the ID of the transaction that created it.') },
    response: AssetDetailsSchema,
    cachePolicy: 'block',
  }),
};

const vertex = { method: 'GET', tag: 'Vertices', cachePolicy: 'block' } as const;
const VertexList = listSchema('ListXChainVerticesResponse', 'vertices', VertexSchema);

/** Vertices are what the X-Chain had before linearization. A chain that began with blocks has none; a followed node does not serve those it had. */
export const vertexRows = {
  listLatestXChainVertices: route({
    ...vertex,
    path: `${chainPath}/vertices`,
    summary: 'Vertices from before linearization, highest first; empty on a chain that began with blocks',
    params: { ...chainParams, ...pageParams },
    response: VertexList,
  }),
  getVertexByHeight: route({
    ...vertex,
    path: `${chainPath}/vertices:listByHeight`,
    summary: 'The vertices of one height',
    params: { ...chainParams, vertexHeight: integerIn(0), ...pageParams, sortOrder: sortOrder() },
    response: VertexList,
  }),
  getVertexByHash: route({
    ...vertex,
    path: `${chainPath}/vertices/{vertexHash}`,
    summary: 'One vertex',
    params: { ...chainParams, vertexHash: id() },
    response: VertexSchema,
  }),
};

/** Data API operations that need P-Chain data. They answer 404 with the reason, unlike an unknown path. */
const pChainOperations: readonly (readonly [path: string, id: string])[] = [
  ['', 'getNetworkDetails'],
  ['/subnets', 'listSubnets'],
  ['/subnets/{subnetId}', 'getSubnetById'],
  ['/validators', 'listValidators'],
  ['/validators/{nodeId}', 'getSingleValidatorDetails'],
  ['/delegators', 'listDelegators'],
  ['/l1Validators', 'listL1Validators'],
  ['/rewards', 'listHistoricalPrimaryNetworkRewards'],
  ['/rewards:listPending', 'listPendingPrimaryNetworkRewards'],
  ['/blockchains/{blockchainId}/transactions:listStaking', 'listActivePrimaryNetworkStakingTransactions'],
];

export const pChainRows: { readonly [id: string]: RouteRow<{ readonly network: Scalar<'text'> }> } = Object.fromEntries(
  pChainOperations.map(([path, id]) => [
    id,
    {
      method: 'GET',
      path: `/v1/networks/{network}${path}`,
      tag: 'Not served here',
      summary: 'Always 404: this server has no P-Chain data',
      params: { network: text(), ...textsInPath(path) },
      response: anything('Never returned.'),
      cachePolicy: 'block',
    },
  ]),
);
