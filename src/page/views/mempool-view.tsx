import type { MempoolData } from '../load-mempool.ts';
import { bytesText, groupDigits, plural, timeText } from '../text-format.ts';
import { summarizeTx } from '../tx-summary.ts';
import { CsvButton, PageHead, Panel, Scroll, TxLink } from './parts.tsx';
import { Moved, TxTable } from './tx-table.tsx';
import type { ViewProps } from './view.ts';

export const MempoolView = ({ data: { mempool, drops }, context }: ViewProps<MempoolData>) => (
  <>
    <PageHead
      title="Mempool"
      line={mempool.txCount === 0 ? 'nothing waits' : `${groupDigits(mempool.txCount)} waiting · ${bytesText(mempool.bytes)}`}
    />
    <Panel
      title="Waiting"
      side={
        <>
          <span>oldest first</span>
          <CsvButton name="waiting" />
        </>
      }
    >
      <Scroll>
        <TxTable
          csv="waiting"
          rows={mempool.transactions}
          summary={(tx) => summarizeTx({ ...tx, blockHeight: 0, blockHash: '', timestamp: 0 })}
          context={context}
          columns={[
            { name: 'Amount', cell: (tx) => <Moved summary={summarizeTx({ ...tx, blockHeight: 0, blockHash: '', timestamp: 0 })} /> },
            { name: 'Bytes', cell: ({ sizeBytes }) => groupDigits(sizeBytes) },
            {
              name: 'Received, UTC',
              cell: ({ receivedAt }) => (receivedAt === undefined ? '–' : timeText(receivedAt / 1000)),
              isQuiet: true,
            },
          ]}
        />
      </Scroll>
      <p class="table-foot">
        {mempool.txCount === 0
          ? 'No transaction waits for a block.'
          : `${plural(mempool.transactions.length, 'transaction')} of ${groupDigits(mempool.txCount)}`}
      </p>
    </Panel>
    <Panel
      title="Dropped"
      side={
        <>
          <span class="wide-only">newest first, the last 10,000 are kept until the node stops</span>
          <CsvButton name="dropped" />
        </>
      }
    >
      <Scroll>
        <table data-csv="dropped">
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
