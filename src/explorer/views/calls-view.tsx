import { useState } from 'preact/hooks';
import { type CallDetails, type CallsData, type LoggedCall, shownCalls } from '../load/load-calls.ts';
import type { ViewProps } from '../load/page-context.ts';
import { decimalText, groupDigits, plural, timeText } from '../text/text-format.ts';
import { useActions } from './actions.ts';
import { CallDetailsView, callerOf, errorWord, shortCaller } from './call-details.tsx';
import { Chip, Empty, PageHead, Panel } from './parts.tsx';
import { TableHead } from './table.tsx';
import { TimeCell } from './time-text.tsx';
import { CodeSentence, VisibleText } from './visible-text.tsx';

/** The log of calls, newest first. The list follows the node, unless the reader holds it. */
export function CallsView({ data, origin }: ViewProps<CallsData>) {
  const [held, setHeld] = useState<CallsData | undefined>(undefined);
  const { opened, toggle } = useOpened(data.opened);
  const shown = held ?? data;
  const waiting = data.last - shown.last;
  const isListed = opened !== undefined && shown.calls.some(({ number }) => number === opened.call.number);
  return (
    <>
      <PageHead
        title="Calls"
        line={<>to this node, newest first; secrets are hidden</>}
        buttons={
          <button
            type="button"
            class="with-script"
            aria-pressed={held !== undefined}
            onClick={() => setHeld(held === undefined ? data : undefined)}
          >
            {held === undefined ? 'Pause' : waiting > 0 ? `Go on, ${groupDigits(waiting)} new` : 'Go on'}
          </button>
        }
      />
      {opened !== undefined && !isListed && (
        <Panel title={`Call ${opened.call.number}: ${nameOf(opened.call)}`}>
          <CallDetailsView details={opened} origin={origin} />
        </Panel>
      )}
      <Panel title={listTitle(shown)} side={<FilterForm filter={shown.filter} />}>
        {shown.calls.length === 0 && <NoCalls data={shown} origin={origin} />}
        {shown.calls.length > 0 && (
          <table class="calls">
            <TableHead columns={['Time', 'Call', 'Caller', 'Answer', { number: 'Took' }]} />
            <tbody>
              {shown.calls.map((call) => (
                <CallRow
                  key={call.number}
                  call={call}
                  opened={opened?.call.number === call.number ? opened : undefined}
                  {...{ toggle, origin }}
                />
              ))}
            </tbody>
          </table>
        )}
        {shown.skipped > 0 && (
          <p class="table-foot">
            {plural(shown.skipped, 'further call')} came too fast to be listed: the log takes 2,000 a second at most.
          </p>
        )}
      </Panel>
    </>
  );
}

function listTitle({ calls, kept, filter }: CallsData): string {
  if (filter.method !== '' || filter.errors) return `${plural(calls.length, 'call')} of ${groupDigits(kept)}`;
  return kept > shownCalls ? `The last ${shownCalls} of ${plural(kept, 'call')}` : plural(kept, 'call');
}

/** The method, or the route. */
const nameOf = ({ methods, batchSize, httpMethod, path }: LoggedCall): string => {
  if (methods.length === 0) return `${httpMethod} ${path}`;
  return methods.length === 1 ? (methods[0] as string) : `batch of ${batchSize ?? methods.length}: ${[...new Set(methods)].join(', ')}`;
};

type RowProps = {
  readonly call: LoggedCall;
  /** Its details, if they are shown below the row. */
  readonly opened: CallDetails | undefined;
  readonly toggle: (number: number) => void;
  readonly origin: string;
};

function CallRow({ call, opened, toggle, origin }: RowProps) {
  const { number, time, duration, status, error } = call;
  return (
    <>
      <tr>
        <td class="quiet line-2">
          <TimeCell time={time / 1000} form="clock" />
        </td>
        <td class="call-name line-1">
          <a
            class="mono"
            href={`?call=${number}`}
            aria-expanded={opened !== undefined}
            onClick={(event) => {
              event.preventDefault();
              toggle(number);
            }}
          >
            <VisibleText text={nameOf(call)} />
          </a>
        </td>
        <td class="line-2" title={callerOf(call)}>
          <VisibleText text={shortCaller(call)} />
        </td>
        <td class="line-2">
          {error === undefined ? <span class="quiet">{status}</span> : <Chip tone="bad">{error.code ?? errorWord(call)}</Chip>}
        </td>
        <td class="number line-2-end">{decimalText(duration, 3)} ms</td>
      </tr>
      {error !== undefined && opened === undefined && (
        <tr class="below">
          <td />
          <td colSpan={4}>
            <VisibleText text={error.message} />
            {error.remedy !== undefined && (
              <span class="remedy">
                <CodeSentence text={error.remedy} />
              </span>
            )}
          </td>
        </tr>
      )}
      {opened !== undefined && (
        <tr class="below">
          <td colSpan={5}>
            <CallDetailsView key={number} details={opened} origin={origin} />
          </td>
        </tr>
      )}
    </>
  );
}

const FilterForm = ({ filter: { method, errors } }: Pick<CallsData, 'filter'>) => (
  <form class="row" method="get" action="/dev/calls">
    <label>
      Method or path <input name="method" class="mono" defaultValue={method} placeholder="issueTx" maxLength={100} size={14} />
    </label>
    <label class="check">
      <input type="checkbox" name="errors" value="1" defaultChecked={errors} /> Only errors
    </label>
    <button type="submit">Show</button>
    {(method !== '' || errors) && <a href="/dev/calls">Show all</a>}
  </form>
);

const NoCalls = ({ data: { kept, since }, origin }: { data: CallsData; origin: string }) => {
  if (kept > 0) return <p class="table-foot">None of {plural(kept, 'call')} fits.</p>;
  const curl = `curl -s ${origin}/ext/info -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"info.getNodeVersion","params":{}}'`;
  return (
    <Empty title="No calls yet">
      <p>
        Calls are kept since {timeText(since / 1000)} UTC, when this page was opened, until five minutes after it is closed. What pages read
        is not listed. Try one:
      </p>
      <pre class="console">{curl}</pre>
      <button type="button" class="with-script" data-copy={curl}>
        Copy
      </button>
    </Empty>
  );
};

/** The call whose details are shown: the one of the URL at first. */
function useOpened(first: CallDetails | undefined) {
  const actions = useActions();
  const [opened, setOpened] = useState(first);
  const toggle = async (number: number): Promise<void> => {
    if (opened?.call.number === number) return setOpened(undefined);
    const { result } = (await actions?.dev<CallDetails>('dev.callBodies', { number })) ?? {};
    if (result !== undefined) setOpened(result);
  };
  return { opened, toggle: (number: number): void => void toggle(number) };
}
