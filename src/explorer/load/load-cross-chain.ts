import type { CrossChainBalances, Transfer, TransferList } from '../../api/contract/answers.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, type Source } from './source.ts';

export type CrossChainData = {
  readonly balances: CrossChainBalances;
  readonly transfers: readonly Transfer[];
  readonly next: string | undefined;
};

export async function loadCrossChain(source: Source, context: PageContext, page: string | undefined): Promise<CrossChainData> {
  const base = `${chainPath(context)}/cross-chain`;
  const token = page === undefined ? '' : `&pageToken=${encodeURIComponent(page)}`;
  const [balances, list] = await Promise.all([
    read<CrossChainBalances>(source, `${base}/balances`),
    read<TransferList>(source, `${base}/transfers?pageSize=50${token}`),
  ]);
  return { balances, transfers: list.transfers, next: list.nextPageToken };
}
