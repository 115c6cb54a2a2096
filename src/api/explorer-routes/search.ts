import { parseTx } from '../../avm/tx/tx.ts';
import { type Address, addressFromBytes, addressLength, parseShortId, shortIdText } from '../../base/bytes/address.ts';
import { bech32Decode, correctBech32 } from '../../base/bytes/bech32.ts';
import { correctCb58 } from '../../base/bytes/cb58.ts';
import { fromHex, toHex } from '../../base/bytes/hex.ts';
import { type Id, idLength, idText, parseId } from '../../base/bytes/id.ts';
import { unlessFault } from '../../base/fault.ts';
import { searchRows } from '../contract/explorer-routes.ts';
import { networkSpelling, requireChain } from '../data/chain.ts';
import type { LiveReason } from '../rest/live-reads.ts';
import { implementRoutes } from '../rest/route.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import { parseUtxoId } from '../rest/utxo-id.ts';
import { type RawJson, rawJson } from '../rpc/write-json.ts';
import { type ExplorerDeps, explorerOf } from './deps.ts';
import { writePendingTxs } from './pending-tx.ts';
import { findShortenedAddresses, findShortenedIds, maxShortened } from './shortened-name.ts';

type SearchResult = {
  readonly kind: 'block' | 'transaction' | 'asset' | 'utxo' | 'address' | 'node' | 'signedTransaction';
  readonly id: string;
  readonly title?: string | undefined;
  readonly status?: string | undefined;
  readonly link?: string | undefined;
  /** Whether the text is only a part of what the result is called. */
  readonly isPartial?: true;
  /** Of a signed transaction that is not accepted: whether it could be issued now, and why not. */
  readonly isIssuable?: boolean | undefined;
  readonly refusal?: LiveReason | undefined;
  /** The JSON of a signed transaction, without braces. */
  readonly content?: string | undefined;
};

type ChainRef = { readonly network: string; readonly blockchainId: string };
type Search = { readonly deps: ExplorerDeps; readonly chain: ServedChain; readonly root: string; readonly hrp: string };

/** Assets listed for one symbol or name. */
const maxAssets = 10;

/** Finds everything that a text names. Each kind of text is tried; most texts fit one. */
async function search(deps: ExplorerDeps, chain: ServedChain, { network, blockchainId }: ChainRef, query: string): Promise<RawJson> {
  const root = `/v1/networks/${encodeURIComponent(network)}/blockchains/${encodeURIComponent(blockchainId)}`;
  const context = { deps, chain, root, hrp: networkSpelling(deps.served, network).hrp };
  const text = nameIn(query.trim());
  const [found, named] = await Promise.all([Promise.all(finders.map((find) => find(text, context))), findNamedAssets(text, context)]);
  const results = [...found.flat(), ...named.results];
  const didYouMean = results.length === 0 ? correct(text) : undefined;
  const parts = [`"query":${JSON.stringify(query)}`, `"results":[${results.map(writeResult).join()}]`, `"moreResults":${named.more}`];
  if (didYouMean !== undefined) parts.push(`"didYouMean":${JSON.stringify(didYouMean)}`);
  return rawJson(`{${parts.join()}}`);
}

/** What a URL of this or of another explorer names: the last part of its path, or its query. Other texts are returned as they are. */
function nameIn(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return text;
  const { pathname, searchParams } = new URL(text);
  const name = searchParams.get('q') ?? pathname.split('/').findLast((part) => part !== '');
  return name ?? text;
}

const writeResult = ({ content, ...facts }: SearchResult): string =>
  content === undefined ? JSON.stringify(facts) : `${JSON.stringify(facts).slice(0, -1)},"transaction":{${content}}}`;

type Finder = (text: string, search: Search) => Promise<readonly SearchResult[]>;

const findHeight: Finder = async (text, { chain, root }) => {
  const [, digits] = /^#?([0-9]{1,15}|[0-9]{1,3}(?:,[0-9]{3}){1,4})$/.exec(text) ?? [];
  if (digits === undefined) return [];
  const tip = await chain.reads.tip();
  const height = Number(digits.replaceAll(',', ''));
  return height > tip.height ? [] : [{ kind: 'block', id: String(height), link: `${root}/blocks/${height}` }];
};

