import { integer, list, number, object, oneOf, optional, type Schema, text } from '../api/schema.ts';

/** What the answers look like. Names and shapes are those that clients of the Data API know; what is ours is said to be. */

const unixSeconds = (of: string): Schema => integer(`${of}, in Unix seconds.`);

export const nextPageToken = text('Asks for the next page; absent on the last one.');

export const ChainInfo = object('PrimaryNetworkChainInfo', {
  chainName: text('x-chain; other chains by their alias.'),
  network: text(),
});

/** A list with what comes with every list. */
export const listSchema = (title: string, name: string, items: Schema): Schema =>
  object(title, { nextPageToken: optional(nextPageToken), [name]: list(items), chainInfo: ChainInfo, ...historyProperty });

export const historyProperty = {
  historyCompleteFromBlock: optional(
    text('Only on a followed network that is older than its block 0: the height from which on nothing is missing.'),
  ),
};

const asset = {
  assetId: text(),
  name: text('Empty if the asset was made where this server does not look.'),
  symbol: text('At most 4 characters.'),
  denomination: integer('Digits behind the point.'),
};

const assetTypes = ['secp256k1', 'nft'];

const amount = {
  ...asset,
  type: oneOf(assetTypes, 'Of the outputs: nft for NFTs and properties. An asset may have outputs of both types; they are never added up.'),
  amount: text('In the smallest unit. An NFT or a property counts 1, a right to mint 0.'),
};

export const AssetAmount = object('AssetAmount', amount);

const aggregated = { ...amount, utxoCount: integer() };

const Aggregated = object('AggregatedAssetAmount', aggregated);
const SharedBalance = object('XChainSharedAssetBalance', { ...aggregated, sharedWithChainId: text('The chain that may import it.') });

export const Balances = object('XChainBalances', {
  unlocked: list(Aggregated),
  locked: list(Aggregated, 'Locked until a time that has not come.'),
  atomicMemoryUnlocked: list(SharedBalance, 'Exported, and not yet imported where it went.'),
  atomicMemoryLocked: list(SharedBalance),
});

const details = {
  ...asset,
  type: oneOf(assetTypes, 'nft: there can be NFTs or properties of it and no amounts.'),
  createdAtTimestamp: unixSeconds('When it was made'),
  cap: oneOf(['fixed', 'variable'], 'variable: more of it can be made.'),
};

export const AssetCreated = object('XChainAssetCreated', details);

export const AssetDetails = object('XChainAssetDetails', {
  ...details,
  supply: text(
    'In unspent outputs of this chain: units, or NFTs and properties if its type is nft. What was exported does not count here until it is imported again; what was imported counts. An addition of this server, like the properties below.',
  ),
  nftSupply: text('NFTs and properties in unspent outputs of this chain. Not part of supply if the asset has units too.'),
  minters: list(text(), 'Addresses that may make more of it.'),
  firstActivityTimestamp: unixSeconds('First transaction with it'),
  lastActivityTimestamp: unixSeconds('Last transaction with it'),
  txCount: integer('Transactions with it.'),
  ...historyProperty,
});

const Credential = object('UtxoCredential', {
  signature: optional(text('65 bytes in base64.')),
  publicKey: optional(text('33 bytes in base64; absent where this server does not recover keys.')),
});

export const Utxo = object('Utxo', {
  utxoId: text(),
  creationTxHash: text(),
  outputIndex: text(),
  timestamp: unixSeconds('When it was made'),
  utxoType: oneOf(['transfer', 'mint'], 'mint: a right to make more of the asset.'),
  asset: AssetAmount,
  addresses: list(text(), 'Owners, without a chain before them.'),
  threshold: integer('So many of the owners must sign.'),
  locktime: integer('Unix seconds until which it cannot be spent; may exceed 2^53.'),
  createdOnChainId: text(),
  consumedOnChainId: text('Where it was consumed or can be.'),
  utxoBytes: text('0x, hex, and four bytes of checksum, as avm.getUTXOs gives it.'),
  groupId: optional(integer('NFTs only.')),
  payload: optional(text('NFTs only: 0x and hex.')),
  consumingTxHash: optional(text('Spent ones only. Absent if another chain consumed it and this server cannot know in which transaction.')),
  consumingTxTimestamp: optional(
    integer(
      'Spent ones only: when, in Unix seconds. Without consumingTxHash: the time of the last block here when it was found to be gone.',
    ),
  ),
  credentials: optional(list(Credential, 'Spent on this chain only: who signed.')),
});

