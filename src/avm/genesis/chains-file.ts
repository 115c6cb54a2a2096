import { type Address, addressFromBytes } from '../../base/bytes/address.ts';
import { bech32Decode } from '../../base/bytes/bech32.ts';
import { parseHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import { maxU64 } from '../../base/bytes/octets.ts';
import { type AssetDefinition, type AvmGenesis, buildAvmGenesis, parseAvmGenesis } from './avm-genesis.ts';
import { avmChainDefinition, blockchainId } from './blockchain-id.ts';
import { entriesAt, fieldAt, fieldError, integerAt, itemsAt, type JsonNode, parseGenesisJson, stringAt, withPath } from './exact-json.ts';
import { GenesisError } from './fault.ts';

/** An AVM chain that runs in addition to the X-Chain. */
export type ExtraChain = {
  readonly alias: string;
  readonly blockchainID: Id;
  readonly genesis: AvmGenesis;
  readonly fees: { readonly txFee: bigint; readonly createAssetTxFee: bigint };
};

/** The network's ID, its address prefix, and the fees of chains that define none. */
type ChainsNetwork = { readonly id: number; readonly hrp: string; readonly fees: ExtraChain['fees'] };

/**
 * Parses `--chains FILE`: a list of `{ alias, genesis, fees? }`, where `genesis` has the arguments of buildGenesis of AvalancheGo's static
 * AVM API. Stricter than that API: values it accepted but a chain could not use are rejected.
 */
export function parseChainsFile(json: string, network: ChainsNetwork): ExtraChain[] {
  const nodes = itemsAt(parseGenesisJson(json));
  if (nodes.length > maxChains)
    throw new GenesisError(`too many chains: ${nodes.length}, at most ${maxChains} are allowed`, {
      code: 'CHAINS_TOO_MANY',
      max: maxChains,
    });
  const taken = new Set(reservedAliases);
  return nodes.map((node) => {
    rejectUnknownFields(node, ['alias', 'genesis', 'fees']);
    const alias = aliasAt(fieldAt(node, 'alias'), taken);
    const genesis = parseAvmGenesis(buildAvmGenesis(network.id, assetsAt(fieldAt(node, 'genesis'), network)));
    rejectDuplicateAssets(fieldAt(fieldAt(node, 'genesis'), 'genesisData'), genesis);
    return {
      alias,
      blockchainID: blockchainId(network.id, avmChainDefinition(alias, genesis.bytes)),
      genesis,
      fees: feesAt(fieldAt(node, 'fees'), network),
    };
  });
}

const maxChains = 64;

/** Names of the primary network's chains and of health checks, which share one map with the chains. */
const reservedAliases = 'x p c avm platform evm bls bootstrapped database diskspace futureupgrade network router'.split(' ');

function aliasAt(node: JsonNode, taken: Set<string>): string {
  const alias = stringAt(node);
  const bad = (why: string) => new GenesisError(`${node.path}: ${JSON.stringify(alias)} ${why}`, { code: 'CHAINS_BAD_ALIAS', alias });
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(alias)) throw bad('must be 1 to 32 letters, digits, underscores or hyphens');
  if (taken.has(alias.toLowerCase())) throw bad('is already used by another chain or a health check; choose another alias');
  taken.add(alias.toLowerCase());
  return alias;
}

function feesAt(node: JsonNode, network: ChainsNetwork): ExtraChain['fees'] {
  rejectUnknownFields(node, ['txFee', 'createAssetTxFee']);
  const fee = (name: 'txFee' | 'createAssetTxFee') => {
    const given = fieldAt(node, name);
    return given.value === undefined ? network.fees[name] : integerAt(given, maxU64, true);
  };
  return { txFee: fee('txFee'), createAssetTxFee: fee('createAssetTxFee') };
}

/** AvalancheGo: the arguments of vms/avm's static service, BuildGenesisArgs. */
function assetsAt(node: JsonNode, network: ChainsNetwork): AssetDefinition[] {
  rejectUnknownFields(node, ['networkID', 'genesisData', 'encoding']);
  const networkID = fieldAt(node, 'networkID');
  if (networkID.value !== undefined && Number(integerAt(networkID, maxU64, true)) !== network.id)
    throw fieldError(networkID, `must be ${network.id}, the ID of this network`);
  const encoding = stringAt(fieldAt(node, 'encoding')) || 'hex';
  if (encoding !== 'hex' && encoding !== 'hexc' && encoding !== 'hexnc')
    throw fieldError(fieldAt(node, 'encoding'), 'must be hex, hexc or hexnc');
  const data = fieldAt(node, 'genesisData');
  const assets = entriesAt(data).map(([alias, asset]) => assetAt(alias, asset, network.hrp, encoding));
  if (assets.length === 0) throw fieldError(data, 'must have at least one asset: fees are paid in the first by name');
  return assets;
}