/** An ID may name several things: an asset has the ID of the transaction that created it. */
const findId: Finder = async (text, search) => {
  const id = idIn(text);
  const utxoID = id ?? parseUtxoId(text);
  const results = await Promise.all([
    ...(id === undefined ? [] : [findBlock(id, search), findTx(id, search), findAssets([id], search)]),
    ...(utxoID === undefined ? [] : [findUtxo(utxoID, search)]),
  ]);
  return results.flat();
};

async function findBlock(id: Id, { chain, root }: Search): Promise<SearchResult[]> {
  const block = await explorerOf(chain).blockTxs({ id });
  const tip = await chain.reads.tip();
  return block === undefined || block.height > tip.height ? [] : [{ kind: 'block', id: idText(id), link: `${root}/blocks/${idText(id)}` }];
}

async function findTx(id: Id, { chain, root }: Search): Promise<SearchResult[]> {
  const link = `${root}/transactions/${idText(id)}`;
  if ((await chain.reads.txSeq(id, await chain.reads.tip())) !== undefined) return [{ kind: 'transaction', id: idText(id), link }];
  const pending = await chain.live?.lifecycle(id);
  return pending === undefined ? [] : [{ kind: 'transaction', id: idText(id), status: pending.status, link: `${link}/lifecycle` }];
}

async function findAssets(ids: readonly Id[], { chain, root }: Search): Promise<SearchResult[]> {
  const entries = await chain.reads.assets(ids);
  return ids.flatMap((id): SearchResult[] => {
    const entry = entries.get(id);
    if (entry === undefined) return [];
    return [{ kind: 'asset', id: idText(id), title: `${entry.name} (${entry.symbol})`, link: `${root}/assets/${idText(id)}` }];
  });
}

async function findUtxo(id: Id, { chain, root }: Search): Promise<SearchResult[]> {
  const entry = await explorerOf(chain).outputById(id, await chain.reads.tip());
  return entry === undefined ? [] : [{ kind: 'utxo', id: idText(id), link: `${root}/utxos/${idText(id)}` }];
}

const findAddress: Finder = async (text, { deps, hrp, root }) => {
  const address = addressIn(text);
  if (address === undefined) return [];
  const id = deps.addressFormatter(hrp)(address);
  return [{ kind: 'address', id, link: `${root}/balances?addresses=${id}` }];
};

const findNode: Finder = async (text, { deps, root }) => {
  if (!text.startsWith(nodePrefix)) return [];
  const short = unlessFault(() => parseShortId(text.slice(nodePrefix.length)));
  if (short === undefined) return [];
  const id = nodePrefix + shortIdText(short);
  return [{ kind: 'node', id, link: deps.served.builder === undefined ? undefined : `${root}/nodes/${id}/blocks` }];
};

/** Names that are shortened as lists show them. An asset has the ID of the transaction that created it. */
const findShortened: Finder = async (text, search) => {
  const { chain, deps, hrp, root } = search;
  const reads = explorerOf(chain);
  const [addresses, txs, blocks, utxos] = await Promise.all([
    findShortenedAddresses(text, hrp, reads),
    findShortenedIds(text, 'tx', reads),
    findShortenedIds(text, 'block', reads),
    findShortenedIds(text, 'utxo', reads),
  ]);
  const spelled = addresses.map(deps.addressFormatter(hrp));
  return [
    ...spelled.map((id): SearchResult => ({ kind: 'address', id, link: `${root}/balances?addresses=${id}` })),
    ...(await findAssets(txs, search)),
    ...txs.map(idText).map((id): SearchResult => ({ kind: 'transaction', id, link: `${root}/transactions/${id}` })),
    ...blocks.map(idText).map((id): SearchResult => ({ kind: 'block', id, link: `${root}/blocks/${id}` })),
    ...utxos.map(idText).map((id): SearchResult => ({ kind: 'utxo', id, link: `${root}/utxos/${id}` })),
  ]
    .slice(0, maxShortened)
    .map(markPartial);
};

/** The oldest assets with a symbol or name, then those that contain the text, and how many more there are. */
async function findNamedAssets(
  text: string,
  search: Search,
): Promise<{ readonly results: readonly SearchResult[]; readonly more: number }> {
  // An ID or an address, which most searches are for, is not the name of an asset.
  const isName = text.length > 0 && text.length <= maxNameLength && idIn(text) === undefined && addressIn(text) === undefined;
  if (!isName) return { results: [], more: 0 };
  const { exact, partial, total } = await explorerOf(search.chain).assetsMatching(text, maxAssets);
  const results = [...(await findAssets(exact, search)), ...(await findAssets(partial, search)).map(markPartial)];
  return { results, more: total - results.length };
}

