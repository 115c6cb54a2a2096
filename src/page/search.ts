import { looksLikeAddress, nearestAddress, parseAddressText } from './address-text.ts';
import type { AssetDetails, Block, Tx } from './data-types.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { callIfAllowed, readIfFound, type Source } from './source.ts';
import { groupDigits } from './text-format.ts';

/** A page that a search found. */
export type Match = { readonly href: string; readonly word: string; readonly note: string };
export type SearchResult = { readonly matches: readonly Match[]; readonly nearest: Match | undefined };

/** The longest text that is searched for: the hex of the largest transaction. */
export const maxQuery = 262_144;

/** Finds the pages for a text: a height, an ID, any spelling of an address, or the hex of a transaction. */
export async function search(source: Source, context: PageContext, text: string): Promise<SearchResult> {
  const query = text.trim();
  const found = (...matches: (Match | undefined)[]): SearchResult => ({
    matches: matches.filter((match) => match !== undefined),
    nearest: undefined,
  });
  const base = chainPath(context);
  const digits = query.replaceAll(',', '');
  if (/^\d{1,15}$/.test(digits)) {
    const block = await readIfFound<Block>(source, `${base}/blocks/${digits}`);
    return found(block && { href: `/block/${block.blockNumber}`, word: `Block ${groupDigits(block.blockNumber)}`, note: block.blockHash });
  }
  const address = parseAddressText(context, query);
  if (address !== undefined) return found({ href: `/address/${address.address}`, word: address.address, note: 'address' });
  if (looksLikeAddress(query)) {
    const near = nearestAddress(context, query);
    return {
      matches: [],
      nearest: near === undefined ? undefined : { href: `/address/${near}`, word: near, note: 'one letter differs; its checksum is right' },
    };
  }
  if (/^(0x)?[0-9a-fA-F]{64,}$/.test(query)) return found(await findHex(source, context, query));
  if (query.length > 60 || !/^[1-9A-HJ-NP-Za-km-z]{40,60}$/.test(query)) return found(await findSymbol(source, context, query));
  const [tx, block, asset] = await Promise.all([
    readIfFound<Tx>(source, `${base}/transactions/${query}`),
    readIfFound<Block>(source, `${base}/blocks/${query}`),
    readIfFound<AssetDetails>(source, `${base}/assets/${query}`),
  ]);
  // The ID of an asset is that of the transaction that created it.
  return found(
    asset && { href: `/asset/${asset.assetId}`, word: `Asset ${asset.name}`, note: asset.symbol },
    tx && { href: `/tx/${tx.txHash}`, word: `Transaction ${tx.txHash}`, note: `in block ${groupDigits(tx.blockHeight)}` },
    block && { href: `/block/${block.blockNumber}`, word: `Block ${groupDigits(block.blockNumber)}`, note: block.blockHash },
  );
}

/** The transaction whose bytes these are; only a dev chain decodes bytes. */
async function findHex(source: Source, { has }: PageContext, query: string): Promise<Match | undefined> {
  if (!has.dev) return undefined;
  const bytes = query.startsWith('0x') ? query : `0x${query}`;
  const decoded = await callIfAllowed<{ kind: string; id: string }>(source, '/ext/dev', 'dev.decode', { bytes });
  if (decoded?.kind === 'tx') return { href: `/tx/${decoded.id}`, word: `Transaction ${decoded.id}`, note: 'decoded from its bytes' };
  return decoded?.kind === 'block'
    ? { href: `/block/${decoded.id}`, word: `Block ${decoded.id}`, note: 'decoded from its bytes' }
    : undefined;
}

/** The symbol of the fee asset; others have no list yet. */
async function findSymbol(_source: Source, { chain }: PageContext, query: string): Promise<Match | undefined> {
  if (query.toUpperCase() !== chain.feeSymbol.toUpperCase()) return undefined;
  return { href: `/asset/${chain.feeAsset}`, word: `Asset ${chain.feeSymbol}`, note: chain.feeAsset };
}
