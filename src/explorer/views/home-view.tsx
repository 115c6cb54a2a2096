import { useMemo, useState } from 'preact/hooks';
import { type CrossChainCounts, type HomeData, txsByKind, txsPerSecond } from '../load/load-home.ts';
import { chainPath, type PageContext, type ViewProps } from '../load/page-context.ts';
import { allKinds } from '../load/tx-kind.ts';
import type { TxRow } from '../load/tx-row.ts';
import { Sparkline } from '../pictures/plot.tsx';
import { Tape } from '../pictures/tape.tsx';
import { ageText, amountText, compactNumber, groupDigits, timeText } from '../text/text-format.ts';
import { EmptyChain } from './empty-chain.tsx';
import { type LiveView, useLive } from './live.ts';
import { CopyButton, Facts, Key, Panel, SaveMenu, Switch } from './parts.tsx';
import { ageColumn, amountColumn, TxTable } from './tx-table.tsx';

export function HomeView({ data, context, now: firstNow, origin }: ViewProps<HomeData>) {
  const live = useLive();
  const now = live?.now ?? firstNow;
  const blocks = live?.blocks ?? data.blocks;
  const pending = live?.pending ?? data.pending;
  const seconds = live?.seconds ?? new Map(data.seconds);
  // A block that arrives with the next second may be ahead of this clock.
  const end = Math.max(now, blocks[0]?.time ?? 0);
  const perSecond = txsPerSecond(seconds, end);
  return (
    <>
      <h1 class="hidden">
        {context.chain.title} of the network {context.network.name}
      </h1>
      <div class="top">
        <Throughput perSecond={perSecond} txsDay={data.figures?.txsDay} />
        <Facts columns={3} facts={figuresOf(data, context, { tip: blocks[0], pending, now, asOf: live?.figuresAsOf })} />
      </div>
      {blocks.length <= 1 && (blocks[0]?.height ?? 0) === 0 ? (
        <EmptyChain origin={origin} isDev={context.has.dev} />
      ) : (
        <Tape
          isCalm={live !== undefined && live.fresh.size > 0}
          isBusy={live?.isBusy === true}
          blocks={blocks}
          pending={pending}
          now={now}
          largest={Math.max(1, ...blocks.slice(0, 100).map(({ txs }) => txs))}
        />
      )}
      <div class="main-side">
        <LatestTxs rows={live?.txs ?? data.txs} context={context} now={now} live={live} />
        <div class="side">
          <Kinds counts={txsByKind(seconds, end)} />
          {useMemo(
            () => (
              <Connect context={context} origin={origin} />
            ),
            [context, origin],
          )}
          {useMemo(
            () => (
              <CrossChain counts={data.crossChain} asOf={live?.figuresAsOf} />
            ),
            [data.crossChain, live?.figuresAsOf],
          )}
        </div>
      </div>
    </>
  );
}

type Shown = {
  readonly tip: { readonly height: number; readonly time: number } | undefined;
  readonly pending: number | undefined;
  readonly now: number;
  /** When the figures were read, if they are behind the last block. */
  readonly asOf: number | undefined;
};

/** ` · as of 12:03:05`, if figures are behind the last block. */
const asOfText = (asOf: number | undefined): string => (asOf === undefined ? '' : ` · as of ${timeText(asOf)}`);

function figuresOf({ figures }: HomeData, { chain }: PageContext, { tip, pending, now, asOf }: Shown) {
  const rows = [
    {
      name: 'Height',
      value: tip === undefined ? '–' : groupDigits(tip.height),
      note:
        tip === undefined ? (
          ''
        ) : (
          <>
            last block <span data-age={tip.time}>{ageText(now - tip.time)}</span> ago
          </>
        ),
    },
    {
      name: 'Pending',
      value: pending === undefined ? '–' : groupDigits(pending),
      note: pending === undefined ? 'this server does not say' : 'in the mempool',
    },
  ];
  if (figures === undefined) return rows;
  return [
    ...rows,
    { name: 'Transactions, 24 h', value: groupDigits(figures.txsDay), note: `${groupDigits(figures.txsAll)} in all${asOfText(asOf)}` },
    { name: 'Addresses', value: groupDigits(figures.addresses), note: `ever used${asOfText(asOf)}` },
    { name: 'Active addresses, 24 h', value: groupDigits(figures.activeDay), note: `sent or received${asOfText(asOf)}` },
    {
      name: 'Burned, 24 h',
      value: amountText(BigInt(Math.round(figures.feesDay)), chain.feeDecimals),
      note: `${chain.feeSymbol} in fees${asOfText(asOf)}`,
    },
  ];
}

function Throughput({ perSecond, txsDay }: { perSecond: readonly number[]; txsDay: number | undefined }) {
  // The running second is not over yet.
  const past = perSecond.slice(0, -1);
  const recent = past.slice(-5);
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const current = mean(recent);
  // The plot changes once per second, the page with every frame.
  const sparkline = useMemo(
    () => (
      <Sparkline
        values={past}
        width={316}
        height={104}
        label={`Transactions per second, last 60 s: peak ${Math.max(...past)}, mean ${mean(past).toFixed(1)}`}
      />
    ),
    [past.join()],
  );
  return (
    <section class="panel throughput" aria-label="Throughput">
      <div>
        <p class="note">Throughput, 60 s</p>
        <p class="big">
          {current >= 10 ? groupDigits(Math.round(current)) : String(Number(current.toFixed(1)))} <small>tx/s</small>
        </p>
      </div>
      <div class="spark-box">
        {sparkline}
        <p class="note spark-text">
          <span>−60 s</span>
          <span>
            peak <b>{groupDigits(Math.max(...past))}</b>
          </span>
          <span>
            mean <b>{mean(past).toFixed(1)}</b>
          </span>
          {txsDay !== undefined && (
            <span class="wide-only">
              24 h <b>{compactNumber(txsDay)} tx</b>
            </span>
          )}
          <span>now</span>
        </p>
      </div>
    </section>
  );
}

