import { type Address, addressFromBytes } from '../bytes/address.ts';
import { bech32Decode } from '../bytes/bech32.ts';
import { parseHex } from '../bytes/hex.ts';
import type { Id } from '../bytes/id.ts';
import { maxU64 } from '../bytes/octets.ts';
import { type AssetDefinition, type AvmGenesis, buildAvmGenesis, parseAvmGenesis } from './avm-genesis.ts';
import { avmChain, blockchainId } from './blockchain-id.ts';
import { at, each, entries, explained, type Place, parseExact, textAt, wholeAt, wrong } from './exact-json.ts';
import { GenesisError } from './fault.ts';

/** One more AVM chain to run beside X. */
export type ExtraChain = {
  readonly alias: string;
  readonly blockchainID: Id;
  readonly genesis: AvmGenesis;
  readonly fees: { readonly txFee: bigint; readonly createAssetTxFee: bigint };
};

/** What of the network a chain depends on: its number, the prefix of addresses, and fees for a chain that states none. */
export type ChainsNetwork = { readonly id: number; readonly hrp: string; readonly fees: ExtraChain['fees'] };

/**
 * Reads `--chains FILE`: a list of `{ alias, genesis, fees? }`, where `genesis` is what the AVM's static API took as arguments of
 * buildGenesis. Stricter than that API: what it let pass and a chain could not use is refused here.
 */
export function parseChainsFile(json: string, network: ChainsNetwork): ExtraChain[] {
  const places = each(parseExact(json));
  if (places.length > maxChains) throw new GenesisError(`at most ${maxChains} chains`, { code: 'CHAINS_TOO_MANY', max: maxChains });
  const taken = new Set(reserved);
  return places.map((place) => {
    onlyKnown(place, ['alias', 'genesis', 'fees']);
    const alias = freeAlias(at(place, 'alias'), taken);
    const genesis = parseAvmGenesis(buildAvmGenesis(network.id, assetsAt(at(place, 'genesis'), network)));
    refuseTwins(at(at(place, 'genesis'), 'genesisData'), genesis);
    return {
      alias,
      blockchainID: blockchainId(network.id, avmChain(alias, genesis.bytes)),
      genesis,
      fees: feesAt(at(place, 'fees'), network),
    };
  });
}

const maxChains = 64;

/** Names of the primary network's chains, and of health checks, which stand in one map with the chains'. */
const reserved = 'x p c avm platform evm bls bootstrapped database diskspace futureupgrade network router'.split(' ');

function freeAlias(place: Place, taken: Set<string>): string {
  const alias = textAt(place);
  const bad = (why: string) => new GenesisError(`${place.path}: ${JSON.stringify(alias)} ${why}`, { code: 'CHAINS_BAD_ALIAS', alias });
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(alias)) throw bad('must be 1 to 32 letters, digits, underscores or hyphens');
  if (taken.has(alias.toLowerCase())) throw bad('is taken');
  taken.add(alias.toLowerCase());
  return alias;
}

function feesAt(place: Place, network: ChainsNetwork): ExtraChain['fees'] {
  onlyKnown(place, ['txFee', 'createAssetTxFee']);
  const fee = (name: 'txFee' | 'createAssetTxFee') => {
    const given = at(place, name);
    return given.value === undefined ? network.fees[name] : wholeAt(given, maxU64, true);
  };
  return { txFee: fee('txFee'), createAssetTxFee: fee('createAssetTxFee') };
}

/** Peer: the arguments of vms/avm's static service, BuildGenesisArgs. */
function assetsAt(place: Place, network: ChainsNetwork): AssetDefinition[] {
  onlyKnown(place, ['networkID', 'genesisData', 'encoding']);
  const networkID = at(place, 'networkID');
  if (networkID.value !== undefined && Number(wholeAt(networkID, maxU64, true)) !== network.id)
    throw wrong(networkID, `must be ${network.id}, this network`);
  const encoding = textAt(at(place, 'encoding')) || 'hex';
  if (encoding !== 'hex' && encoding !== 'hexc' && encoding !== 'hexnc') throw wrong(at(place, 'encoding'), 'must be hex, hexc or hexnc');
  const data = at(place, 'genesisData');
  const assets = entries(data).map(([alias, asset]) => assetAt(alias, asset, network.hrp, encoding));
  if (assets.length === 0) throw wrong(data, 'must have at least one asset: the first by name pays the fees');
  return assets;
}

