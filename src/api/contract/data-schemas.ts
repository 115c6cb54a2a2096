import { type AnySchema, flag, integer, type List, list, number, object, oneOf, optional, text } from './schema.ts';

/** Response schemas, with the names and shapes of the public Data API. Additions of this server are marked in their descriptions. */

export const unixSeconds = (what: string) => integer(`${what}, in Unix seconds.`);

export const nextPageTokenSchema = text('Token for the next page. Absent on the last page.');

export const ChainInfoSchema = object('PrimaryNetworkChainInfo', {
  chainName: text('x-chain; for other chains their alias.'),
  network: text(),
});

/** Schema of a list response with the properties that every list has. */
export const listSchema = <const N extends string, S extends AnySchema>(title: string, name: N, items: S) =>
  object(title, {
    nextPageToken: optional(nextPageTokenSchema),
    ...({ [name]: list(items) } as { readonly [K in N]: List<S> }),
    chainInfo: ChainInfoSchema,
    ...historySchema,
  });

export const historySchema = {
  historyCompleteFromBlock: optional(
    text('Only on a followed network with history from before linearization: the height from which on the history is complete.'),
  ),
};

const asset = {
  assetId: text(),
  name: text('Empty if the asset was created on a chain that this server does not index.'),
  symbol: text('At most 4 characters.'),
  denomination: integer('Number of decimal places.'),
};

const assetTypes = ['secp256k1', 'nft'] as const;

const amount = {
  ...asset,
  type: oneOf(
    assetTypes,
    'Type of the outputs: nft for NFTs and properties. An asset may have outputs of both types; they are not added up.',
  ),
  amount: text('In the smallest unit. An NFT or a property counts as 1, a mint output as 0.'),
};

export const AssetAmountSchema = object('AssetAmount', amount);

const aggregated = { ...amount, utxoCount: integer() };

const AggregatedSchema = object('AggregatedAssetAmount', aggregated);
/** Marks exports of a followed or joined chain. Absent, not false, where it does not apply: clients of the public API do not know it. */
export const mayBeImported = optional(
  flag('True if the other chain may have imported it and this server cannot tell. An addition of this server, absent otherwise.'),
);
const SharedBalanceSchema = object('XChainSharedAssetBalance', {
  ...aggregated,
  sharedWithChainId: text('The chain that can import it.'),
  mayBeImported,
});

export const BalancesSchema = object('XChainBalances', {
  unlocked: list(AggregatedSchema),
  locked: list(AggregatedSchema, 'Lock time in the future.'),
  atomicMemoryUnlocked: list(SharedBalanceSchema, 'Exported and not yet imported by the destination chain.'),
  atomicMemoryLocked: list(SharedBalanceSchema),
});

export const assetDetails = {
  ...asset,
  type: oneOf(assetTypes, 'nft: the asset can have NFTs or properties but no amounts.'),
  createdAtTimestamp: unixSeconds('When it was created'),
  cap: oneOf(['fixed', 'variable'], 'variable: more of it can be minted.'),
};

const AssetCreatedSchema = object('XChainAssetCreated', assetDetails);

/** Properties of an asset that change with its transactions. */
export const assetStatus = {
  supply: text(
    'Units in unspent outputs of this chain; for type nft without units the number of NFTs and properties. Imported units count, exported units do not. An addition of this server, like the properties below.',
  ),
  nftSupply: text('Number of NFTs and properties in unspent outputs of this chain. Not part of supply if the asset also has units.'),
  minters: list(text(), 'Addresses that can mint more of it.'),
  mintRights: list(
    object('XChainMintRight', { addresses: list(text(), 'Owners.'), threshold: integer('Number of owners that must sign.') }),
    'Owners of its unspent mint outputs, each set once.',
  ),
  unitType: oneOf(['secp256k1', 'nft', 'property'], 'What its units are: amounts, NFTs or properties.'),
  createdInBlock: optional(text('Height of the block that created it. Absent for an asset from before the indexed history.')),
  firstActivityTimestamp: unixSeconds('First transaction with it'),
  lastActivityTimestamp: unixSeconds('Last transaction with it'),
  txCount: integer('Transactions with it.'),
};

export const AssetDetailsSchema = object('XChainAssetDetails', {
  ...assetDetails,
  ...assetStatus,
  ...historySchema,
});

const CredentialSchema = object('UtxoCredential', {
  signature: optional(text('65 bytes in base64.')),
  publicKey: optional(text('33 bytes in base64. Absent if this server does not recover public keys.')),
});

