import type { Drop, Mempool } from './data-types.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, type Source } from './source.ts';

export type MempoolData = { readonly mempool: Mempool; readonly drops: readonly Drop[] };

export async function loadMempool(source: Source, context: PageContext): Promise<MempoolData> {
  const base = chainPath(context);
  const [mempool, dropped] = await Promise.all([
    read<Mempool>(source, `${base}/mempool?pageSize=50`),
    read<{ transactions: readonly (Drop & { transaction?: unknown })[] }>(source, `${base}/dropped-transactions?pageSize=50`),
  ]);
  // The page of a dropped transaction shows its content.
  return { mempool, drops: dropped.transactions.map(({ transaction: _, ...drop }) => drop) };
}
