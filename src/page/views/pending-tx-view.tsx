import { flowOf } from '../flow-data.ts';
import type { PendingTx } from '../load-tx.ts';
import { Flow } from '../pictures/flow.tsx';
import { bytesText, timeText } from '../text-format.ts';
import { kindOf } from '../tx-kind.ts';
import { BlockLink, Chip, CopyButton, Panel } from './parts.tsx';
import { useWidth } from './use-width.ts';
import type { ViewProps } from './view.ts';

/** A transaction that is not in the chain: it waits, or it was dropped. The whole top of the page says so. */
export function PendingTxView({ data: { state, id, life }, context, now }: ViewProps<PendingTx>) {
  const isWaiting = state === 'waiting';
  const reason = life.steps.findLast((step) => step.reason !== undefined)?.reason;
  const tx = life.transaction;
  const word = tx === undefined ? 'transaction' : kindOf(tx).word;
  const first = life.steps[0]?.time ?? 0;
  return (
    <>
      <header class={`state-head ${isWaiting ? 'warn' : 'bad'}`}>
        <div class="page-title">
          <h1>{isWaiting ? `Waiting: ${word}` : `Dropped: ${word}`}</h1>
          <Chip tone={isWaiting ? 'warn' : 'bad'}>{isWaiting ? 'in the mempool' : 'not in the chain'}</Chip>
        </div>
        <p class="lead">
          {isWaiting
            ? 'The node has verified it and keeps it until the next block. This page changes when it is accepted or dropped.'
            : (reason?.message ?? 'The node no longer knows why. Send its bytes again to see the reason.')}
        </p>
        <p class="page-id mono">
          <span data-id={id}>{id}</span> <CopyButton text={id} what="ID" />
        </p>
      </header>
      <div class="two">
        <Panel title="Life" side={tx && <span>{bytesText(tx.sizeBytes)}</span>}>
          <ol class="life">
            {life.steps.map((step, at) => (
              <li class={step.reason === undefined ? '' : 'bad'}>
                <b>{step.step}</b>
                <span>{step.blockNumber === undefined ? (step.reason?.code ?? '') : <BlockLink height={Number(step.blockNumber)} />}</span>
                <span class="mono quiet">{at === 0 ? `${timeText(step.time / 1000)} UTC` : `+${(step.time - first).toFixed(1)} ms`}</span>
              </li>
            ))}
          </ol>
        </Panel>
        {reason !== undefined && (
          <Panel title="Reason">
            <pre class="padded">{JSON.stringify({ code: -32000, message: reason.message, data: { code: reason.code } }, null, 1)}</pre>
          </Panel>
        )}
      </div>
      {tx !== undefined && <PendingFlow bundles={flowOf(tx, context, now)} />}
    </>
  );
}

function PendingFlow({ bundles }: { bundles: ReturnType<typeof flowOf> }) {
  const { ref, width } = useWidth(1152);
  const label = 'What the transaction would consume and produce';
  return (
    <Panel title="What it would do">
      <div ref={ref} class="padded">
        <div class="wide-only">
          <Flow bundles={bundles} width={Math.max(720, width)} isLog={false} label={label} />
        </div>
        <div class="narrow-only">
          <Flow bundles={bundles} width={358} isLog={false} label={label} />
        </div>
      </div>
    </Panel>
  );
}