export const UtxoSchema = object('Utxo', {
  utxoId: text(),
  creationTxHash: text(),
  outputIndex: text(),
  timestamp: unixSeconds('When it was created'),
  utxoType: oneOf(['transfer', 'mint'], 'mint: an output that allows minting more of the asset.'),
  asset: AssetAmountSchema,
  addresses: list(text(), 'Owners, without a chain prefix.'),
  threshold: integer('Number of owners that must sign.'),
  locktime: integer('Unix seconds until which it cannot be spent; may exceed 2^53.'),
  createdOnChainId: text(),
  consumedOnChainId: text('The chain on which it was or can be consumed.'),
  utxoBytes: optional(text('0x, hex and a checksum of four bytes, as avm.getUTXOs returns it. Absent if isIncomplete.')),
  isIncomplete: optional(
    flag(
      'True for an imported output whose export is unknown: addresses are the owners who signed, there may be more, and locktime is 0. An addition of this server, absent otherwise.',
    ),
  ),
  groupId: optional(integer('NFTs only.')),
  payload: optional(text('NFTs only: 0x and hex.')),
  consumingTxHash: optional(
    text('Spent outputs only. Absent if another chain consumed it in a transaction that this server does not know.'),
  ),
  consumingTxTimestamp: optional(
    integer(
      'Spent outputs only: when it was spent, in Unix seconds. Without consumingTxHash: the time of the last block of this chain when the spend was noticed.',
    ),
  ),
  credentials: optional(list(CredentialSchema, 'Signatures; only for outputs spent on this chain.')),
  mayBeImported,
});

export const txTypeSchema = oneOf(['BaseTx', 'CreateAssetTx', 'OperationTx', 'ImportTx', 'ExportTx']);

/** Properties of a transaction that do not depend on its block. */
export const txContent = {
  txType: txTypeSchema,
  memo: text('0x and hex.'),
  sourceChain: optional(text('ImportTx: the chain it imports from.')),
  destinationChain: optional(text('ExportTx: the chain it exports to.')),
  assetCreated: optional(AssetCreatedSchema),
  consumedUtxos: list(UtxoSchema, 'Outputs from before the indexed history are left out.'),
  emittedUtxos: list(UtxoSchema),
  amountUnlocked: list(AssetAmountSchema, 'Sums of the inputs by asset.'),
  amountCreated: list(AssetAmountSchema, 'Sums of the outputs by asset.'),
};

export const TransactionSchema = object('XChainLinearTransaction', {
  txHash: text(),
  chainFormat: oneOf(['linear']),
  blockHeight: integer(),
  blockHash: text(),
  timestamp: unixSeconds('Time of its block'),
  ...txContent,
});

export const BlockSchema = object('PrimaryNetworkBlock', {
  blockNumber: text('Its height.'),
  blockHash: text(),
  parentHash: text(),
  blockTimestamp: unixSeconds('Its time'),
  blockType: text('Always Standard, the only block type of the AVM.'),
  txCount: integer(),
  transactions: list(text()),
  blockSizeBytes: integer(),
  proposerDetails: optional(object('ProposerDetails', { proposerNodeId: text('The node that built it.') })),
});

export const LastActivitySchema = object('LastActivityTimestamp', {
  timestamp: unixSeconds('Time of the transaction'),
  blockNumber: text(),
  txHash: text(),
  utxoId: text('The output that was created or consumed.'),
  isConsumed: flag('True if the output was consumed, false if it was created.'),
  chainName: text(),
  network: text(),
  ...historySchema,
});

export const AddressChainsSchema = object('ChainAddressChainIdMapListResponse', {
  addresses: list(object('ChainAddressChainIdMap', { address: text(), blockchainIds: list(text()) })),
});

export const VertexSchema = object('XChainVertex', {
  vertexHash: text(),
  parentHashes: list(text()),
  vertexHeight: integer(),
  vertexIndex: integer('Position in the order in which this node executed the vertices: by height, then by ID.'),
  vertexTimestamp: integer('The time of block 0: vertices have none of their own.'),
  txCount: integer(),
  vertexSizeBytes: integer(),
  transactions: list(text()),
});

const blockchain = {
  createBlockTimestamp: unixSeconds('When it was created'),
  createBlockNumber: text('-1: it was created with the network.'),
  blockchainId: text(),
  vmId: text('Name of the VM: avm, platformvm or evm.'),
  subnetId: text(),
  blockchainName: text(),
  evmChainId: integer('EVM chain ID of C; 0 for other chains, because clients require a number.'),
};

export const BlockchainSchema = object('Blockchain', blockchain);

export const BlockchainWithGenesisSchema = object('BlockchainWithGenesis', {
  ...blockchain,
  genesisData: optional(
    object('GenesisData', { encoding: oneOf(['hex']), data: text('0x, hex and a checksum of four bytes. Absent for P and C.') }),
  ),
});

export const ChainSchema = object('ChainInfo', {
  chainId: text('Its blockchain ID.'),
  status: oneOf(['OK', 'UNAVAILABLE'], 'UNAVAILABLE: the followed node does not respond.'),
  chainName: text(),
  description: text(),
  platformChainId: text(),
  subnetId: text(),
  vmId: text(),
  vmName: oneOf(['AVM']),
  rpcUrl: text(),
  isTestnet: flag(),
  networkToken: optional(object('NetworkToken', { name: text(), symbol: text(), decimals: number() })),
});