export const Transaction = object('XChainLinearTransaction', {
  txHash: text(),
  chainFormat: oneOf(['linear']),
  blockHeight: integer(),
  blockHash: text(),
  timestamp: unixSeconds('Time of its block'),
  txType: oneOf(['BaseTx', 'CreateAssetTx', 'OperationTx', 'ImportTx', 'ExportTx']),
  memo: text('0x and hex.'),
  sourceChain: optional(text('ImportTx: the chain it takes from.')),
  destinationChain: optional(text('ExportTx: the chain it sends to.')),
  assetCreated: optional(AssetCreated),
  consumedUtxos: list(Utxo, 'What is older than the history of this server is left out.'),
  emittedUtxos: list(Utxo),
  amountUnlocked: list(AssetAmount, 'Sums of what the inputs bring, by asset.'),
  amountCreated: list(AssetAmount, 'Sums of what the outputs hold, by asset.'),
});

export const Block = object('PrimaryNetworkBlock', {
  blockNumber: text('Its height.'),
  blockHash: text(),
  parentHash: text(),
  blockTimestamp: unixSeconds('Its time'),
  blockType: text('Standard: the only kind of block the AVM has.'),
  txCount: integer(),
  transactions: list(text()),
  blockSizeBytes: integer(),
  proposerDetails: optional(object('ProposerDetails', { proposerNodeId: text('The node that built it.') })),
});

export const LastActivity = object('LastActivityTimestamp', {
  timestamp: unixSeconds('Time of the transaction'),
  blockNumber: text(),
  txHash: text(),
  utxoId: text('The output that was made or consumed.'),
  isConsumed: { type: 'boolean', description: 'Whether it was consumed, rather than made.' },
  chainName: text(),
  network: text(),
  ...historyProperty,
});

export const AddressChains = object('ChainAddressChainIdMapListResponse', {
  addresses: list(object('ChainAddressChainIdMap', { address: text(), blockchainIds: list(text()) })),
});

export const Vertex = object('XChainVertex', {
  vertexHash: text(),
  parentHashes: list(text()),
  vertexHeight: integer(),
  vertexIndex: integer(),
  vertexTimestamp: integer(),
  txCount: integer(),
  vertexSizeBytes: integer(),
  transactions: list(text()),
});

const blockchain = {
  createBlockTimestamp: unixSeconds('When it began'),
  createBlockNumber: text('-1: it began with the network.'),
  blockchainId: text(),
  vmId: text('avm, platformvm or evm: chains that began with the network are listed under the names of their machines.'),
  subnetId: text(),
  blockchainName: text(),
  evmChainId: integer('Of C; 0 for a chain that is no EVM chain. There is a number because clients insist on one.'),
};

export const Blockchain = object('Blockchain', blockchain);

export const BlockchainWithGenesis = object('BlockchainWithGenesis', {
  ...blockchain,
  genesisData: optional(
    object('GenesisData', { encoding: oneOf(['hex']), data: text('0x, hex, and four bytes of checksum. Absent for P and C.') }),
  ),
});

export const Chain = object('ChainInfo', {
  chainId: text('Its blockchain ID.'),
  status: oneOf(['OK', 'UNAVAILABLE'], 'UNAVAILABLE: the followed node does not answer.'),
  chainName: text(),
  description: text(),
  platformChainId: text(),
  subnetId: text(),
  vmId: text(),
  vmName: oneOf(['AVM']),
  rpcUrl: text(),
  isTestnet: { type: 'boolean' },
  networkToken: optional(object('NetworkToken', { name: text(), symbol: text(), decimals: number() })),
});
