import type { AssetDetails, AssetList, Balances, MethodJson, UtxoList } from '../../api/contract/answers.ts';
import { payloadKind, payloadWord } from '../text/payload-kind.ts';
import { amountText, shortId, splitAddress } from '../text/text-format.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { callIfAllowed, type Source } from './source.ts';

type Account = MethodJson<'dev.accounts'>['accounts'][number];

/** An address that can be chosen, with what it is called: `account 1`, `alice (account 1)`. */
export type NamedAddress = { readonly address: string; readonly name: string };
export type DevAsset = Pick<AssetDetails, 'assetId' | 'name' | 'symbol' | 'denomination' | 'unitType' | 'supply'> & {
  /** Whether an account can mint more of it. */
  readonly isMinted: boolean;
};
/** An output or a transaction that can be chosen. */
export type Choice = { readonly value: string; readonly text: string };

/** What the fields of the dev panel offer. */
export type DevChoices = {
  /** Accounts and impersonated addresses. */
  readonly payers: readonly NamedAddress[];
  readonly impersonated: readonly NamedAddress[];
  /** Accounts and addresses with a label. */
  readonly receivers: readonly NamedAddress[];
  /** The asset in which fees are paid, then the newest first. */
  readonly assets: readonly DevAsset[];
  /** What payers can spend, in the smallest unit, by address and asset. */
  readonly balances: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly outputs: { readonly [kind in 'nft' | 'property' | 'export' | 'pending']: readonly Choice[] };
  /** Transactions on the chain, for what an undo costs. */
  readonly txCount: number;
};

/** Names, assets and outputs of a list; balances and families that are read for them. */
const maxNames = 100;
const maxAssets = 100;
const maxOutputs = 100;
const maxBalances = 20;
const maxFamilies = 10;
/** Addresses of one query. */
const maxAddresses = 64;

export async function loadChoices(
  source: Source,
  context: PageContext,
  accounts: readonly Account[],
  impersonated: readonly string[],
): Promise<DevChoices> {
  const { feeAsset } = context.chain;
  const [labels, own, newest, atomic, mempool] = await Promise.all([
    callIfAllowed(source, '/ext/dev', 'dev.labels'),
    source.get<AssetDetails>(`${chainPath(context)}/assets/${feeAsset}`),
    source.get<AssetList>(`${chainPath(context)}/assets?sortOrder=desc&pageSize=${maxAssets}`),
    callIfAllowed(source, '/ext/dev', 'dev.listAtomic', { limit: maxOutputs }),
    callIfAllowed(source, '/ext/dev', 'dev.getMempool'),
  ]);
  const named = nameAddresses(accounts, labels?.labels ?? [], impersonated, context);
  const others = newest.status === 200 ? newest.body.assets.filter(({ assetId }) => assetId !== feeAsset) : [];
  // The one of the fees is the oldest: it is not among the newest of many.
  const assets: readonly AssetDetails[] = own.status === 200 ? [own.body, ...others] : others;
  const owners = named.payers.slice(0, maxAddresses).map(({ address }) => address);
  const ownAddresses = new Set(accounts.map(({ address }) => bare(address)));
  const [balances, nfts] = await Promise.all([
    Promise.all(named.payers.slice(0, maxBalances).map(({ address }) => readBalances(source, context, address))),
    Promise.all(
      assets
        .filter(({ unitType, nftSupply }) => unitType !== 'secp256k1' && nftSupply !== '0')
        .slice(0, maxFamilies)
        .map((family) => readOutputs(source, context, family, owners)),
    ),
  ]);
  const nameOf = (address: string): string =>
    named.payers.find((one) => bare(one.address) === bare(address))?.name ?? splitAddress(address, context.chain.alias).short;
  const choicesOf = (unit: 'nft' | 'property'): Choice[] =>
    nfts
      .flatMap(({ family, utxos }) => (family.unitType === unit ? utxos.map((utxo) => describeOutput(family, utxo, nameOf)) : []))
      .slice(0, maxOutputs);
  return {
    ...named,
    assets: assets.map(({ assetId, name, symbol, denomination, unitType, supply, minters }) => ({
      assetId,
      name,
      symbol,
      denomination,
      unitType,
      supply,
      isMinted: minters.some((address) => ownAddresses.has(bare(address))),
    })),
    balances: Object.fromEntries(balances),
    outputs: {
      nft: choicesOf('nft'),
      property: choicesOf('property'),
      export: (atomic?.utxos ?? [])
        .filter(({ destinationChain }) => destinationChain !== context.chain.alias)
        .map((output) => describeExport(output, assets)),
      pending: (mempool?.txs ?? []).slice(0, maxOutputs).map(({ txID, type }) => ({ value: txID, text: `${type} ${shortId(txID)}` })),
    },
    txCount: own.status === 200 ? own.body.txCount : 0,
  };
}

