import { timeText } from '../text/text-format.ts';
import { useLive } from './live.ts';
import { Panel } from './parts.tsx';

/** The latest events of the stream since the page opened, newest first. */
export function EventLog() {
  const live = useLive();
  if (live === undefined) return null;
  return (
    <Panel title="Events" side={<span>since this page opened</span>}>
      <table>
        <tbody>
          {live.log.map(({ number, time, kind, text, href }) => (
            <tr key={number}>
              <td class="mono quiet">{timeText(time)}</td>
              <td>
                <b>{kind}</b>
              </td>
              <td class="breakable">{href === undefined ? text : <a href={href}>{text}</a>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {live.log.length === 0 && <p class="table-foot">None yet.</p>}
    </Panel>
  );
}