function assetAt(alias: string, place: Place, hrp: string, encoding: 'hex' | 'hexc' | 'hexnc'): AssetDefinition {
  onlyKnown(place, ['name', 'symbol', 'denomination', 'initialState', 'memo']);
  const state = at(place, 'initialState');
  onlyKnown(state, ['fixedCap', 'variableCap']);
  const definition: AssetDefinition = {
    alias,
    name: matching(at(place, 'name'), /^(?! )[A-Za-z0-9 ]{1,128}(?<! )$/, 'must be 1 to 128 letters, digits or inner blanks'),
    symbol: matching(at(place, 'symbol'), /^[A-Z]{1,4}$/, 'must be 1 to 4 capital letters'),
    denomination: Number(wholeAt(at(place, 'denomination'), 32n, true)),
    memo: explained(at(place, 'memo'), () => parseHex(encoding, textAt(at(place, 'memo')))),
    holders: each(at(state, 'fixedCap')).map((holder) => holderAt(holder, hrp)),
    minters: each(at(state, 'variableCap')).map((owners) => mintersAt(owners, hrp)),
  };
  if (alias === '' || alias.length > 128) throw wrong(place, 'the name of an asset must have 1 to 128 characters');
  if (definition.holders.length + definition.minters.length === 0) throw wrong(state, 'must have a holder or a minter');
  if (definition.holders.reduce((sum, holder) => sum + holder.amount, 0n) > maxU64)
    throw wrong(at(state, 'fixedCap'), `must not sum up to more than ${maxU64}`);
  return definition;
}

function holderAt(place: Place, hrp: string): AssetDefinition['holders'][number] {
  onlyKnown(place, ['amount', 'address']);
  const amount = wholeAt(at(place, 'amount'), maxU64, true);
  if (amount === 0n) throw wrong(at(place, 'amount'), 'must be more than 0');
  return { amount, address: addressUnder(hrp, at(place, 'address')) };
}

/** The peer makes every set of minters one of n, whatever threshold it was told; another one is refused rather than lost. */
function mintersAt(place: Place, hrp: string): Address[] {
  onlyKnown(place, ['minters', 'threshold']);
  const threshold = at(place, 'threshold');
  if (threshold.value !== undefined && wholeAt(threshold, maxU64, true) !== 1n)
    throw wrong(threshold, 'must be 1: an AVM genesis knows no other');
  const minters = each(at(place, 'minters')).map((minter) => addressUnder(hrp, minter));
  if (minters.length === 0 || new Set(minters).size !== minters.length)
    throw wrong(at(place, 'minters'), 'must be one or more different addresses');
  return minters;
}

/** Bare bech32 as the static API wants it, or with a chain before it as everyone else writes it. */
function addressUnder(hrp: string, place: Place): Address {
  const text = textAt(place).replace(/^[A-Za-z0-9_]*-/, '');
  const decoded = explained(place, () => bech32Decode(text));
  if (decoded.hrp !== hrp) throw wrong(place, `must be an address of this network, ${hrp}1…, but begins with ${decoded.hrp}1`);
  if (decoded.wholeBytes !== 20) throw wrong(place, `must be 20 bytes but is ${decoded.wholeBytes}`);
  return explained(place, () => addressFromBytes(decoded.bytes));
}

/** The alias is no part of an asset's transaction: two assets alike in all else would be one. */
function refuseTwins(place: Place, { assets }: AvmGenesis): void {
  const seen = new Set<Id>();
  for (const { alias, tx } of assets) {
    if (seen.has(tx.id)) throw wrong(place, `${JSON.stringify(alias)} is the same asset as another; give it another memo`);
    seen.add(tx.id);
  }
}

function matching(place: Place, pattern: RegExp, why: string): string {
  const text = textAt(place);
  if (!pattern.test(text)) throw wrong(place, why);
  return text;
}

/** A misspelt name must not pass for a default. */
function onlyKnown(place: Place, names: readonly string[]): void {
  for (const [name, value] of entries(place))
    if (!names.some((known) => known.toLowerCase() === name.toLowerCase())) throw wrong(value, `unknown; known here: ${names.join(', ')}`);
}
