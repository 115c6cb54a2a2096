import { parseRfc3339 } from '../../base/bytes/rfc3339.ts';
import { healthValue } from '../load/health-value.ts';
import type { HealthCheck, NodeData } from '../load/load-node.ts';
import type { ViewProps } from '../load/page-context.ts';
import { ageText, bytesText, groupDigits, plural } from '../text/text-format.ts';
import { useActions } from './actions.ts';
import { Chip, Facts, PageHead, Panel, Scroll } from './parts.tsx';
import { PeersPanel } from './peers-panel.tsx';
import { ProcessPlots } from './process-plots.tsx';
import { SettingsPanel } from './settings-panel.tsx';
import { TableHead } from './table.tsx';

export function NodeView({ data, context, now }: ViewProps<NodeData>) {
  const { nodeID, health, versions, peers, upgrades, clockOffset } = data;
  const actions = useActions();
  const checks = Object.entries(health?.checks ?? {}).toSorted(([a], [b]) => a.localeCompare(b));
  const failing = checks.filter(([, { error }]) => error !== undefined).length;
  return (
    <>
      <PageHead
        title="Node"
        chip={health && <Chip tone={health.healthy ? 'ok' : 'bad'}>{health.healthy ? 'healthy' : 'not healthy'}</Chip>}
        line={
          health === undefined
            ? 'this server does not show its health'
            : failing === 0
              ? `${plural(checks.length, 'check')}, all pass`
              : `${failing} of ${plural(checks.length, 'check')} fail`
        }
        id={nodeID}
        buttons={
          <button type="button" class="with-script" onClick={() => void actions?.reload()}>
            Check now
          </button>
        }
      />
      <ProcessFacts data={data} now={now} />
      <ProcessPlots data={data} now={now} />
      {checks.length > 0 && (
        <Panel title="Health">
          <Scroll>
            <table>
              <TableHead columns={['Result', 'Check', 'Value', { number: 'Took' }, { number: 'Checked' }]} />
              <tbody>
                {checks.map(([name, check]) => (
                  <CheckRow name={name} check={check} time={unixOf(check.timestamp) + clockOffset} now={now} />
                ))}
              </tbody>
            </table>
          </Scroll>
        </Panel>
      )}
      {peers !== undefined && peers.length > 0 && <PeersPanel peers={peers} clockOffset={clockOffset} now={now} />}
      {data.settings !== undefined && <SettingsPanel settings={data.settings} />}
      <div class="two">
        <Panel title="Versions">
          <dl class="pairs">
            <div>
              <dt>Serac</dt>
              <dd>{context.version}</dd>
            </div>
            {Object.entries(versions ?? {}).map(([name, text]) => (
              <div>
                <dt>{name}</dt>
                <dd class="mono">{text}</dd>
              </div>
            ))}
          </dl>
        </Panel>
        {upgrades !== undefined && (
          <Panel title="Network upgrades">
            <dl class="pairs">
              {Object.entries(upgrades)
                .filter(([, value]) => typeof value === 'string' && value.includes('T'))
                .map(([name, value]) => (
                  <div>
                    <dt>{name.replace(/Time$/, '')}</dt>
                    <dd class="mono">{String(value)}</dd>
                  </div>
                ))}
            </dl>
          </Panel>
        )}
      </div>
    </>
  );
}

/** Unix seconds of an RFC 3339 time. */
const unixOf = (text: string): number => Number(parseRfc3339(text) ?? 0n);

/** Memory, age and CPU time of the process. */
function ProcessFacts({ data: { process, clockOffset }, now }: { data: NodeData; now: number }) {
  if (process === undefined) return null;
  const { residentBytes, cpuSeconds, startTime } = process;
  const started = startTime === undefined ? undefined : Math.floor(startTime) + clockOffset;
  return (
    <Facts
      columns={3}
      facts={[
        { name: 'Memory', value: residentBytes === undefined ? '–' : bytesText(residentBytes), note: 'resident' },
        { name: 'Up', value: started === undefined ? '–' : <span data-age={started}>{ageText(now - started)}</span> },
        { name: 'CPU time', value: cpuSeconds === undefined ? '–' : `${groupDigits(Math.round(cpuSeconds))} s` },
      ]}
    />
  );
}

const CheckRow = ({ name, check, time, now }: { name: string; check: HealthCheck; time: number; now: number }) => (
  <tr class={check.error === undefined ? '' : 'failed'}>
    <td>
      <Chip tone={check.error === undefined ? 'ok' : 'bad'}>{check.error === undefined ? 'pass' : 'fail'}</Chip>
    </td>
    <td class="line-1">
      <b>{name}</b>
    </td>
    <td class="breakable">{check.error ?? healthValue(name, check.message)}</td>
    <td class="number" data-name="Took">
      {(check.duration / 1e6).toFixed(1)} ms
    </td>
    <td class="number" title={check.timestamp}>
      <span data-age={time}>{ageText(now - time)}</span> ago
    </td>
  </tr>
);