function assetAt(alias: string, node: JsonNode, hrp: string, encoding: 'hex' | 'hexc' | 'hexnc'): AssetDefinition {
  rejectUnknownFields(node, ['name', 'symbol', 'denomination', 'initialState', 'memo']);
  const state = fieldAt(node, 'initialState');
  rejectUnknownFields(state, ['fixedCap', 'variableCap']);
  const definition: AssetDefinition = {
    alias,
    name: matchingStringAt(fieldAt(node, 'name'), /^(?! )[A-Za-z0-9 ]{1,128}(?<! )$/, 'must be 1 to 128 letters, digits or inner spaces'),
    symbol: matchingStringAt(fieldAt(node, 'symbol'), /^[A-Z]{1,4}$/, 'must be 1 to 4 capital letters'),
    denomination: Number(integerAt(fieldAt(node, 'denomination'), 32n, true)),
    memo: withPath(fieldAt(node, 'memo'), () => parseHex(encoding, stringAt(fieldAt(node, 'memo')))),
    holders: itemsAt(fieldAt(state, 'fixedCap')).map((holder) => holderAt(holder, hrp)),
    minters: itemsAt(fieldAt(state, 'variableCap')).map((owners) => mintersAt(owners, hrp)),
  };
  if (alias === '' || alias.length > 128) throw fieldError(node, 'the name of an asset must have 1 to 128 characters');
  if (definition.holders.length + definition.minters.length === 0) throw fieldError(state, 'must have a holder or a minter');
  if (definition.holders.reduce((sum, holder) => sum + holder.amount, 0n) > maxU64)
    throw fieldError(fieldAt(state, 'fixedCap'), `must not sum up to more than ${maxU64}`);
  return definition;
}

function holderAt(node: JsonNode, hrp: string): AssetDefinition['holders'][number] {
  rejectUnknownFields(node, ['amount', 'address']);
  const amount = integerAt(fieldAt(node, 'amount'), maxU64, true);
  if (amount === 0n) throw fieldError(fieldAt(node, 'amount'), 'must be more than 0');
  return { amount, address: networkAddressAt(hrp, fieldAt(node, 'address')) };
}

/** AvalancheGo ignores the threshold and always uses 1. Another value is rejected here, so that it is not lost silently. */
function mintersAt(node: JsonNode, hrp: string): Address[] {
  rejectUnknownFields(node, ['minters', 'threshold']);
  const threshold = fieldAt(node, 'threshold');
  if (threshold.value !== undefined && integerAt(threshold, maxU64, true) !== 1n)
    throw fieldError(threshold, 'must be 1: an AVM genesis supports no other threshold');
  const minters = itemsAt(fieldAt(node, 'minters')).map((minter) => networkAddressAt(hrp, minter));
  if (minters.length === 0 || new Set(minters).size !== minters.length)
    throw fieldError(fieldAt(node, 'minters'), 'must be one or more different addresses');
  return minters;
}

/** An address in bech32, as in the static API, or with a chain alias before it, such as `X-local1…`. */
function networkAddressAt(hrp: string, node: JsonNode): Address {
  const text = stringAt(node).replace(/^[A-Za-z0-9_]*-/, '');
  const decoded = withPath(node, () => bech32Decode(text));
  if (decoded.hrp !== hrp) throw fieldError(node, `must be an address of this network, ${hrp}1…, but begins with ${decoded.hrp}1`);
  if (decoded.unpaddedLength !== 20) throw fieldError(node, `must be 20 bytes but is ${decoded.unpaddedLength}`);
  return withPath(node, () => addressFromBytes(decoded.bytes));
}

/** The alias is not part of an asset's transaction, so two assets that differ only in alias would have the same ID. */
function rejectDuplicateAssets(node: JsonNode, { assets }: AvmGenesis): void {
  const seen = new Set<Id>();
  for (const { alias, tx } of assets) {
    if (seen.has(tx.id)) throw fieldError(node, `${JSON.stringify(alias)} is identical to another asset; give it a different memo`);
    seen.add(tx.id);
  }
}

function matchingStringAt(node: JsonNode, pattern: RegExp, why: string): string {
  const text = stringAt(node);
  if (!pattern.test(text)) throw fieldError(node, why);
  return text;
}

/** Rejects misspelled names, which would otherwise be ignored. */
function rejectUnknownFields(node: JsonNode, names: readonly string[]): void {
  for (const [name, value] of entriesAt(node))
    if (!names.some((known) => known.toLowerCase() === name.toLowerCase()))
      throw fieldError(value, `unknown field; allowed fields: ${names.join(', ')}`);
}