const bare = (address: string): string => address.replace(/^[A-Za-z]+-/, '');

/** What an account is called: `account 1`, or its label with it. */
export const nameOfAccount = ({ index, label }: Account): string =>
  label === undefined ? `account ${index}` : `${label} (account ${index})`;

function nameAddresses(
  accounts: readonly Account[],
  labels: MethodJson<'dev.labels'>['labels'],
  addresses: readonly string[],
  context: PageContext,
): Pick<DevChoices, 'payers' | 'receivers' | 'impersonated'> {
  const own = accounts.slice(0, maxNames).map((account) => ({ address: account.address, name: nameOfAccount(account) }));
  const isOwn = ({ address }: { readonly address: string }): boolean => accounts.some((account) => account.address === address);
  const others = labels.filter((label) => !isOwn(label)).slice(0, maxNames);
  const nameOf = (address: string): string =>
    [...own, ...others].find((one) => one.address === address)?.name ?? splitAddress(address, context.chain.alias).short;
  const impersonated = addresses.map((address) => ({ address, name: nameOf(address) }));
  return { payers: [...own, ...impersonated.filter((one) => !isOwn(one))], receivers: [...own, ...others], impersonated };
}

async function readBalances(source: Source, context: PageContext, address: string): Promise<[string, Record<string, string>]> {
  const { status, body } = await source.get<{ readonly balances: Balances }>(`${chainPath(context)}/balances?addresses=${address}`);
  const held = status === 200 ? body.balances.unlocked.filter(({ type }) => type === 'secp256k1') : [];
  return [address, Object.fromEntries(held.map(({ assetId, amount }) => [assetId, amount]))];
}

async function readOutputs(source: Source, context: PageContext, family: AssetDetails, owners: readonly string[]) {
  const path = `${chainPath(context)}/utxos?addresses=${owners.join()}&assetId=${family.assetId}&pageSize=${maxOutputs}`;
  const { status, body } = await source.get<UtxoList>(path);
  return { family, utxos: status === 200 ? body.utxos.filter(({ utxoType }) => utxoType === 'transfer') : [] };
}

/** Letters of a payload in a list. */
const maxPayload = 24;

/** `CARD 0, ace of spades, of account 1` */
function describeOutput(
  { symbol }: AssetDetails,
  { utxoId, groupId, payload, addresses }: UtxoList['utxos'][number],
  nameOf: (address: string) => string,
): Choice {
  const known = payload === undefined ? undefined : payloadKind(payload);
  const content = known === undefined ? undefined : 'text' in known ? known.text : payloadWord(known);
  const short = content !== undefined && content.length > maxPayload ? `${content.slice(0, maxPayload - 1)}…` : content;
  const parts = [groupId === undefined ? symbol : `${symbol} ${groupId}`, short, `of ${addresses.map(nameOf).join(' and ')}`];
  return { value: utxoId, text: parts.filter((part) => part !== undefined).join(', ') };
}

/** `2 AVAX to the P-Chain` */
function describeExport(
  { utxoID, assetID, amount, destinationChain, kind }: MethodJson<'dev.listAtomic'>['utxos'][number],
  assets: readonly AssetDetails[],
): Choice {
  const asset = assets.find(({ assetId }) => assetId === assetID);
  const what = amount === undefined ? (kind ?? '') : `${amountText(amount, asset?.denomination ?? 0)} ${asset?.symbol ?? shortId(assetID)}`;
  return { value: utxoID, text: `${what} to the ${destinationChain}-Chain` };
}
