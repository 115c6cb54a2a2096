import { summaryAmountText } from '../../api/summary/sentence.ts';
import { dropSentence } from '../load/check-rows.ts';
import { flowOf } from '../load/flow-data.ts';
import type { Conflict, PendingTx } from '../load/load-pending-tx.ts';
import { outputType } from '../load/output-type.ts';
import { ownerName, type PageContext, type ViewProps } from '../load/page-context.ts';
import { kindOf } from '../load/tx-kind.ts';
import { ConflictPicture } from '../pictures/conflict.tsx';
import { Flow, fittingScale } from '../pictures/flow.tsx';
import { bytesText, groupDigits, timeText } from '../text/text-format.ts';
import { useActions } from './actions.ts';
import { ChecksPanel } from './checks-panel.tsx';
import { LifePanel, SentAgainPanel } from './life-panel.tsx';
import { Chip, CopyButton, Panel, SaveMenu } from './parts.tsx';
import { Sentence } from './tx-table.tsx';
import { useWidth } from './use-width.ts';

/** A transaction that is not in the chain: it waits, or it was dropped. The whole top of the page says so. */
export function PendingTxView({ data, context, now, origin }: ViewProps<PendingTx>) {
  const { state, id, life, checks, conflicts } = data;
  const isWaiting = state === 'waiting';
  const reason = life.steps.findLast((step) => step.reason !== undefined)?.reason;
  const tx = life.transaction;
  const word = tx === undefined ? 'transaction' : kindOf(tx).word;
  return (
    <>
      <header class={`state-head ${isWaiting ? 'warn' : 'bad'}`}>
        <div class="page-title">
          <h1>{isWaiting ? `Waiting: ${word}` : `Dropped: ${word}`}</h1>
          <Chip tone={isWaiting ? 'warn' : 'bad'}>{isWaiting ? 'in the mempool' : 'not in the chain'}</Chip>
          <div class="buttons with-script">
            <CheckAgain />
          </div>
        </div>
        {tx !== undefined && <Sentence summary={tx.summary} context={context} />}
        <p class="lead">
          {isWaiting
            ? 'The node has verified it and keeps it until the next block. This page changes when it is accepted or dropped.'
            : reason === undefined
              ? 'The node no longer knows why. Send its bytes again to see the reason.'
              : dropSentence(reason, checks)}
        </p>
        <p class="page-id mono">
          <span data-id={id}>{id}</span> <CopyButton text={id} what="ID" />
        </p>
      </header>
      <div class={checks === undefined ? '' : 'checks-life'}>
        {checks !== undefined && <ChecksPanel checks={checks} context={context} />}
        <div class="side">
          <LifePanel steps={life.steps} size={tx && bytesText(tx.sizeBytes)} />
          <SentAgainPanel
            id={id}
            checks={checks}
            reason={isWaiting ? undefined : reason}
            rpcUrl={context.has.rpc ? origin + context.chain.rpcUrl : undefined}
          />
        </div>
      </div>
      {conflicts.length > 0 && <Conflicts conflicts={conflicts} data={data} context={context} />}
      {tx !== undefined && <PendingFlow bundles={flowOf(tx, context, now, tx.summary.change)} />}
    </>
  );
}

/** In the page from the first, so that nothing moves when its script runs. */
function CheckAgain() {
  const actions = useActions();
  return (
    <button type="button" onClick={() => void actions?.reload()}>
      Check again now
    </button>
  );
}

function Conflicts({ conflicts, data: { id, life }, context }: { conflicts: readonly Conflict[]; data: PendingTx; context: PageContext }) {
  const { ref, width } = useWidth(1152);
  const received = life.steps[0]?.time;
  const at = (time: number | undefined): string => (time === undefined ? '' : ` · received ${timeText(time / 1000)}`);
  return (
    <Panel title="The conflict" side={<SaveMenu svg="conflict" />}>
      <div ref={ref} class="padded" data-picture="conflict">
        {conflicts.map(({ utxo, input, winner, height, receivedAt }) => {
          const amount = summaryAmountText({ ...utxo.asset, type: outputType(utxo) });
          return (
            <ConflictPicture
              width={width}
              title={
                utxo.addresses.length === 1
                  ? ownerName(context, utxo.addresses[0] as string)
                  : `${utxo.threshold} of ${utxo.addresses.length} owners`
              }
              note={`input ${input} · ${amount}`}
              winner={{
                id: winner,
                note: `${height === undefined ? 'waits for a block' : `accepted in block ${groupDigits(height)}`}${at(receivedAt)}`,
                href: `/tx/${winner}`,
              }}
              loser={{ id, note: `this one, dropped${at(received)}`, href: undefined }}
            />
          );
        })}
      </div>
    </Panel>
  );
}

function PendingFlow({ bundles }: { bundles: ReturnType<typeof flowOf> }) {
  const { ref, width } = useWidth(1152);
  const isLog = fittingScale(bundles) === 'log';
  const label = 'What the transaction would consume and produce';
  return (
    <Panel title="What it would do" side={<SaveMenu svg="flow" />}>
      <div ref={ref} class="padded" data-picture="flow">
        <div class="wide-only">
          <Flow bundles={bundles} width={Math.max(720, width)} isLog={isLog} label={label} />
        </div>
        <div class="narrow-only">
          <Flow bundles={bundles} width={358} isLog={isLog} label={label} />
        </div>
      </div>
    </Panel>
  );
}
