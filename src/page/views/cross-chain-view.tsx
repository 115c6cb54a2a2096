import type { CrossChainBalance } from '../data-types.ts';
import type { CrossChainData } from '../load-cross-chain.ts';
import { chainTitle, type PageContext } from '../page-context.ts';
import { ageText, amountText, plural } from '../text-format.ts';
import { AmountText, Chip, CsvButton, PageHead, Panel, Scroll, TxLink } from './parts.tsx';
import type { ViewProps } from './view.ts';

export function CrossChainView({ data: { balances, transfers, next }, context, now }: ViewProps<CrossChainData>) {
  const waiting = balances.outbound.reduce((sum, { utxoCount }) => sum + utxoCount, 0);
  return (
    <>
      <PageHead title="Cross-chain" line={waiting === 0 ? 'no export waits' : `${plural(waiting, 'export')} waiting`} />
      <div class="cross-columns">
        <Panel title="In shared memory now">
          <dl class="padded">
            {context.otherChains.map(({ id, alias }) => (
              <Direction
                from={context.chain.alias}
                to={alias}
                balance={balances.outbound.find(({ chainId }) => chainId === id)}
                context={context}
                color={5}
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
                />
              ))}
          </dl>
          {!balances.isComplete && <p class="table-foot">There are more than 10,000 outputs in a direction: the sums cover the oldest.</p>}
        </Panel>
        <Panel
          title="Lineage"
          side={
            <>
              <span>newest first</span>
              {transfers.length > 0 && <CsvButton name="transfers" />}
            </>
          }
        >
          <Scroll>
            <table data-csv="transfers">
              <thead>
                <tr>
                  <th>State</th>
                  <th>Way</th>
                  <th class="number">Amount</th>
                  <th>Exported by</th>
                  <th>Imported by</th>
                </tr>
              </thead>
              <tbody>
                {transfers.map(
                  ({
                    utxoId,
                    sourceChain,
                    destinationChain,
                    asset,
                    exportTxHash,
                    exportTimestamp,
                    importTxHash,
                    importTimestamp,
                    direction,
                  }) => {
                    const isDone = importTimestamp !== undefined || importTxHash !== undefined || direction === 'import';
                    return (
                      <tr title={utxoId}>
                        <td>
                          <Chip tone={isDone ? 'ok' : 'warn'}>{isDone ? 'matched' : 'waiting'}</Chip>
                        </td>
                        <td>
                          {letter(context, sourceChain)} → {letter(context, destinationChain)}
                        </td>
                        <td class="number">
                          <AmountText amount={{ ...asset, isNft: asset.type === 'nft' }} />
                        </td>
                        <td>
                          {sourceChain === context.chain.id ? (
                            <TxLink id={exportTxHash} />
                          ) : (
                            <span class="mono quiet">{exportTxHash.slice(0, 8)}…</span>
                          )}
                        </td>
                        <td>
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
                  },
                )}
              </tbody>
            </table>
          </Scroll>
          {transfers.length === 0 && <p class="table-foot">No exports and no imports yet.</p>}
        </Panel>
      </div>
      {next !== undefined && (
        <p class="pager">
          <a class="button" href={`/cross-chain?page=${next}`} rel="next">
            Older transfers
          </a>
        </p>
      )}
    </>
  );
}

const letter = (context: PageContext, id: string): string =>
  id === context.chain.id ? context.chain.alias : chainTitle(context, id).replace('-Chain', '');

type DirectionProps = {
  readonly from: string;
  readonly to: string;
  readonly balance: CrossChainBalance | undefined;
  readonly context: PageContext;
  readonly color: number;
};

/** One direction: the bar is a mark for something that waits, the words say how much. */
const Direction = ({ from, to, balance, color }: DirectionProps) => (
  <div class="direction">
    <dt class="mono">
      {from} → {to}
    </dt>
    <dd>
      <svg width="12" height="22" viewBox="0 0 12 22" aria-hidden="true">
        <rect
          x="0"
          y="0"
          width={balance === undefined ? 2 : 12}
          height="22"
          class={balance === undefined ? 'fill-0' : `mark-fill-${color}`}
        />
      </svg>
      {balance === undefined
        ? 'nothing waiting'
        : `${balance.amounts.map(({ amount, denomination, symbol }) => `${amountText(amount, denomination)} ${symbol}`).join(', ')} · ${plural(balance.utxoCount, 'output')}`}
    </dd>
  </div>
);
