import { devMethod } from './method.ts';
import {
  addressName,
  bigIntegerText,
  flag,
  id,
  integer,
  list,
  longText,
  numberOrText,
  object,
  oneOf,
  oneOrList,
  optional,
  record,
  text,
  u8,
  u32,
} from './schema.ts';

/** The most addresses of one parameter. */
const maxAddresses = 128;

/** An address, or several of which `threshold` must sign. */
const to = oneOrList(addressName(), 'address, account number or label, or a list of them', maxAddresses);
const amount = numberOrText('amount', 'A number of the smallest unit, or an amount with its unit: `1.5 AVAX`, `5 nAVAX`.');
const assetID = optional(text());
const threshold = optional(u32());
/** Text, or bytes as `0x…`. */
const memo = optional(longText());
/** Unix seconds or RFC 3339. */
const locktime = optional(numberOrText('time', 'Unix seconds or RFC 3339.'));
/** An account, or an impersonated address; or several of them as text with commas, which sign together. */
const from = optional(addressName());

/** Whether the method returns when the transaction is in the mempool, rather than when it is accepted. */
const noWait = optional(flag());

const issued = record({ txID: id() });
const created = record({ assetID: id(), txID: id() });
const withOutput = record({ txID: id(), utxoID: id() });

const Account = object('Account', {
  index: integer(),
  address: text(),
  label: optional(text('Only of an account that has one.')),
  privateKey: optional(text('Only of the accounts whose keys are public.')),
  balance: bigIntegerText('In nAVAX.'),
});

/** Accounts, transfers and assets: `dev.*`. */
export const moneyRows = {
  accounts: devMethod({}, record({ accounts: list(Account) })),
  faucet: devMethod({ to, amount: optional(amount), assetID, threshold, noWait }, issued, 'to'),
  send: devMethod({ from, to, amount, assetID, memo, locktime, threshold, noWait }, issued),
  createAsset: devMethod(
    {
      name: text(),
      symbol: text(),
      denomination: optional(u8()),
      supply: optional(amount),
      owner: optional(to),
      mintable: optional(flag()),
      noWait,
    },
    created,
  ),
  mint: devMethod({ assetID: text(), to, amount, threshold, noWait }, issued),
  createNFT: devMethod({ name: text(), symbol: text(), groups: optional(u32()), noWait }, created),
  mintNFT: devMethod(
    { assetID: text(), to, payload: longText(), threshold, noWait },
    record({ txID: id(), groupID: integer(), utxoID: id() }),
  ),
  sendNFT: devMethod({ utxoID: text(), to, threshold, noWait }, withOutput),
  createProperty: devMethod({ name: text(), symbol: text(), noWait }, created),
  mintProperty: devMethod({ assetID: text(), to, threshold, noWait }, withOutput),
  burnProperty: devMethod({ utxoID: text(), noWait }, issued, 'utxoID'),
};

/** The most labels of a chain, and characters of one. */
export const maxLabels = 1000;

const Label = object('Label', { address: text(), name: text() });

/** Names that the developer gives to addresses: `dev.*`. */
export const labelRows = {
  label: devMethod({ address: addressName(), name: text() }, Label),
  labels: devMethod({}, record({ labels: list(Label) })),
};

const counterpart = oneOf(['P', 'C']);

const AtomicOutput = object('AtomicOutput', {
  utxoID: id(),
  sourceChain: text(),
  destinationChain: text(),
  txID: id(),
  outputIndex: integer(),
  assetID: id(),
  amount: optional(bigIntegerText('Missing if the output holds no amount.')),
  kind: optional(text('Only of outputs without an amount.')),
  addresses: list(text()),
  threshold: integer(),
  locktime: bigIntegerText(),
});

const Import = object('Import', {
  txID: id(),
  sourceChain: text(),
  outputs: integer('Number of outputs that the transaction imports.'),
  amounts: list(
    object('ImportedAmount', {
      assetID: id(),
      amount: bigIntegerText('The sum of the imported outputs; the fee is paid from that of AVAX.'),
    }),
    'One for each asset, AVAX first.',
  ),
});

/** Transfers between the X-Chain and the P- and C-Chain: `dev.*`. */
export const crossChainRows = {
  atomicDeposit: devMethod({ from: counterpart, to, amount, assetID, locktime, threshold }, record({ utxoID: id() })),
  listAtomic: devMethod({ limit: optional(u32()) }, record({ utxos: list(AtomicOutput), truncated: flag() }), 'limit'),
  import: devMethod(
    { from, sourceChain: optional(counterpart), to: optional(to), memo, threshold, noWait },
    record({
      txID: id('Of the last import.'),
      imports: list(Import, 'One for each chain from which something was imported.'),
      remaining: integer('Outputs that still wait: they do not fit the transaction, are locked, or have other owners too.'),
    }),
    'from',
  ),
  export: devMethod(
    { destinationChain: counterpart, from, to: optional(to), amount, assetID, memo, locktime, threshold, noWait },
    withOutput,
  ),
  claimExport: devMethod({ utxoID: text() }, record({ utxoID: id(), destinationChain: text() }), 'utxoID'),
  addAtomicUTXO: devMethod({ sourceChain: text(), utxo: longText() }, record({ utxoID: id() })),
};
