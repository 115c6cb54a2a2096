import { effectsOf } from '../../avm/tx/effects.ts';
import type { Output } from '../../avm/tx/output.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import { formatSecret } from '../../avm/wallet/key.ts';
import { mint, nftMint, nftTransfer, propertyBurn, propertyMint } from '../../avm/wallet/operations.ts';
import { type AssetSpec, baseTx, createAsset } from '../../avm/wallet/transactions.ts';
import { ownedBy, transfer } from '../../avm/wallet/wallet.ts';
import { idText } from '../../base/bytes/id.ts';
import { moneyRows } from '../contract/dev-money-methods.ts';
import { implement } from '../rpc/method.ts';
import { parseAmount } from './amount.ts';
import type { Asset, DevWallet } from './dev-wallet.ts';
import { DevError } from './fault.ts';
import { parseBytesText, parseTime } from './params.ts';

/** What `dev.faucet` sends if no amount is given. */
const faucetAmount = '1000 AVAX';

const defaultGroups = 10;
/** Mint outputs among which that of the lowest group is chosen; assets of other programs may have more groups than those made here. */
const maxFoundGroups = 1024;
/** Each group of an NFT asset is an output of the transaction that creates it. */
const maxGroups = 256;

/** Accounts, transfers and assets of the developer's chain. The accounts sign; account 0 pays unless `from` names another one. */
export const moneyMethods = implement<{ readonly wallet: DevWallet }>()(moneyRows, {
  accounts: {
    run: async ({ wallet }) => {
      const accounts = [];
      for (const { index, key, isPublic } of wallet.accounts)
        accounts.push({
          index,
          address: wallet.formatAddress(key.address),
          label: wallet.labelOf(key.address),
          privateKey: isPublic ? formatSecret(key.secret) : undefined,
          balance: (await wallet.balance(key.address)).toString(),
        });
      return { accounts };
    },
    needsWriter: true,
  },

  faucet: {
    run: ({ wallet }, { to, amount, assetID, threshold, noWait }) =>
      send(wallet, { from: '', to, amount: amount === '' && assetID === '' ? faucetAmount : amount, assetID, threshold, noWait }),
    needsWriter: true,
  },

  send: {
    run: ({ wallet }, params) => send(wallet, params),
    needsWriter: true,
  },

  createAsset: {
    run: ({ wallet }, { name, symbol, denomination, supply, owner, mintable, noWait }) => {
      const minter = ownedBy([wallet.accounts[0].key]);
      const holder = owner.length === 0 ? minter : wallet.owners(owner, 1);
      const hasNoSupply = mintable && (supply === '' || supply === '0');
      const amount = hasNoSupply ? 0n : parseAmount(supply, { symbol, denomination });
      const outputs: Output[] = [
        ...(hasNoSupply ? [] : [{ kind: 'secp256k1fx.TransferOutput', amount, ...holder } as const]),
        ...(mintable ? [{ kind: 'secp256k1fx.MintOutput', ...minter } as const] : []),
      ];
      return issueAsset(wallet, { name, symbol, denomination, states: [{ fxIndex: 0, outputs }] }, noWait);
    },
    needsWriter: true,
  },

  mint: {
    run: async ({ wallet }, { assetID, to, amount, threshold, noWait }) => {
      const asset = wallet.asset(assetID);
      const minted = parseAmount(amount, asset);
      const owners = wallet.owners(to, threshold);
      const tx = await wallet.issue({
        payer: wallet.accounts[0],
        noWait,
        build: async (keys, funds) => mint(keys, funds, await findMinter(wallet, asset, 'secp256k1fx.MintOutput'), minted, owners),
      });
      return { txID: idText(tx.id) };
    },
    needsWriter: true,
  },

  createNFT: {
    run: ({ wallet }, { name, symbol, groups: given, noWait }) => {
      const groups = given === 0 ? defaultGroups : given;
      if (groups > maxGroups)
        throw new DevError(`${groups} groups are too many; at most ${maxGroups} are possible`, {
          code: 'DEV_BAD_GROUPS',
          groups,
          max: maxGroups,
        });
      const minter = ownedBy([wallet.accounts[0].key]);
      const outputs = Array.from({ length: groups }, (_, groupID) => ({ kind: 'nftfx.MintOutput', groupID, ...minter }) as const);
      return issueAsset(wallet, { name, symbol, states: [{ fxIndex: 1, outputs }] }, noWait);
    },
    needsWriter: true,
  },

  mintNFT: {
    run: async ({ wallet }, { assetID, to, payload, threshold, noWait }) => {
      const asset = wallet.asset(assetID);
      const bytes = parseBytesText(payload, 'payload');
      const owners = wallet.owners(to, threshold);
      const tx = await wallet.issue({
        payer: wallet.accounts[0],
        noWait,
        build: async (keys, funds) => nftMint(keys, funds, await findMinter(wallet, asset, 'nftfx.MintOutput'), bytes, [owners]),
      });
      const nft = requireCreated(tx, 'nftfx.TransferOutput');
      return { txID: idText(tx.id), groupID: 'groupID' in nft.output ? nft.output.groupID : 0, utxoID: idText(nft.id) };
    },
    needsWriter: true,
  },

  sendNFT: {
    run: async ({ wallet }, { utxoID, to, threshold, noWait }) => {
      const owners = wallet.owners(to, threshold);
      const tx = await wallet.issue({
        payer: wallet.accounts[0],
        noWait,
        build: async (keys, funds) => nftTransfer(keys, funds, requireKind(wallet.output(utxoID), 'nftfx.TransferOutput'), owners),
      });
      return { txID: idText(tx.id), utxoID: idText(requireCreated(tx, 'nftfx.TransferOutput').id) };
    },
    needsWriter: true,
  },

  createProperty: {
    run: ({ wallet }, { name, symbol, noWait }) => {
      const outputs: Output[] = [{ kind: 'propertyfx.MintOutput', ...ownedBy([wallet.accounts[0].key]) }];
      return issueAsset(wallet, { name, symbol, states: [{ fxIndex: 2, outputs }] }, noWait);
    },
    needsWriter: true,
  },

  mintProperty: {
    run: async ({ wallet }, { assetID, to, threshold, noWait }) => {
      const asset = wallet.asset(assetID);
      const owners = wallet.owners(to, threshold);
      const tx = await wallet.issue({
        payer: wallet.accounts[0],
        noWait,
        build: async (keys, funds) => propertyMint(keys, funds, await findMinter(wallet, asset, 'propertyfx.MintOutput'), owners),
      });
      return { txID: idText(tx.id), utxoID: idText(requireCreated(tx, 'propertyfx.OwnedOutput').id) };
    },
    needsWriter: true,
  },

  burnProperty: {
    run: async ({ wallet }, { utxoID, noWait }) => {
      const tx = await wallet.issue({
        payer: wallet.accounts[0],
        noWait,
        build: async (keys, funds) => propertyBurn(keys, funds, requireKind(wallet.output(utxoID), 'propertyfx.OwnedOutput')),
      });
      return { txID: idText(tx.id) };
    },
    needsWriter: true,
  },
});

