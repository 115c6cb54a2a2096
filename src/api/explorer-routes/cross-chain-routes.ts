import { isIncompleteImport } from '../../avm/tx/incomplete-utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { assetTypeOf, listedAmount } from '../../ledger/index/output-amount.ts';
import type { AtomicList, CrossChainTransfer } from '../../ledger/index-read/explorer-reads.ts';
import type { PinnedBlock } from '../../ledger/index-read/index-reads.ts';
import { crossChainRows } from '../contract/explorer-routes.ts';
import { listMetadata, networkSpelling, renderChainInfo, requireChain } from '../data/chain.ts';
import { lookUpImports } from '../data/foreign-imports.ts';
import { createAmountSums, type LabelOf, renderAmount, renderAmounts } from '../data/render-asset.ts';
import { notFound } from '../rest/api-error.ts';
import { implementRoutes } from '../rest/route.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import { type ExplorerDeps, explorerOf } from './deps.ts';

/** The most outputs that are added up per direction. */
const maxOutputs = 10_000;

/**
 * The explorer's routes about outputs that move between chains: sums of those that are in shared memory, exported and not yet imported, and the
 * list of transfers. Paths and parameters of the routes are `crossChainRows` in contract/explorer-routes.ts.
 */
export const crossChainRoutes = implementRoutes<ExplorerDeps>()(crossChainRows, {
  getCrossChainBalances: async (deps, chainRef) => {
    const chain = requireChain(deps.served, chainRef);
    const { outbound, inbound, areImportsKnown } = await readAtomicOutputs(chain);
    const all = [...outbound.outputs, ...(inbound?.outputs ?? [])];
    const { labelOf } = await deps.assetLabels(chain)(all.map(({ utxo }) => utxo.assetID));
    // `inbound` is undefined, and then not part of `isComplete`, if this node does not know what other chains have exported to this one.
    return {
      outbound: sumByChain(outbound, labelOf, areImportsKnown),
      inbound: inbound && sumByChain(inbound, labelOf, true),
      isComplete: outbound.isComplete && inbound?.isComplete !== false,
      chainInfo: renderChainInfo(networkSpelling(deps.served, chainRef.network), chain),
    };
  },
  listCrossChainTransfers: async (deps, { afterUtxoId, pageSize: limit, sortOrder: order, ...chainRef }, { paging }) => {
    const chain = requireChain(deps.served, chainRef);
    const tip = await chain.reads.tip();
    const after = paging.cursor?.after ?? (afterUtxoId && (await findTransfer(chain, afterUtxoId, tip)));
    const rows = await explorerOf(chain).transfers({ after, order, limit: limit + 1 });
    const items = rows.slice(0, limit);
    const spelling = networkSpelling(deps.served, chainRef.network);
    const { labelOf } = await deps.assetLabels(chain)(items.map(({ utxo }) => utxo.assetID));
    const format = deps.addressFormatter(spelling.hrp);
    const last = rows.length > limit ? items[limit - 1] : undefined;
    return {
      // The next page starts after `after`. With the height, `serac api` waits until the database that it reads has that block.
      nextPageToken: last && paging.nextPageToken({ height: tip.height, after: last.seq }),
      transfers: items.map((transfer) => renderTransfer(transfer, chain, labelOf, format)),
      ...(await listMetadata(spelling, chain)),
    };
  },
});

/** The number of an output that moved between chains. */
async function findTransfer(chain: ServedChain, id: Id, tip: PinnedBlock): Promise<number> {
  const entry = await explorerOf(chain).outputById(id, tip);
  if (entry === undefined || entry.seq >= 0) throw notFound(`No output ${idText(id)} moved from or to ${chain.slug}`);
  return -entry.seq;
}

/**
 * Reads the outputs in shared memory. No block of this chain shows which exports the P- and C-Chain have imported. `foreignImports` says how this
 * node knows it: undefined, it always does; `looked-up`, it asks a node that runs those chains; `unknown`, it never does. A lookup marks the
 * imported outputs in the database; the outputs are then read again, without them.
 */
async function readAtomicOutputs(chain: ServedChain) {
  const read = () => explorerOf(chain).atomicOutputs(maxOutputs);
  // A lookup is a backfill: it fetches what the blocks of this chain do not contain. `backfills` counts those after which a read may find something
  // else; only the chains of `serac api` have it.
  const backfillsBefore = chain.backfills?.();
  const found = await read();
  const { outputs } = found.outbound;
  const areImportsKnown = await lookUpImports(
    chain,
    outputs.map(({ utxo }) => utxo),
  );
  // Without the count it is not known whether this lookup has changed anything.
  const mayHaveChanged = chain.backfills === undefined || chain.backfills() !== backfillsBefore;
  const isOutdated = mayHaveChanged && outputs.length > 0 && chain.foreignImports === 'looked-up';
  const outputsNow = isOutdated ? await read() : found;
  return { ...outputsNow, areImportsKnown };
}

/** Sums per other chain and asset. Unless `areImportsKnown`, some of the outputs may have been imported already. */
function sumByChain({ outputs }: AtomicList, labelOf: LabelOf, areImportsKnown: boolean) {
  const byChain = new Map<Id, { count: number; readonly sums: ReturnType<typeof createAmountSums> }>();
  for (const { otherChain, utxo } of outputs) {
    const total = byChain.get(otherChain) ?? { count: 0, sums: createAmountSums() };
    byChain.set(otherChain, total);
    total.count++;
    total.sums.add(utxo.assetID, assetTypeOf(utxo.output), listedAmount(utxo.output));
  }
  return [...byChain].map(([chain, { count, sums }]) => ({
    chainId: idText(chain),
    utxoCount: count,
    amounts: renderAmounts(sums.list(), labelOf),
    mayBeImported: areImportsKnown ? undefined : true,
  }));
}

function renderTransfer(transfer: CrossChainTransfer, chain: ServedChain, labelOf: LabelOf, format: (address: Address) => string) {
  const { utxo, source, destination, exported, imported } = transfer;
  const { output } = utxo;
  const isExport = source === chain.id;
  return {
    utxoId: idText(utxo.id),
    direction: isExport ? ('export' as const) : ('import' as const),
    sourceChain: idText(source),
    destinationChain: idText(destination),
    asset: renderAmount(labelOf(utxo.assetID), assetTypeOf(output), listedAmount(output)),
    addresses: output.addresses.map(format),
    threshold: output.threshold,
    exportTxHash: idText(utxo.txID),
    exportBlockNumber: exported?.height.toString(),
    exportTimestamp: exported?.time,
    importTxHash: imported?.txID && idText(imported.txID),
    importTimestamp: imported?.time,
    // This list does no lookup. So the output may have been imported without this node knowing it, unless the node always knows imports.
    mayBeImported: (isExport && imported === undefined && chain.foreignImports !== undefined) || undefined,
    // True if the export is unknown: the owners are then those who signed the import, and there may be more.
    isIncomplete: (!isExport && isIncompleteImport(utxo)) || undefined,
  };
}
