import type { PendingTx } from '../load-tx.ts';
import { Chip, CopyButton, Panel } from './parts.tsx';
import type { ViewProps } from './view.ts';

/** A transaction that is not in the chain: it waits, or it was dropped. The whole top of the page says so. */
export function PendingTxView({ data: { state, id, reason, steps } }: ViewProps<PendingTx>) {
  const isWaiting = state === 'waiting';
  return (
    <>
      <header class={`state-head ${isWaiting ? 'warn' : 'bad'}`}>
        <div class="page-title">
          <h1>{isWaiting ? 'Waiting for a block' : 'Dropped transaction'}</h1>
          <Chip tone={isWaiting ? 'warn' : 'bad'}>{isWaiting ? 'in the mempool' : 'not in the chain'}</Chip>
        </div>
        <p class="lead">
          {isWaiting
            ? 'The node has verified it and keeps it until the next block. This page changes when it is accepted or dropped.'
            : (reason?.message ?? 'The node rejected it; it no longer knows why. Send its bytes again to see the reason.')}
        </p>
        <p class="page-id mono">
          <span data-id={id}>{id}</span> <CopyButton text={id} what="ID" />
        </p>
      </header>
      <div class="two">
        <Panel title="Life">
          <ol class="life">
            {steps.map((step) => (
              <li class={step.reason === undefined ? '' : 'bad'}>
                <b>{step.step}</b>
                <span>{step.height === undefined ? (step.reason?.code ?? '') : `block ${step.height}`}</span>
                <time class="mono">{step.time}</time>
              </li>
            ))}
          </ol>
          {steps.length === 0 && <p class="table-foot">Steps are kept on a dev chain only.</p>}
        </Panel>
        {reason !== undefined && (
          <Panel title="Answer if sent again">
            <pre class="padded">{JSON.stringify({ code: -32000, message: reason.message, data: { code: reason.code } }, null, 1)}</pre>
          </Panel>
        )}
      </div>
    </>
  );
}
