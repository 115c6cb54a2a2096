import type { CrossChainBalance, Transfer } from '../../api/contract/answers.ts';
import type { CrossChainData } from '../load/load-cross-chain.ts';
import { chainTitle, type PageContext, type ViewProps } from '../load/page-context.ts';
import { ageText, amountText, plural } from '../text/text-format.ts';
import { Pager, PagerFoot } from './pager.tsx';
import { AmountText, Chip, PageHead, Panel, SaveMenu, Scroll, TxLink } from './parts.tsx';
import { TableHead } from './table.tsx';

const filters = [
  ['all', 'All'],
  ['waiting', 'Waiting'],
  ['imported', 'Imported'],
] as const;

export function CrossChainView({ data: { balances, transfers, pager, show }, context, now }: ViewProps<CrossChainData>) {
  const shown = transfers.filter((transfer) => show === 'all' || isImported(transfer) === (show === 'imported'));
  const largest = largestAmount([...balances.outbound, ...(balances.inbound ?? [])], context);
  const waiting = balances.outbound.reduce((sum, { utxoCount }) => sum + utxoCount, 0);
  return (
    <>
      <PageHead
        title="Cross-chain"
        line={waiting === 0 ? 'no export waits' : `${plural(waiting, 'export')} waiting`}
        buttons={
          <nav class="switch" aria-label="State">
            {filters.map(([name, word]) => (
              <a
                href={name === 'all' ? '/cross-chain' : `/cross-chain?show=${name}`}
                aria-current={name === show ? 'true' : undefined}
                data-in-place
              >
                {word}
              </a>
            ))}
          </nav>
        }
      />
      <div class="cross-columns">
        <Panel title="In shared memory now" weight="answer">
          <dl class="padded">
            {context.otherChains.map(({ id, alias }) => (
              <Direction
                from={context.chain.alias}
                to={alias}
                balance={balances.outbound.find(({ chainId }) => chainId === id)}
                context={context}
                color={5}
                largest={largest}
              />
            ))}
            {balances.inbound !== undefined &&
              context.otherChains.map(({ id, alias }) => (
                <Direction
                  from={alias}
                  to={context.chain.alias}
                  balance={balances.inbound?.find(({ chainId }) => chainId === id)}
                  context={context}
                  color={4}
                  largest={largest}
                />
              ))}
          </dl>
          {!balances.isComplete && <p class="table-foot">There are more than 10,000 outputs in a direction: the sums cover the oldest.</p>}
        </Panel>
        <Panel
          title="Exports and imports"
          side={
            <>
              <span>newest first</span>
              {transfers.length > 0 && <SaveMenu csv="transfers" />}
            </>
          }
        >
          <Pager pager={pager} list="transfers" what="transfers" />
          <Scroll>
            <table data-csv="transfers">
              <TableHead columns={['State', 'From → to', { number: 'Amount' }, 'Exported by', 'Imported by']} />
              <tbody>
                {shown.map((transfer) => (
                  <TransferRow transfer={transfer} context={context} now={now} />
                ))}
              </tbody>
            </table>
          </Scroll>
          {shown.length === 0 && (
            <p class="table-foot">
              {transfers.length === 0
                ? 'No exports and no imports yet.'
                : `None of this page is ${show === 'waiting' ? 'waiting' : 'imported'}.`}
            </p>
          )}
        </Panel>
      </div>
      <PagerFoot pager={pager} list="transfers" what="transfers" />
    </>
  );
}

function TransferRow({ transfer, context, now }: { transfer: Transfer; context: PageContext; now: number }) {
  const { utxoId, sourceChain, destinationChain, asset, exportTxHash, exportTimestamp, importTxHash } = transfer;
  const isDone = isImported(transfer);
  return (
    <tr title={utxoId}>
      <td>
        <Chip tone={isDone ? 'ok' : 'warn'}>{isDone ? 'imported' : 'waiting'}</Chip>
      </td>
      <td class="line-1">
        <FromTo from={letter(context, sourceChain)} to={letter(context, destinationChain)} isDone={isDone} />
      </td>
      <td class="number line-1-end">
        <AmountText amount={asset} />
      </td>
      <td data-name="Exported by">
        {sourceChain === context.chain.id ? <TxLink id={exportTxHash} /> : <span class="mono quiet">{exportTxHash.slice(0, 8)}…</span>}
      </td>
      <td data-name={isDone ? 'Imported by' : 'Waiting'}>
        {importTxHash !== undefined && destinationChain === context.chain.id ? (
          <TxLink id={importTxHash} />
        ) : isDone ? (
          <span class="quiet">{letter(context, destinationChain)}</span>
        ) : (
          <span class="quiet">{exportTimestamp === undefined ? '–' : `${ageText(now - exportTimestamp)} so far`}</span>
        )}
      </td>
    </tr>
  );
}

const letter = (context: PageContext, id: string): string =>
  id === context.chain.id ? context.chain.alias : chainTitle(context, id).replace('-Chain', '');

/** Whether an exported output was imported. */
const isImported = ({ importTimestamp, importTxHash, direction }: Transfer): boolean =>
  importTimestamp !== undefined || importTxHash !== undefined || direction === 'import';

/** The two chains and an arrow; it is dashed while the output waits. */
const FromTo = ({ from, to, isDone }: { from: string; to: string; isDone: boolean }) => (
  <span class="way">
    <b>{from}</b>
    <svg width="72" height="8" viewBox="0 0 72 8" role="img" aria-label="to">
      <path d="M0 4H70" class={isDone ? 'way-line' : 'way-line way-waiting'} />
      <path d="M66 1L70 4L66 7" class="way-line" />
    </svg>
    <b>{to}</b>
  </span>
);

const amountOfFeeAsset = (balance: CrossChainBalance | undefined, { chain }: PageContext): number =>
  Number(balance?.amounts.find(({ assetId }) => assetId === chain.feeAsset)?.amount ?? 0);

const largestAmount = (balances: readonly CrossChainBalance[], context: PageContext): number =>
  Math.max(1, ...balances.map((balance) => amountOfFeeAsset(balance, context)));

type DirectionProps = {
  readonly from: string;
  readonly to: string;
  readonly balance: CrossChainBalance | undefined;
  readonly context: PageContext;
  readonly color: number;
  /** The largest amount of the fee asset in any direction; its bar is the longest. */
  readonly largest: number;
};

/** The length of the longest bar, in pixels. */
const longestBar = 180;

/** One direction: the bar is the amount of the fee asset, the words say how much of each asset waits. */
function Direction({ from, to, balance, color, context, largest }: DirectionProps) {
  const length = balance === undefined ? 2 : Math.max(4, (amountOfFeeAsset(balance, context) / largest) * longestBar);
  return (
    <div class="direction">
      <dt class="mono">
        {from} → {to}
      </dt>
      <dd>
        <svg width={length} height="22" viewBox={`0 0 ${length} 22`} aria-hidden="true">
          <rect x="0" y="0" width={length} height="22" class={balance === undefined ? 'fill-0' : `mark-fill-${color}`} />
        </svg>
        <span>
          {balance === undefined
            ? 'nothing waiting'
            : `${balance.amounts.map(({ amount, denomination, symbol }) => `${amountText(amount, denomination)} ${symbol}`).join(', ')} · ${plural(balance.utxoCount, 'output')}`}
        </span>
      </dd>
    </div>
  );
}