const filters = [
  ['all', 'All'],
  ['BaseTx', 'Transfer'],
  ['OperationTx', 'Operation'],
  ['CreateAssetTx', 'Asset'],
  ['cross', 'Cross-chain'],
] as const;

const isCrossChain = ({ type }: TxRow): boolean => type === 'ImportTx' || type === 'ExportTx';

function LatestTxs({
  rows,
  context,
  now,
  live,
}: {
  rows: readonly TxRow[];
  context: PageContext;
  now: number;
  live: LiveView | undefined;
}) {
  const [filter, setFilter] = useState<(typeof filters)[number][0]>('all');
  const shown = rows.filter((row) => filter === 'all' || (filter === 'cross' ? isCrossChain(row) : row.type === filter));
  return (
    <Panel
      title="Latest transactions"
      class="latest"
      side={
        <>
          <Switch label="Kind" options={filters} value={filter} onChange={setFilter} />
          <SaveMenu csv="latest" />
          {/* Also on the server, so that nothing moves when the script is ready. */}
          {context.has.events && (
            <button type="button" class="link with-script" aria-pressed={live?.isHeld === true} data-key="h" onClick={live?.toggleHold}>
              {live?.isHeld ? 'Held' : 'Hold'} <Key letter="H" />
            </button>
          )}
        </>
      }
    >
      {live !== undefined && live.waiting > 0 && (
        <button type="button" class="new-bar" onClick={live.showWaiting}>
          {groupDigits(live.waiting)} new
        </button>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a list under the pointer does not move */}
      <div class="scroll" onMouseEnter={live?.onEnter} onMouseLeave={live?.onLeave}>
        <TxTable
          csv="latest"
          class="tx-list"
          rows={shown}
          line={(row) => row}
          columns={[amountColumn, ageColumn<TxRow>(({ time }) => time, now)]}
          context={context}
          fresh={live?.fresh}
          isBusy={live?.isBusy}
        />
      </div>
      {shown.length === 0 && <p class="table-foot">{rows.length === 0 ? 'No transactions yet.' : 'None of this kind among the latest.'}</p>}
    </Panel>
  );
}

/** The mix of kinds. */
function Kinds({ counts: of }: { counts: Readonly<Record<string, number>> }) {
  const total = Object.values(of).reduce((sum, count) => sum + count, 0);
  let x = 0;
  return (
    <Panel title="Kinds, last 60 s">
      <div class="padded">
        <svg width="100%" height="12" viewBox="0 0 300 12" preserveAspectRatio="none" aria-hidden="true">
          {total === 0 && <rect x={0} y={0} width={300} height={12} class="fill-0" />}
          {allKinds.map(([type, { color }]) => {
            const width = total === 0 ? 0 : ((of[type] ?? 0) / total) * 300;
            const rect = width > 0 && <rect x={x} y={0} width={Math.max(0.5, width - 1)} height={12} class={`mark-fill-${color}`} />;
            x += width;
            return rect;
          })}
        </svg>
      </div>
      <dl class="pairs">
        {allKinds.map(([type, { word, color }]) => (
          <div>
            <dt>
              <i class={`dot mark-bg-${color}`} />
              {word}
            </dt>
            <dd>{groupDigits(of[type] ?? 0)}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

function Connect({ context, origin }: { context: PageContext; origin: string }) {
  const { has, chain } = context;
  const rows: readonly (readonly [string, string])[] = [
    ...(has.rpc ? [['RPC', chain.rpcUrl] as const] : []),
    ['Data', chainPath(context)],
    ...(has.metrics ? [['Metrics', `/v2/chains/${chain.alias}`] as const] : []),
    ...(has.events ? [['Events', '/ext/events'] as const] : []),
  ];
  return (
    <Panel title="Connect">
      <dl class="pairs connect">
        {rows.map(([name, path]) => (
          <div>
            <dt>{name}</dt>
            <dd class="mono" title={path}>
              <span>{path}</span> <CopyButton text={origin + path} what={`${name} URL`} />
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

/** What waits in shared memory. */
const CrossChain = ({ counts: { outbound, inbound, isComplete }, asOf }: { counts: CrossChainCounts; asOf: number | undefined }) => (
  <Panel title="Cross-chain" side={asOf !== undefined && `as of ${timeText(asOf)}`}>
    <dl class="pairs">
      {(
        [
          ['Exports waiting', outbound],
          ['Outputs to import', inbound],
        ] as const
      ).map(
        ([name, count]) =>
          count !== undefined && (
            <div>
              <dt>{name}</dt>
              <dd>
                <a href="/cross-chain">
                  {groupDigits(count)}
                  {isComplete ? '' : ' or more'}
                </a>
              </dd>
            </div>
          ),
      )}
    </dl>
  </Panel>
);
