import { idText } from '../../base/bytes/id.ts';
import type { OutputEntry } from '../../ledger/index-read/index-reads.ts';
import { outputRows } from '../contract/explorer-routes.ts';
import { readBackfilled } from '../data/backfilled-read.ts';
import { listMetadata, networkSpelling, requireChain } from '../data/chain.ts';
import { lookUpImports } from '../data/foreign-imports.ts';
import { joinPage } from '../data/json-page.ts';
import { atOneEpoch } from '../data/one-epoch.ts';
import { countWithinBytes, cutPage, openListing } from '../data/paging.ts';
import type { Piece } from '../data/piece-cache.ts';
import { readUtxoPieces } from '../data/utxo-pieces.ts';
import { notFound } from '../rest/api-error.ts';
import { implementRoutes } from '../rest/route.ts';
import { rawJson } from '../rpc/write-json.ts';
import { type ExplorerDeps, explorerOf } from './deps.ts';

/** One output by its ID, and the outputs that addresses own with others. Their rows are `outputRows` in contract/explorer-routes.ts. */
export const outputRoutes = implementRoutes<ExplorerDeps>()(outputRows, {
  getUtxo: async (deps, { utxoId, ...chainRef }) => {
    const chain = requireChain(deps.served, chainRef);
    const { hrp } = networkSpelling(deps.served, chainRef.network);
    const piece = await atOneEpoch(deps.epoch, async (epoch): Promise<Piece | undefined> => {
      const find = async () => explorerOf(chain).outputById(utxoId, await chain.reads.tip());
      const found = await find();
      const isUnspentExport = found !== undefined && found.spent === undefined && found.consumedOn !== chain.id;
      const areImportsKnown = await lookUpImports(chain, isUnspentExport ? [found.utxo] : []);
      const entry = isUnspentExport ? await find() : found;
      return entry && (await readUtxoPieces(deps, { chain, hrp, epoch, entries: [entry], areImportsKnown }))[0];
    });
    if (piece === undefined) throw notFound(`No output ${idText(utxoId)} on ${chain.slug}`);
    return rawJson(piece.bytes);
  },
  listSharedUtxos: async (
    deps,
    { addresses: requested, assetId: asset, includeSpent, sortBy, pageSize: limit, sortOrder: order, ...chainRef },
    { paging },
  ) => {
    const chain = requireChain(deps.served, chainRef);
    const spelling = networkSpelling(deps.served, chainRef.network, requested);
    const sort = { sortBy, order, minAmount: 0n, limit: limit + 1 };
    const readPage = async (epoch: number, areImportsKnown: boolean) => {
      const listing = await openListing(chain.reads, paging);
      const query = { ...listing, ...sort, addresses: requested.owners, asset, includeSpent };
      const { outputs: entries, readTo } = await explorerOf(chain).sharedOutputs(query);
      const shown = entries.slice(0, countWithinBytes(entries, limit, sizeOf));
      const pieces = await readUtxoPieces(deps, { chain, hrp: spelling.hrp, epoch, entries: shown, areImportsKnown });
      return { listing, entries, readTo, pieces };
    };
    const { listing, entries, readTo, pieces } = await readBackfilled(chain, requested.owners, (areImportsKnown) =>
      atOneEpoch(deps.epoch, (epoch) => readPage(epoch, areImportsKnown)),
    );
    const { nextPageToken } = cutPage(entries, listing, { limit, seqOf: ({ seq }) => seq, bytesOf: sizeOf, readTo, paging });
    return joinPage({ name: 'utxos', pieces, nextPageToken, metadata: await listMetadata(spelling, chain) });
  },
});

/** Size of an output in bytes. */
const sizeOf = ({ stored }: OutputEntry): number => stored.length;
