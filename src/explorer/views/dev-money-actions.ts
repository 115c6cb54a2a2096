import { groupDigits, plural } from '../text/text-format.ts';
import { type ActionField, action } from './dev-action.ts';

const to = { name: 'to', label: 'To', kind: 'address' } as const;
const from = { name: 'from', label: 'From', kind: 'payer' } as const;
const amount = { name: 'amount', label: 'Amount', kind: 'amount', start: '1' } as const;
const asset = { name: 'assetID', label: 'Asset', kind: 'asset', unit: 'secp256k1' } as const;
const memo = { name: 'memo', label: 'Memo', kind: 'text', max: 256, isOptional: true } as const;
const named = (name: string, symbol: string): readonly ActionField[] => [
  { name: 'name', label: 'Name', kind: 'text', start: name, max: 128 },
  { name: 'symbol', label: 'Symbol', kind: 'text', start: symbol, max: 4 },
];

/** Actions with accounts, money, assets and NFTs. */
export const moneyActions = {
  send: action({
    title: 'Send',
    group: 'money',
    about: 'from any account to an account or address',
    button: 'Send',
    method: 'dev.send',
    fields: [from, to, amount, { ...asset, holder: 'from' }, memo],
    said: (shown) => `Sent ${shown.amount} from ${shown.from} to ${shown.to}.`,
  }),
  faucet: action({
    title: 'Faucet',
    group: 'money',
    about: 'account 0 pays',
    button: 'Fund',
    method: 'dev.faucet',
    fields: [to, { ...amount, start: '1000' }, asset],
    said: (shown) => `Sent ${shown.amount} from account 0 to ${shown.to}.`,
  }),
  export: action({
    title: 'Export',
    group: 'money',
    about: 'to the P- or C-Chain',
    button: 'Export',
    method: 'dev.export',
    fields: [from, { name: 'destinationChain', label: 'To chain', kind: 'chain' }, amount, { ...asset, holder: 'from' }],
    said: (shown) => `Exported ${shown.amount} from ${shown.from} to the ${shown.destinationChain}.`,
  }),
  claimExport: action({
    title: 'Claim an export',
    group: 'money',
    about: 'as if the other chain had imported it',
    button: 'Claim',
    method: 'dev.claimExport',
    fields: [{ name: 'utxoID', label: 'Export', kind: 'export' }],
    said: (shown, { destinationChain }) => `The ${destinationChain}-Chain has imported ${shown.utxoID}.`,
  }),
  deposit: action({
    title: 'Deposit',
    group: 'money',
    about: 'as if the P- or C-Chain had exported to this chain',
    button: 'Deposit',
    method: 'dev.atomicDeposit',
    fields: [{ name: 'from', label: 'From chain', kind: 'chain' }, to, { ...amount, start: '10' }, asset],
    said: (shown) => `${shown.amount} from the ${shown.from} can be imported by ${shown.to}.`,
  }),
  import: action({
    title: 'Import',
    group: 'money',
    about: 'what waits for an account from other chains',
    button: 'Import',
    method: 'dev.import',
    fields: [{ ...from, label: 'For' }],
    said: (shown, { imports, remaining }) =>
      `Imported ${plural(
        imports.reduce((sum, { outputs }) => sum + outputs, 0),
        'output',
      )} from the ${imports.map(({ sourceChain }) => `${sourceChain}-Chain`).join(' and the ')} for ${shown.from}.${
        remaining === 0 ? '' : ` ${groupDigits(remaining)} still ${remaining === 1 ? 'waits' : 'wait'}.`
      }`,
  }),

  label: action({
    title: 'Name an address',
    group: 'accounts',
    about: 'shown in its place on every page; an empty name removes it',
    button: 'Name',
    method: 'dev.label',
    fields: [
      { name: 'address', label: 'Address', kind: 'address' },
      { name: 'name', label: 'Name', kind: 'text', max: 64, isOptional: true },
    ],
    said: (shown, { name }) => (name === '' ? `${shown.address} has no name any more.` : `${shown.address} is called ${name} now.`),
  }),
  impersonate: action({
    title: 'Impersonate',
    group: 'accounts',
    about: 'send from an address without its key',
    button: 'Impersonate',
    method: 'dev.impersonate',
    fields: [{ name: 'address', label: 'Address', kind: 'address' }],
    said: (shown) => `Transactions of ${shown.address} need no signature now. It is in the lists of senders.`,
  }),
  stopImpersonating: action({
    title: 'Stop impersonating',
    group: 'accounts',
    about: 'its signature is needed again',
    button: 'Stop',
    method: 'dev.stopImpersonating',
    fields: [{ name: 'address', label: 'Address', kind: 'impersonated' }],
    said: (shown) => `Transactions of ${shown.address} need its signature again.`,
  }),
  setAutoImpersonate: action({
    title: 'Impersonate everyone',
    group: 'accounts',
    about: 'no transaction needs a signature',
    button: 'Set',
    method: 'dev.setAutoImpersonate',
    fields: [{ name: 'enabled', label: 'Every address', kind: 'flag', isOn: true }],
    said: (_, { auto }) => (auto ? 'No transaction needs a signature now.' : 'Transactions need their signatures again.'),
  }),

  createAsset: action({
    title: 'Create an asset',
    group: 'assets',
    about: 'with amounts, fixed or mintable',
    button: 'Create',
    method: 'dev.createAsset',
    fields: [
      ...named('Serac Ice', 'ICE'),
      { name: 'denomination', label: 'Decimals', kind: 'integer', start: 0, min: 0, max: 32 },
      { name: 'supply', label: 'Supply', kind: 'amount', start: '1000' },
      { name: 'owner', label: 'Owner', kind: 'address' },
      { name: 'mintable', label: 'Mintable', kind: 'flag', isOn: true },
    ],
    said: (shown) => `Created ${shown.supply}, owned by ${shown.owner}.`,
  }),
  mint: action({
    title: 'Mint',
    group: 'assets',
    about: 'more of an asset',
    button: 'Mint',
    method: 'dev.mint',
    fields: [{ ...asset, isMinted: true }, to, { ...amount, start: '100' }],
    said: (shown) => `Minted ${shown.amount} for ${shown.to}.`,
  }),
  createNFT: action({
    title: 'Create an NFT family',
    group: 'assets',
    about: 'each group is minted once',
    button: 'Create',
    method: 'dev.createNFT',
    fields: [...named('Cards', 'CARD'), { name: 'groups', label: 'Groups', kind: 'integer', start: 10, min: 1, max: 256 }],
    said: (shown) => `Created the NFT family ${shown.name} (${shown.symbol}) with ${plural(Number(shown.groups), 'group')}.`,
  }),
  mintNFT: action({
    title: 'Mint an NFT',
    group: 'assets',
    about: 'with text, JSON, a URL or bytes as 0x…',
    button: 'Mint',
    method: 'dev.mintNFT',
    fields: [
      { name: 'assetID', label: 'Family', kind: 'asset', unit: 'nft', isMinted: true },
      to,
      { name: 'payload', label: 'Payload', kind: 'text', start: 'ace of spades', max: 2050 },
    ],
    said: (shown, { groupID }) => `Minted ${shown.assetID} ${groupDigits(groupID)} for ${shown.to}.`,
  }),
  sendNFT: action({
    title: 'Send an NFT',
    group: 'assets',
    about: 'of any account',
    button: 'Send NFT',
    method: 'dev.sendNFT',
    fields: [{ name: 'utxoID', label: 'NFT', kind: 'nft' }, to],
    said: (shown) => `Sent ${shown.utxoID} to ${shown.to}.`,
  }),
  createProperty: action({
    title: 'Create a property',
    group: 'assets',
    about: 'owned or not, without amount',
    button: 'Create',
    method: 'dev.createProperty',
    fields: named('Titles', 'TTL'),
    said: (shown) => `Created the property ${shown.name} (${shown.symbol}).`,
  }),
  mintProperty: action({
    title: 'Mint a property',
    group: 'assets',
    about: 'gives it to an owner',
    button: 'Mint',
    method: 'dev.mintProperty',
    fields: [{ name: 'assetID', label: 'Property', kind: 'asset', unit: 'property', isMinted: true }, to],
    said: (shown) => `Minted ${shown.assetID} for ${shown.to}.`,
  }),
  burnProperty: action({
    title: 'Burn a property',
    group: 'assets',
    about: 'of any account',
    button: 'Burn',
    method: 'dev.burnProperty',
    fields: [{ name: 'utxoID', label: 'Property', kind: 'property' }],
    said: (shown) => `Burned ${shown.utxoID}.`,
  }),
};
