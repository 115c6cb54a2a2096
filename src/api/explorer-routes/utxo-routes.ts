import { refId } from '../../avm/tx/utxo.ts';
import { type Id, idText, parseId } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import type { OutputEntry } from '../../ledger/index-read/index-reads.ts';
import { chainParams, chainPath, networkSpelling, requireChain } from '../data/chain.ts';
import { lookUpImports } from '../data/foreign-imports.ts';
import { joinPage } from '../data/json-page.ts';
import { listMetadata } from '../data/list-metadata.ts';
import { atOneEpoch } from '../data/one-epoch.ts';
import { countWithinBytes, cutPage, openListing, pageParams } from '../data/paging.ts';
import type { Piece } from '../data/piece-cache.ts';
import { listSchema, UtxoSchema } from '../data/schemas.ts';
import { readUtxoPieces } from '../data/utxo-pieces.ts';
import { addresses } from '../rest/addresses.ts';
import { apiError, notFound } from '../rest/api-error.ts';
import type { Param } from '../rest/param.ts';
import { assetId, bool, pathId, sortOrder } from '../rest/params.ts';
import { quoteValue } from '../rest/quote-value.ts';
import { renderedJson } from '../rest/rendered-json.ts';
import { type ApiRoute, routeDefiner } from '../rest/route.ts';
import { type ExplorerDeps, explorerOf } from './deps.ts';

const defineRoute = routeDefiner<ExplorerDeps>();

export const outputRoutes: readonly ApiRoute<ExplorerDeps>[] = [
  defineRoute({
    method: 'GET',
    path: `${chainPath}/utxos/{utxoId}`,
    id: 'getUtxo',
    tag: 'Explorer',
    summary: 'One output, spent or not: the transactions that created and spent it are in it',
    params: { ...chainParams, utxoId: utxoParam() },
    response: UtxoSchema,
    cachePolicy: 'block-and-second',
    run: async (deps, { utxoId, ...chainRef }) => {
      const chain = requireChain(deps.served, chainRef);
      const { hrp } = networkSpelling(deps.served, chainRef.network);
      const piece = await atOneEpoch(deps.epoch, async (epoch): Promise<Piece | undefined> => {
        const find = async () => (await explorerOf(chain).outputs([utxoId], await chain.reads.tip()))[0];
        const found = await find();
        const isUnspentExport = found !== undefined && found.spent === undefined && found.consumedOn !== chain.id;
        const areImportsKnown = await lookUpImports(chain, isUnspentExport ? [found.utxo] : []);
        const entry = isUnspentExport ? await find() : found;
        return entry && (await readUtxoPieces(deps, { chain, hrp, epoch, entries: [entry], areImportsKnown }))[0];
      });
      if (piece === undefined) throw notFound(`No output ${idText(utxoId)} on ${chain.slug}`);
      return renderedJson(piece.bytes);
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${chainPath}/shared-utxos`,
    id: 'listSharedUtxos',
    tag: 'Explorer',
    summary: 'Outputs that addresses own together with others and cannot spend alone, newest first by default',
    description:
      'Outputs of which the addresses are owners, but too few to reach the threshold. The balance and UTXO routes leave them out. Exported outputs are not listed: they left this chain, see /cross-chain/transfers.',
    params: {
      ...chainParams,
      addresses: addresses({ required: true }),
      assetId,
      includeSpent: bool('Include spent outputs.'),
      ...pageParams,
      sortOrder: sortOrder(),
    },
    response: listSchema('ListSharedUtxosResponse', 'utxos', UtxoSchema),
    cachePolicy: 'pinned-page-or-second',
    run: async (
      deps,
      { addresses: requested, assetId: asset, includeSpent, pageSize: limit, sortOrder: order, ...chainRef },
      { paging },
    ) => {
      const chain = requireChain(deps.served, chainRef);
      await chain.backfillAddresses?.(requested.owners);
      const spelling = networkSpelling(deps.served, chainRef.network, requested);
      const sort = { sortBy: 'timestamp', order, minAmount: 0n, limit: limit + 1 } as const;
      const { listing, entries, pieces } = await atOneEpoch(deps.epoch, async (epoch) => {
        const listing = await openListing(chain.reads, paging);
        const query = { ...listing, ...sort, addresses: requested.owners, asset, includeSpent };
        const entries = await explorerOf(chain).sharedOutputs(query);
        const shown = entries.slice(0, countWithinBytes(entries, limit, sizeOf));
        const areImportsKnown = chain.foreignImports !== 'unknown';
        const pieces = await readUtxoPieces(deps, { chain, hrp: spelling.hrp, epoch, entries: shown, areImportsKnown });
        return { listing, entries, pieces };
      });
      const { nextPageToken } = cutPage(entries, listing, { limit, seqOf: ({ seq }) => seq, bytesOf: sizeOf, paging });
      return joinPage({ name: 'utxos', pieces, nextPageToken, metadata: await listMetadata(spelling, chain) });
    },
  }),
];

/** Size of an output in bytes. Does not decode a stored output. */
const sizeOf = (entry: OutputEntry): number => entry.stored?.length ?? entry.utxo.bytes.length;

/** An output by its ID, or by transaction ID and index. */
function utxoParam(): Param<Id> {
  const plain = pathId({ description: 'A UTXO ID, or a transaction ID and the index of the output: `txID:0`.' });
  return {
    ...plain,
    read: ([text = ''], name) => {
      const id = parseUtxoId(text);
      if (id === undefined) throw apiError(400, `${name} must be a UTXO ID or txID:index, not ${quoteValue(text)}`);
      return id;
    },
  };
}

/** The UTXO ID of a CB58 text or of `txID:index`; undefined if the text is neither. */
export function parseUtxoId(text: string): Id | undefined {
  const [id = '', index, ...more] = text.split(':', 3);
  if (more.length > 0 || (index !== undefined && !/^[0-9]{1,10}$/.test(index)) || Number(index ?? 0) > 0xffff_ffff) return undefined;
  try {
    const parsed = parseId(id);
    return index === undefined ? parsed : refId({ txID: parsed, outputIndex: Number(index) });
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
