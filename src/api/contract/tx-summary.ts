import { bigIntegerText, flag, integer, list, object, oneOf, optional, text } from './schema.ts';

/** The short form of a transaction: who did what, how much of it, and to whom. Lists, events and commands all show this one. */

/** Numbers of transactions by type. */
export const TxCountsSchema = object('TxCountByType', {
  BaseTx: integer(),
  CreateAssetTx: integer(),
  OperationTx: integer(),
  ImportTx: integer(),
  ExportTx: integer(),
});

const PartySchema = object('TransactionParty', {
  addresses: list(text()),
  threshold: integer('Number of these addresses that must sign to spend.'),
});

/** The kinds of what a transaction moves. The Data API calls a property an NFT; here it is a property. */
export const movedTypes = ['secp256k1', 'nft', 'property'] as const;

const AmountSchema = object('TransactionSummaryAmount', {
  assetId: text(),
  type: oneOf(movedTypes, 'secp256k1: units of the asset. nft and property: a number of NFTs or properties.'),
  amount: bigIntegerText('In the smallest unit; for NFTs and properties their number.'),
  symbol: optional(text('Absent in events, which name assets by their IDs, unless the transaction creates the asset.')),
  denomination: optional(integer('Number of decimal places; absent with the symbol.')),
});

export const TxSummarySchema = object(
  'TransactionSummary',
  {
    action: oneOf(
      ['send', 'create', 'mint', 'burn', 'operate', 'import', 'export'],
      'create: an asset. burn: properties. operate: operations of several kinds.',
    ),
    from: list(PartySchema, 'Owners of the consumed outputs of this chain, each once, at most 3; of an operation, owners of what it uses.'),
    fromCount: integer('All of these owners.'),
    to: list(PartySchema, 'Owners of what is moved, each once, at most 3. Change is not moved.'),
    toCount: integer('All of these owners.'),
    isToSelf: flag('Whether all of it goes to owners in `from`.'),
    amounts: list(
      AmountSchema,
      'What is moved, at most 3 assets. An output to an owner in `from` is change; in a transfer that has no other outputs, the largest output of an asset that is not locked is. An export moves what it exports, an import what it imports, before the fee.',
    ),
    amountCount: integer('All of these amounts.'),
    change: list(integer(), 'Indexes of the outputs that are change, at most 16.'),
    otherChain: optional(text('ID of the chain that an import comes from or an export goes to.')),
    created: optional(
      object('TransactionSummaryAsset', {
        name: text(),
        symbol: text(),
        denomination: integer(),
        type: oneOf(movedTypes, 'What there can be of the asset.'),
      }),
    ),
  },
  'Who did what, how much of it, and to whom.',
);
