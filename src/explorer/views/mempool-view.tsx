import { miningText } from '../load/dev-state.ts';
import { type MempoolData, maxWaiting } from '../load/load-mempool.ts';
import type { ViewProps } from '../load/page-context.ts';
import { ageText, bytesText, groupDigits, timeText } from '../text/text-format.ts';
import { zoneName } from '../text/zone-time.ts';
import { useDevCall } from './actions.ts';
import { Pager, PagerFoot } from './pager.tsx';
import { PageHead, Panel, SaveMenu, Scroll, TxLink } from './parts.tsx';
import { TableHead } from './table.tsx';
import { TimeCell } from './time-text.tsx';
import { Moved, TxTable } from './tx-table.tsx';

export function MempoolView({ data: { mempool, pager, drops, dev }, context, now }: ViewProps<MempoolData>) {
  const { run, note, isBusy } = useDevCall();
  const isPaused = dev !== undefined && !dev.automine && dev.interval === 0;
  const waiting = mempool.txCount === 0 ? 'nothing waits' : `${groupDigits(mempool.txCount)} waiting · ${bytesText(mempool.bytes)}`;
  return (
    <>
      <PageHead
        title="Mempool"
        line={dev === undefined ? waiting : `${waiting} · ${miningText(dev).replace('B', 'b')}`}
        buttons={
          dev && (
            <span class="buttons with-script">
              <button
                type="button"
                disabled={isBusy}
                onClick={() =>
                  run('dev.setAutomine', { enabled: isPaused }, () => (isPaused ? 'Blocks as soon as there is work.' : 'Blocks paused.'))
                }
              >
                {isPaused ? 'Resume blocks' : 'Pause blocks'}
              </button>
              <button type="button" class="primary" disabled={isBusy} onClick={() => run('dev.mine', {}, () => 'Built a block.')}>
                Mine now
              </button>
            </span>
          )
        }
      />
      {note !== undefined && (
        <p class={note.isError ? 'bad-text' : 'note'} role="status">
          {note.text}
        </p>
      )}
      <Panel
        title="Waiting"
        weight="answer"
        side={
          <>
            <span>oldest first</span>
            <SaveMenu csv="waiting" />
          </>
        }
      >
        {mempool.txCount > 0 && <Pager pager={pager} list="waiting" what="transactions" isRanking />}
        <Scroll>
          <TxTable
            csv="waiting"
            rows={mempool.transactions}
            line={({ txHash, txType, summary }) => ({ id: txHash, type: txType, height: 0, time: 0, summary })}
            context={context}
            columns={[
              { name: 'Amount', cell: ({ summary }) => <Moved summary={summary} />, phone: 'line-2-end' },
              { name: 'Bytes', cell: ({ sizeBytes }) => groupDigits(sizeBytes) },
              {
                name: 'Waiting',
                cell: ({ receivedAt }) =>
                  receivedAt === undefined ? (
                    '–'
                  ) : (
                    <span data-age={receivedTime(receivedAt, dev)} title={`received ${timeText(receivedAt / 1000)} UTC`}>
                      {ageText(now - receivedTime(receivedAt, dev))}
                    </span>
                  ),
                isQuiet: true,
                phone: 'line-1-end',
              },
              ...(dev === undefined
                ? []
                : [
                    {
                      name: 'Action',
                      phone: 'line-3-end' as const,
                      cell: ({ txHash }: (typeof mempool.transactions)[number]) => (
                        <button
                          type="button"
                          class="link with-script"
                          disabled={isBusy}
                          onClick={() => run('dev.dropTx', { txID: txHash }, () => 'Dropped.')}
                          aria-label={`Drop ${txHash}`}
                        >
                          Drop
                        </button>
                      ),
                    },
                  ]),
            ]}
          />
        </Scroll>
        {mempool.txCount === 0 && <p class="table-foot">No transaction waits for a block.</p>}
        {mempool.txCount > maxWaiting && <p class="table-foot">The oldest {groupDigits(maxWaiting)} are listed.</p>}
      </Panel>
      <PagerFoot pager={pager} list="waiting" what="transactions" isRanking />
      {drops.length > 0 && <DropsPanel drops={drops} />}
    </>
  );
}

/** Times of receipt are real time; the ages on a page are of the chain's clock. */
const receivedTime = (milliseconds: number, dev: MempoolData['dev']): number => milliseconds / 1000 + (dev?.offset ?? 0);

const DropsPanel = ({ drops }: Pick<MempoolData, 'drops'>) => (
  <Panel
    title="Dropped"
    side={
      <>
        <span class="wide-only">newest first, the last 10,000 are kept until the node stops</span>
        <SaveMenu csv="dropped" />
      </>
    }
  >
    <Scroll>
      <table data-csv="dropped">
        <TableHead columns={['Reason', 'Transaction', 'What happened', 'Stage', { number: `When, ${zoneName()}` }]} />
        <tbody>
          {drops.map(({ txHash, reason, stage, droppedAt }) => (
            <tr>
              <td class="mono bad-text">{reason.code}</td>
              <td>
                <TxLink id={txHash} />
              </td>
              <td class="breakable">{reason.message}</td>
              <td>{stage}</td>
              <td class="number quiet">
                <TimeCell time={droppedAt / 1000} form="clock" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  </Panel>
);
