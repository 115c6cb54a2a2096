import { useState } from 'preact/hooks';
import { escapeJson } from '../../base/bytes/printable.ts';
import type { CallDetails, LoggedCall } from '../load/load-calls.ts';
import { curlText } from '../text/curl-text.ts';
import { formatJson } from '../text/json-text.ts';
import { bytesText } from '../text/text-format.ts';
import { useActions } from './actions.ts';
import { CodeSentence, VisibleText } from './visible-text.tsx';

/** What a call sent and got, and what can be done with it. */
export function CallDetailsView({ details: { call, request, answer }, origin }: { details: CallDetails; origin: string }) {
  const actions = useActions();
  const [again, setAgain] = useState<{ readonly status: number; readonly text: string } | undefined>(undefined);
  const lacks = request.isCut
    ? 'its request was cut'
    : request.hidden > 0 || call.path.includes('(hidden)')
      ? 'its secrets are hidden'
      : request.reason;
  const body = request.text;
  const curl = curlText({
    method: call.httpMethod,
    url: origin + call.path,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    // Characters that cannot be seen would do their work in a terminal too.
    body: body && escapeJson(body),
  });
  return (
    <div class="call-details">
      {call.error !== undefined && (
        <p>
          <b class="bad-text">{call.error.code ?? errorWord(call)}</b> <VisibleText text={call.error.message} />
          {call.error.remedy !== undefined && (
            <span class="remedy">
              <CodeSentence text={call.error.remedy} />
            </span>
          )}
        </p>
      )}
      <p class="buttons with-script">
        <button
          type="button"
          disabled={actions === undefined || lacks !== undefined}
          onClick={async () => setAgain(await actions?.send(call.httpMethod, call.path, body))}
        >
          Send again
        </button>
        <button type="button" data-copy={curl}>
          Copy as curl
        </button>
        {lacks !== undefined && <span class="quiet">It cannot be sent again from here: {lacks}.</span>}
      </p>
      {again !== undefined && <Body title={`Answer now, status ${again.status}`} text={again.text} />}
      <div class="bodies">
        <Body title="Request" size={call.requestBytes} {...request} />
        <Body title="Answer" size={call.answerBytes} {...answer} />
      </div>
      <p class="quiet">
        {call.httpMethod} <span class="mono breakable">{call.path}</span> from <VisibleText text={callerOf(call)} />
      </p>
    </div>
  );
}

type BodyProps = { title: string; size?: number; text?: string; isCut?: boolean; hidden?: number; reason?: string };

const Body = ({ title, size, text, isCut = false, hidden = 0, reason }: BodyProps) => (
  <div>
    <h3>
      {title}{' '}
      <span class="quiet">
        {[
          size === undefined ? '' : bytesText(size),
          isCut ? 'only the beginning' : '',
          hidden > 0 ? `${hidden} hidden` : '',
          text === undefined && size !== undefined ? (reason === undefined ? 'empty' : `not kept: ${reason}`) : '',
        ]
          .filter((word) => word !== '')
          .join(', ')}
      </span>
    </h3>
    {text !== undefined && (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
      <pre class="console" tabIndex={0}>
        <VisibleText text={isCut ? text : formatJson(text)} />
      </pre>
    )}
  </div>
);

/** What stands for an error without a code. */
export const errorWord = ({ status }: LoggedCall): string => (status >= 400 ? `Status ${status}` : 'Error');

/** Who sent a call, in full. */
export const callerOf = ({ isFromPage, transport, userAgent, address }: LoggedCall): string =>
  [
    isFromPage
      ? 'a page of this node'
      : transport === 'library'
        ? 'the program that runs this node'
        : (userAgent ?? 'a program without a name'),
    transport === 'websocket' ? 'over WebSocket' : '',
    address ?? '',
  ]
    .filter((word) => word !== '')
    .join(', ');

/** The same in a word or two. */
export function shortCaller({ isFromPage, transport, userAgent }: LoggedCall): string {
  if (isFromPage) return 'this page';
  if (transport === 'library') return 'library';
  const name =
    userAgent === undefined ? '–' : userAgent.startsWith('Mozilla/') ? 'browser' : (userAgent.split(' ', 1)[0] ?? '').slice(0, 24);
  return transport === 'websocket' ? `${name}, WebSocket` : name;
}
