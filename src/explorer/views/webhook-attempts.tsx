import type { WebhookAttempts } from '../../api/contract/answers.ts';
import { formatJson } from '../text/json-text.ts';
import { bytesText, groupDigits, plural } from '../text/text-format.ts';
import { Chip, Panel, TxLink } from './parts.tsx';
import { TableHead } from './table.tsx';
import { TimeCell } from './time-text.tsx';
import { VisibleText } from './visible-text.tsx';

type Attempt = WebhookAttempts['attempts'][number];

/** The last requests to the receiver of a webhook, newest first. */
export const AttemptsPanel = ({
  name,
  attempts,
  isBusy,
  sendAgain,
}: {
  name: string;
  attempts: readonly Attempt[];
  isBusy: boolean;
  sendAgain: (number: number) => void;
}) => (
  <Panel title={`Last deliveries to ${name}`} side={<span>{plural(attempts.length, 'attempt')}, newest first</span>}>
    {attempts.length === 0 && <p class="table-foot">None yet.</p>}
    {attempts.length > 0 && (
      <table class="calls">
        <TableHead columns={['Time', 'Message', 'Answer', 'Attempt', { number: 'Took' }, { number: 'Action' }]} />
        <tbody>
          {attempts.map((attempt) => (
            <AttemptRow key={attempt.number} {...{ attempt, isBusy, sendAgain }} />
          ))}
        </tbody>
      </table>
    )}
  </Panel>
);

function AttemptRow({ attempt: one, isBusy, sendAgain }: { attempt: Attempt; isBusy: boolean; sendAgain: (number: number) => void }) {
  const { number, time, duration, attempt, isSentAgain, status, error, body, messageId } = one;
  return (
    <>
      <tr>
        <td class="quiet line-2">
          <TimeCell time={time / 1000} form="clock" />
        </td>
        <td class="call-name line-1">
          <Subject body={body} />
        </td>
        <td class="line-2">
          <Chip tone={error === undefined ? 'ok' : 'bad'}>{status ?? 'no answer'}</Chip>
        </td>
        <td class="line-2" data-name={isSentAgain ? undefined : 'Attempt'}>
          {isSentAgain ? 'sent again' : groupDigits(attempt)}
        </td>
        <td class="number line-2-end">{groupDigits(duration)} ms</td>
        <td class="number line-1-end">
          <button
            type="button"
            class="link with-script"
            disabled={isBusy || body === undefined}
            aria-label={`Send attempt ${number} again`}
            onClick={() => sendAgain(number)}
          >
            Send again
          </button>
        </td>
      </tr>
      <tr class="below">
        <td />
        <td colSpan={5}>
          {error !== undefined && (
            <p>
              <VisibleText text={error} />
            </p>
          )}
          {body === undefined ? (
            <span class="quiet">The body of {messageId} is not kept any more.</span>
          ) : (
            <details>
              <summary>Body, {bytesText(body.length)}</summary>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
              <pre class="console" tabIndex={0}>
                <VisibleText text={formatJson(body)} />
              </pre>
            </details>
          )}
        </td>
      </tr>
    </>
  );
}

/** What a message is about: a transaction, a revert, or events that were lost. */
function Subject({ body }: { body: string | undefined }) {
  if (body === undefined) return <>a message</>;
  const { eventType, event } = JSON.parse(body) as { readonly eventType: string; readonly event: { readonly txID?: string } };
  if (event.txID === undefined) return <VisibleText text={eventType} />;
  return (
    <>
      transaction <TxLink id={event.txID} />
    </>
  );
}