type SendRequest = {
  readonly from: string;
  readonly to: readonly string[];
  readonly amount: string;
  readonly assetID: string;
  readonly threshold: number;
  readonly memo?: string;
  readonly locktime?: string;
  readonly noWait: boolean;
};

async function send(wallet: DevWallet, request: SendRequest) {
  const { from, to, amount, assetID, threshold, memo = '', locktime = '', noWait } = request;
  const asset = wallet.asset(assetID);
  const owners = wallet.owners(to, threshold, locktime === '' ? 0n : parseTime(locktime));
  const sent = [transfer(asset.id, parseAmount(amount, asset), owners)];
  const tx = await wallet.issue({
    payer: wallet.payer(from),
    sent,
    memo: parseBytesText(memo, 'memo'),
    noWait,
    build: async (keys, funds) => baseTx(keys, funds, sent),
  });
  return { txID: idText(tx.id) };
}

async function issueAsset(wallet: DevWallet, spec: AssetSpec, noWait: boolean) {
  const tx = await wallet.issue({
    payer: wallet.accounts[0],
    fee: wallet.chainParams.createAssetTxFee,
    noWait,
    build: async (keys, funds) => createAsset(keys, funds, spec),
  });
  return { assetID: idText(tx.id), txID: idText(tx.id) };
}

type MintKind = 'secp256k1fx.MintOutput' | 'nftfx.MintOutput' | 'propertyfx.MintOutput';

/** The mint output of an asset that an account can use; of an NFT asset that of the lowest group. */
async function findMinter(wallet: DevWallet, asset: Asset, kind: MintKind): Promise<Utxo> {
  const isMinter = ({ assetID, output }: Utxo) => assetID === asset.id && output.kind === kind;
  const [first, ...others] = await wallet.findOutputs(isMinter, kind === 'nftfx.MintOutput' ? maxFoundGroups : 1);
  if (first !== undefined) return others.reduce((lowest, next) => (groupOf(next) < groupOf(lowest) ? next : lowest), first);
  throw new DevError(
    `no account can mint ${asset.symbol} (asset ${idText(asset.id)}): ${whyNotMinted(wallet.createdKinds(asset.id), kind)}`,
    {
      code: 'DEV_CANNOT_MINT',
      assetID: idText(asset.id),
      kind,
    },
  );
}

/** The methods that mint with each kind of output, and what such an asset is called. */
const minters: { readonly [K in MintKind]: { readonly name: string; readonly method: string } } = {
  'secp256k1fx.MintOutput': { name: 'an asset with amounts', method: 'dev.mint' },
  'nftfx.MintOutput': { name: 'a family of NFTs', method: 'dev.mintNFT' },
  'propertyfx.MintOutput': { name: 'a property', method: 'dev.mintProperty' },
};

/** `created`: the kinds of outputs that the asset was created with. */
function whyNotMinted(created: ReadonlySet<Output['kind']>, kind: MintKind): string {
  if (created.has(kind) && kind === 'nftfx.MintOutput')
    return 'each group is minted once, and none is left that an account may mint now; wait for a block, or create a family with more groups';
  if (created.has(kind)) return 'its mint output belongs to no account, or a pending transaction uses it; wait for a block';
  const other = (Object.keys(minters) as MintKind[]).find((one) => created.has(one));
  if (other !== undefined) return `it is ${minters[other].name}, which ${minters[other].method} mints`;
  if (kind !== 'secp256k1fx.MintOutput') return `it is not ${minters[kind].name}`;
  return 'its supply is fixed; an asset that dev.createAsset (mintable) creates can be minted';
}

const groupOf = ({ output }: Utxo): number => ('groupID' in output ? output.groupID : 0);

const requireCreated = (tx: Tx, kind: Output['kind']): Utxo => effectsOf(tx).created.find(({ output }) => output.kind === kind) as Utxo;

function requireKind(utxo: Utxo, expected: Output['kind']): Utxo {
  const { kind } = utxo.output;
  if (kind === expected) return utxo;
  throw new DevError(`output ${idText(utxo.id)} is a ${kind}, not a ${expected}`, {
    code: 'DEV_WRONG_OUTPUT',
    utxoID: idText(utxo.id),
    kind,
    expected,
  });
}
