import { useMemo, useState } from 'preact/hooks';
import { type CrossChainCounts, type HomeData, isUnused, txsByKind, txsPerSecond } from '../load/load-home.ts';
import { chainPath, type PageContext, type ViewProps } from '../load/page-context.ts';
import { allKinds, kindOfType } from '../load/tx-kind.ts';
import type { TxRow } from '../load/tx-row.ts';
import { Sparkline } from '../pictures/plot.tsx';
import { Tape } from '../pictures/tape.tsx';
import { ageText, amountText, bytesText, groupDigits, timeText } from '../text/text-format.ts';
import { FirstSteps } from './first-steps.tsx';
import { type LiveView, useLive } from './live.ts';
import { CopyButton, FoldedPanel, Key, KindPill, Panel, SaveMenu, Switch, TxLink } from './parts.tsx';
import { TimeText } from './time-text.tsx';
import { ageColumn, amountColumn, TitleSentence, TxTable } from './tx-table.tsx';

export function HomeView({ data, context, now: firstNow, origin }: ViewProps<HomeData>) {
  const live = useLive();
  const now = live?.now ?? firstNow;
  const blocks = live?.blocks ?? data.blocks;
  const txs = live?.txs ?? data.txs;
  const pending = live?.pending ?? data.pending;
  const seconds = live?.seconds ?? new Map(data.seconds);
  // A block that arrives with the next second may be ahead of this clock.
  const end = Math.max(now, blocks[0]?.time ?? 0);
  const [newest] = txs;
  const steps = useMemo(() => <FirstSteps context={context} origin={origin} />, [context, origin]);
  const connect = useMemo(() => <Connect context={context} origin={origin} />, [context, origin]);
  const crossChain = useMemo(() => <CrossChain counts={data.crossChain} asOf={live?.figuresAsOf} />, [data.crossChain, live?.figuresAsOf]);
  const title = (
    <h1 class="hidden">
      {context.chain.title} of the network {context.network.name}
    </h1>
  );
  if (newest === undefined || isUnused(blocks, txs))
    return (
      <>
        {title}
        <section class="panel panel-answer first-run">
          <h2>No transactions yet. To begin:</h2>
          {steps}
        </section>
        <div class="two">
          {connect}
          {crossChain}
        </div>
      </>
    );
  return (
    <>
      {title}
      <Newest row={newest} context={context} now={now} />
      <Tape
        isCalm={live !== undefined && live.fresh.size > 0}
        isBusy={live?.isBusy === true}
        blocks={blocks}
        pending={pending}
        limit={data.blockLimit}
        now={now}
      />
      <TapeLegend counts={txsByKind(seconds, end)} limit={data.blockLimit} />
      <div class="main-side">
        <div class="side">
          <LatestTxs rows={txs} context={context} now={now} live={live} />
        </div>
        <div class="side">
          <Throughput perSecond={txsPerSecond(seconds, end)} />
          <Figures facts={figuresOf(data, context, { tip: blocks[0], pending: pending?.count, now, asOf: live?.figuresAsOf })} />
          {crossChain}
        </div>
      </div>
      {connect}
      <FoldedPanel title="Commands to begin with">
        <div class="padded">{steps}</div>
      </FoldedPanel>
    </>
  );
}

/** The newest transaction, in words. */
const Newest = ({ row: { id, type, height, time, summary }, context, now }: { row: TxRow; context: PageContext; now: number }) => (
  <section class="newest-tx" aria-label="Newest transaction">
    <h2>
      <TitleSentence summary={summary} context={context} />
    </h2>
    <p>
      <span>Newest transaction</span>
      <KindPill kind={kindOfType(type, summary.action === 'mint')} />
      <TxLink id={id} />
      <a href={`/block/${height}`}>Block {groupDigits(height)}</a>
      <span>
        <TimeText time={time} /> · <span data-age={time}>{ageText(now - time)}</span> ago
      </span>
    </p>
  </section>
);

/** What colours and fills of the tape mean, and how many transactions of each kind there were in the last minute. */
const TapeLegend = ({ counts, limit }: { counts: Readonly<Record<string, number>>; limit: number }) => (
  <div class="tape-legend">
    <dl>
      {allKinds.map(([type, { word, color }]) => (
        <div>
          <dt>
            <i class={`dot mark-bg-${color}`} />
            {word}
          </dt>
          <dd>{groupDigits(counts[type] ?? 0)}</dd>
        </div>
      ))}
    </dl>
    <p>in the last 60 s. A tile is full at {bytesText(limit)}.</p>
  </div>
);

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
    {
      name: 'Transactions, 24 h',
      value: groupDigits(figures.txsDay),
      note: `${groupDigits(figures.txsAll)} since genesis${asOfText(asOf)}`,
    },
    { name: 'Addresses', value: groupDigits(figures.addresses), note: `ever used${asOfText(asOf)}` },
    { name: 'Active addresses, 24 h', value: groupDigits(figures.activeDay), note: `sent or received${asOfText(asOf)}` },
    {
      name: 'Burned, 24 h',
      value: amountText(BigInt(Math.round(figures.feesDay)), chain.feeDecimals),
      note: `${chain.feeSymbol} in fees${asOfText(asOf)}`,
    },
  ];
}

/** The figures of the chain: names, values, and what they are about. */
const Figures = ({ facts }: { facts: ReturnType<typeof figuresOf> }) => (
  <dl class="panel pairs figures">
    {facts.map(({ name, value, note }) => (
      <div>
        <dt>{name}</dt>
        <dd>{value}</dd>
        <dd class="note">{note}</dd>
      </div>
    ))}
  </dl>
);

function Throughput({ perSecond }: { perSecond: readonly number[] }) {
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
        height={56}
        label={`Transactions per second, last 60 s: peak ${Math.max(...past)}, mean ${mean(past).toFixed(1)}`}
      />
    ),
    [past.join()],
  );
  return (
    <section class="panel throughput" aria-label="Throughput">
      <p class="big">
        {current >= 10 ? groupDigits(Math.round(current)) : String(Number(current.toFixed(1)))} <small>tx/s</small>
      </p>
      <p class="note">
        60 s: peak <b>{groupDigits(Math.max(...past))}</b>, mean <b>{mean(past).toFixed(1)}</b>
      </p>
      {sparkline}
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

function Connect({ context, origin }: { context: PageContext; origin: string }) {
  const { has, chain } = context;
  const rows: readonly (readonly [string, string])[] = [
    ...(has.rpc ? [['RPC', chain.rpcUrl] as const] : []),
    ['Data', chainPath(context)],
    ...(has.metrics ? [['Metrics', `/v2/chains/${chain.alias}`] as const] : []),
    ...(has.events ? [['Events', '/ext/events'] as const] : []),
  ];
  return (
    <Panel title="Connect" weight="rest">
      <dl class="pairs connect">
        {rows.map(([name, path]) => (
          <div>
            <dt>{name}</dt>
            <dd class="mono">
              <span>{origin + path}</span> <CopyButton text={origin + path} what={`${name} URL`} />
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

/** What waits in shared memory. */
const CrossChain = ({ counts: { outbound, inbound, isComplete }, asOf }: { counts: CrossChainCounts; asOf: number | undefined }) => (
  <Panel title="Cross-chain" weight="rest" side={asOf !== undefined && `as of ${timeText(asOf)}`}>
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
