import type { CrossChainBalances, Transfer, TransferList } from '../../api/contract/answers.ts';
import type { PagerData } from './list-place.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, readIfFound, type Source } from './source.ts';
import { isUpward, pagerOfTxs, placeParams, readPlaced } from './tx-list-place.ts';

export type CrossChainData = {
  readonly balances: CrossChainBalances;
  readonly transfers: readonly Transfer[];
  readonly pager: PagerData;
  /** Which of them are shown. */
  readonly show: 'all' | 'waiting' | 'imported';
};

const path = '/cross-chain';

export async function loadCrossChain(source: Source, context: PageContext, query: URLSearchParams, rows = 50): Promise<CrossChainData> {
  const base = chainPath(context) + path;
  const [balances, page] = await Promise.all([
    read<CrossChainBalances>(source, `${base}/balances`),
    readPlaced(query, async (place) => {
      const list = await readIfFound<TransferList>(source, `${base}/transfers?pageSize=${rows}${placeParams(place, 'afterUtxoId')}`);
      if (list === undefined) return undefined;
      const transfers = isUpward(place) ? list.transfers.toReversed() : list.transfers;
      const ends = { newest: transfers[0]?.utxoId, oldest: transfers.at(-1)?.utxoId, rows: transfers.length };
      const counts = { hasMore: list.nextPageToken !== undefined, total: undefined, newer: undefined };
      return { transfers, pager: pagerOfTxs({ path, query, place, ...ends, ...counts }) };
    }),
  ]);
  const show = query.get('show');
  return { balances, ...page, show: show === 'waiting' || show === 'imported' ? show : 'all' };
}
