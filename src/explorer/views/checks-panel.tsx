import type { TxCheckResult, TxChecks } from '../../api/contract/answers.ts';
import { type CheckRow, checkRows } from '../load/check-rows.ts';
import type { PageContext } from '../load/page-context.ts';
import { Panel, SaveMenu, Scroll, TxLink } from './parts.tsx';

const resultWords: { readonly [result in TxCheckResult['result']]: string } = { pass: 'pass', fail: 'fail', 'not-run': 'not run' };

/** Each check of a transaction in order, with the one that failed. */
export function ChecksPanel({ checks, context }: { checks: TxChecks; context: PageContext }) {
  const rows = checkRows(checks, context);
  const count = (result: CheckRow['result']): number => rows.filter((row) => row.result === result).length;
  return (
    <Panel
      title="Checks"
      side={
        <>
          <span>
            on the last block: {count('pass')} pass, {count('fail')} fail, {count('not-run')} not run
          </span>
          <SaveMenu csv="checks" />
        </>
      }
    >
      <Scroll>
        <table data-csv="checks" class="checks">
          <thead class="hidden">
            <tr>
              <th>Result</th>
              <th>Check</th>
              <th>Values</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr class={row.result}>
                <td>
                  <span class={`result ${row.result}`}>{resultWords[row.result]}</span>
                </td>
                <td class="line-1">
                  {row.word} {row.failed?.code !== undefined && <span class="mono bad-text">{row.failed.code}</span>}
                </td>
                <td class="breakable">{row.failed === undefined ? row.note : <Failure failed={row.failed} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Panel>
  );
}

function Failure({ failed: { path, message, values } }: { failed: TxCheckResult }) {
  const { spentBy } = values;
  return (
    <>
      {path !== undefined && <span class="mono">{path} </span>}
      {typeof spentBy === 'string' ? (
        <>
          spent by <TxLink id={spentBy} />
        </>
      ) : (
        message
      )}
    </>
  );
}
