import type { Drop, DropList, Mempool } from '../../api/contract/answers.ts';
import { type DevState, loadDevState } from './dev-state.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, type Source } from './source.ts';

export type MempoolData = {
  readonly mempool: Mempool;
  readonly drops: readonly Drop[];
  /** Undefined if the reader may not call `dev.*`. */
  readonly dev: Pick<DevState, 'automine' | 'interval' | 'offset'> | undefined;
};

export async function loadMempool(source: Source, context: PageContext): Promise<MempoolData> {
  const base = chainPath(context);
  const [mempool, dropped, dev] = await Promise.all([
    read<Mempool>(source, `${base}/mempool?pageSize=50`),
    read<DropList>(source, `${base}/dropped-transactions?pageSize=50`),
    context.has.dev ? loadDevState(source) : undefined,
  ]);
  // The page of a dropped transaction shows its content.
  const drops = dropped.transactions.map(({ transaction: _, ...drop }) => drop);
  return { mempool, drops, dev: dev && { automine: dev.automine, interval: dev.interval, offset: dev.offset } };
}
