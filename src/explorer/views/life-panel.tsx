import type { LifeStep, Reason, TxChecks } from '../../api/contract/answers.ts';
import { timeText } from '../text/text-format.ts';
import { BlockLink, CopyButton, Panel, TxLink } from './parts.tsx';

/** What happened to a transaction, with times: the first of the day, the others after it. */
export function LifePanel({ steps, size }: { steps: readonly LifeStep[]; size: string | undefined }) {
  const first = steps[0]?.time ?? 0;
  return (
    <Panel title="Life" side={size !== undefined && <span>{size}</span>}>
      <ol class="life">
        {steps.map((step, at) => (
          <li class={step.reason === undefined ? '' : 'bad'}>
            <b>{step.step}</b>
            <span>
              <StepNote step={step} />
            </span>
            <span class="mono quiet">
              {at === 0
                ? `${timeText(first / 1000)}.${String(Math.floor(first % 1000)).padStart(3, '0')}`
                : `+${(step.time - first).toFixed(1)} ms`}
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function StepNote({ step: { blockNumber, reason } }: { step: LifeStep }) {
  if (blockNumber !== undefined)
    return (
      <>
        in block <BlockLink height={Number(blockNumber)} />
      </>
    );
  const spentBy = reason?.data?.spentBy;
  if (typeof spentBy === 'string')
    return (
      <>
        <TxLink id={spentBy} /> took an input
      </>
    );
  return reason?.code;
}

type SentAgainProps = {
  readonly id: string;
  readonly checks: TxChecks | undefined;
  /** Why it was dropped, for servers that cannot check it now. */
  readonly reason: Reason | undefined;
  readonly rpcUrl: string | undefined;
};

/** What `avm.issueTx` answers to the same bytes, and the call. */
export function SentAgainPanel({ id, checks, reason, rpcUrl }: SentAgainProps) {
  const refusal = checks === undefined ? reason : checks.refusal;
  const answer =
    refusal === undefined
      ? checks?.isIssuable && { result: { txID: id } }
      : { error: { code: -32000, message: refusal.message, data: refusal.data ?? { code: refusal.code } } };
  if (!answer) return null;
  const text = JSON.stringify(answer, null, 1);
  const call =
    checks &&
    `curl -s ${rpcUrl} -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"avm.issueTx","params":{"tx":"${checks.hex}","encoding":"hexnc"}}'`;
  return (
    <Panel
      title={checks === undefined ? 'Reason' : 'Answer if sent again'}
      side={
        <>
          {call !== undefined && rpcUrl !== undefined && (
            <>
              <span>curl</span>
              <CopyButton text={call} what="curl" />
              <span>hex</span>
              <CopyButton text={checks?.hex ?? ''} what="hex" />
            </>
          )}
          <CopyButton text={text} what="answer" />
        </>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable with the keyboard */}
      <pre class="padded" tabIndex={0}>
        {text}
      </pre>
    </Panel>
  );
}