const markPartial = (result: SearchResult): SearchResult => ({ ...result, isPartial: true });

/** A transaction in hex, as `avm.issueTx` takes it (with or without its checksum). */
const findSignedTx: Finder = async (text, search) => {
  const digits = hexDigits(text);
  if (digits === undefined || digits.length <= idLength * 2) return [];
  const bytes = fromHex(digits);
  const tx = unlessFault(() => parseTx(bytes)) ?? unlessFault(() => parseTx(bytes.subarray(0, -checksumBytes)));
  if (tx === undefined) return [];
  const [known] = await findTx(tx.id, search);
  const { deps, chain, hrp } = search;
  const isNew = known === undefined || known.status === 'Unknown' || known.status === 'Rejected';
  const refusal = isNew ? await chain.live?.refusal(toHex(tx.bytes)) : undefined;
  const [content] = await writePendingTxs(deps, chain, hrp, [{ tx, time: deps.served.now() }]);
  return [
    {
      kind: 'signedTransaction',
      id: idText(tx.id),
      title: tx.unsigned.kind,
      status: known === undefined ? 'Unknown' : (known.status ?? 'Accepted'),
      isIssuable: refusal === undefined ? undefined : refusal === null,
      refusal: refusal ?? undefined,
      link: known?.link,
      content,
    },
  ];
};

const finders: readonly Finder[] = [findHeight, findId, findAddress, findNode, findSignedTx, findShortened];

const nodePrefix = 'NodeID-';
const checksumBytes = 4;
/** The longest name of an asset. AvalancheGo: vms/avm/txs/executor/syntactic_verifier.go. */
const maxNameLength = 128;

/** The digits of an even number of hex digits, with or without 0x. */
const hexDigits = (text: string): string | undefined => {
  const [, digits] = /^(?:0x)?((?:[0-9a-f]{2})+)$/i.exec(text) ?? [];
  return digits?.toLowerCase();
};

function idIn(text: string): Id | undefined {
  const digits = hexDigits(text);
  if (digits?.length === idLength * 2) return digits as Id;
  return unlessFault(() => parseId(text));
}

/** An address in bech32 with any prefix, in CB58, or in hex. */
function addressIn(text: string): Address | undefined {
  const digits = hexDigits(text);
  if (digits?.length === addressLength * 2) return digits as Address;
  return (
    unlessFault(() => {
      const { bytes, unpaddedLength } = bech32Decode(text.replace(chainPrefix, ''));
      return unpaddedLength === addressLength ? addressFromBytes(bytes) : undefined;
    }) ?? unlessFault(() => parseShortId(text.replace(chainPrefix, '')))
  );
}

const chainPrefix = /^[XPC]-/;

/** Texts with one character changed that are a valid address or ID. */
function correct(text: string): string[] | undefined {
  const [prefix = ''] = /^(?:[XPC]-|NodeID-)/.exec(text) ?? [];
  const rest = text.slice(prefix.length);
  if (rest.length < minCorrected || rest.length > maxCorrected) return undefined;
  const length = prefix === nodePrefix || rest.length <= maxShortIdText ? addressLength : idLength;
  const corrected = [prefix === nodePrefix ? undefined : correctBech32(rest), correctCb58(rest, length)];
  const valid = corrected.flatMap((one) => (one !== undefined && isValid(prefix, one) ? [prefix + one] : []));
  return valid.length === 0 ? undefined : valid;
}

const isValid = (prefix: string, text: string): boolean =>
  prefix === nodePrefix ? unlessFault(() => parseShortId(text)) !== undefined : idIn(text) !== undefined || addressIn(text) !== undefined;

/** Lengths of texts that can be an address or an ID: 20 bytes in CB58 have up to 33 characters, 32 bytes up to 51, bech32 up to 90. */
const [minCorrected, maxShortIdText, maxCorrected] = [20, 33, 90];

/** Finds what a text may be: a block, transaction, asset, output, address, node or signed transaction. Its row is in contract/explorer-routes.ts. */
export const searchRoutes = implementRoutes<ExplorerDeps>()(searchRows, {
  search: async (deps, { q, ...chainRef }) => search(deps, requireChain(deps.served, chainRef), chainRef, q),
});
