import type { BlockSummaryList, MethodJson } from '../../api/contract/answers.ts';
import { type DevChoices, loadChoices } from './dev-choices.ts';
import { type DevState, loadDevState } from './dev-state.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { callIfAllowed, type Source } from './source.ts';

type Account = MethodJson<'dev.accounts'>['accounts'][number];
export type DevData = {
  readonly accounts: readonly Account[];
  readonly state: DevState;
  readonly height: number;
  /** Height and number of transactions of the latest blocks. */
  readonly blockTxs: readonly (readonly [height: number, txs: number])[];
  readonly choices: DevChoices;
  readonly autoImpersonate: boolean;
};

/** Blocks whose transactions are counted for snapshots. */
const countedBlocks = 100;

/** Undefined if the caller may not use `/ext/dev`. */
export async function loadDevPanel(source: Source, context: PageContext): Promise<DevData | undefined> {
  const [accounts, state, info, blocks] = await Promise.all([
    callIfAllowed(source, '/ext/dev', 'dev.accounts'),
    loadDevState(source),
    callIfAllowed(source, '/ext/dev', 'dev.nodeInfo'),
    source.get<BlockSummaryList>(`${chainPath(context)}/block-summaries?pageSize=${countedBlocks}`),
  ]);
  if (accounts === undefined || state === undefined || info === undefined) return undefined;
  return {
    accounts: accounts.accounts,
    choices: await loadChoices(source, context, accounts.accounts, info.impersonatedAddresses),
    autoImpersonate: info.autoImpersonate,
    state,
    height: Number(info.height),
    blockTxs: blocks.status === 200 ? blocks.body.blocks.map(({ blockNumber, txCount }) => [Number(blockNumber), txCount] as const) : [],
  };
}
