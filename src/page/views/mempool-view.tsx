import type { MempoolData } from '../load-mempool.ts';
import { bytesText, groupDigits, plural, timeText } from '../text-format.ts';
import { kindOf } from '../tx-kind.ts';
import { summarizeTx } from '../tx-summary.ts';
import { KindPill, PageHead, Panel, Scroll, TxLink } from './parts.tsx';
import { Moved, Parties } from './tx-rows.tsx';
import type { ViewProps } from './view.ts';

export const MempoolView = ({ data: { mempool, drops }, context }: ViewProps<MempoolData>) => (
  <>
    <PageHead
      title="Mempool"
      line={mempool.txCount === 0 ? 'nothing waits' : `${groupDigits(mempool.txCount)} waiting · ${bytesText(mempool.bytes)}`}
    />
    <Panel title="Waiting" side={<span>oldest first</span>}>
      <Scroll>
        <table>
          <thead>
            <tr>
              <th>Kind</th>
              <th>Transaction</th>
              <th>From → to</th>
              <th class="number">Amount</th>
              <th class="number">Bytes</th>
              <th class="number">Received, UTC</th>
            </tr>
          </thead>
          <tbody>
            {mempool.transactions.map((tx) => {
              const summary = summarizeTx({ ...tx, blockHeight: 0, blockHash: '', timestamp: 0 });
              return (
                <tr>
                  <td>
                    <KindPill kind={kindOf(tx)} />
                  </td>
                  <td>
                    <TxLink id={tx.txHash} />
                  </td>
                  <td>
                    <Parties summary={summary} context={context} />
                  </td>
                  <td class="number">
                    <Moved summary={summary} />
                  </td>
                  <td class="number">{groupDigits(tx.sizeBytes)}</td>
                  <td class="number quiet">{tx.receivedAt === undefined ? '–' : timeText(tx.receivedAt / 1000)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Scroll>
      <p class="table-foot">
        {mempool.txCount === 0
          ? 'No transaction waits for a block.'
          : `${plural(mempool.transactions.length, 'transaction')} of ${groupDigits(mempool.txCount)}`}
      </p>
    </Panel>
    <Panel title="Dropped" side={<span>newest first, the last 10,000 are kept until the node stops</span>}>
      <Scroll>
        <table>
          <thead>
            <tr>
              <th>Reason</th>
              <th>Transaction</th>
              <th>What happened</th>
              <th>Stage</th>
              <th class="number">When, UTC</th>
            </tr>
          </thead>
          <tbody>
            {drops.map(({ txHash, reason, stage, droppedAt }) => (
              <tr>
                <td class="mono bad-text">{reason.code}</td>
                <td>
                  <TxLink id={txHash} />
                </td>
                <td class="breakable">{reason.message}</td>
                <td>{stage}</td>
                <td class="number quiet">{timeText(droppedAt / 1000)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {drops.length === 0 && <p class="table-foot">None since the node started.</p>}
    </Panel>
  </>
);
