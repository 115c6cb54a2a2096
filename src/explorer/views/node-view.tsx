import { parseRfc3339 } from '../../base/bytes/rfc3339.ts';
import { healthValue } from '../load/health-value.ts';
import { compareChecks, healthWords } from '../load/health-words.ts';
import type { HealthCheck, NodeData } from '../load/load-node.ts';
import { historyRanges } from '../load/node-history.ts';
import type { ViewProps } from '../load/page-context.ts';
import { ageText, bytesText, groupDigits, plural } from '../text/text-format.ts';
import { useActions } from './actions.ts';
import { blocksPlot, cpuPlot, HistoryPlots, memoryPlot, waitingPlot } from './history-plots.tsx';
import { Chip, Facts, FoldedPanel, PageHead, Panel } from './parts.tsx';
import { PeersPanel } from './peers-panel.tsx';
import { SettingsPanel } from './settings-panel.tsx';
import { TableHead } from './table.tsx';
import { TimeText } from './time-text.tsx';

export function NodeView({ data, context, now }: ViewProps<NodeData>) {
  const { nodeID, health, versions, peers, upgrades, clockOffset } = data;
  const actions = useActions();
  const checks = Object.entries(health?.checks ?? {}).toSorted(byVerdict);
  const failing = checks.filter(([, { error }]) => error !== undefined).length;
  const place = [
    data.height === undefined ? [] : `at height ${groupDigits(data.height)}`,
    peers === undefined || peers.length === 0 ? [] : plural(peers.length, 'peer'),
  ].flat();
  const verdict = health === undefined ? 'Node' : health.healthy ? 'Healthy' : 'Not healthy';
  return (
    <>
      <PageHead
        title={[verdict, ...place].join(', ')}
        chip={
          health && (
            <Chip tone={health.healthy ? 'ok' : 'bad'}>
              {failing === 0 ? 'all checks pass' : `${plural(failing, 'check')} of ${checks.length} failing`}
            </Chip>
          )
        }
        line={health === undefined ? 'This server does not show its health.' : undefined}
        id={nodeID}
        buttons={
          <button type="button" class="with-script" onClick={() => void actions?.reload()}>
            Check now
          </button>
        }
      />
      {checks.length > 0 && (
        <Panel title="Health" weight="answer" side={<span>{plural(checks.length, 'check')}</span>}>
          <table>
            <TableHead columns={['Result', 'Check', 'What it found', { number: 'Since' }]} />
            <tbody>
              {checks.map(([name, check]) => (
                <CheckRow name={name} check={check} since={sinceOf(name, check, data)} now={now} />
              ))}
            </tbody>
          </table>
        </Panel>
      )}
      <ProcessFacts data={data} now={now} />
      {data.history !== undefined && (
        <>
          <div class="section-head">
            <h2>The last {data.history.range === 'day' ? '24 hours' : 'hour'}</h2>
            <nav class="switch" aria-label="Range">
              {Object.entries(historyRanges).map(([name, { word }]) => (
                <a href={`/node?range=${name}`} aria-current={name === data.history?.range ? 'true' : undefined} data-in-place>
                  {word}
                </a>
              ))}
            </nav>
          </div>
          <HistoryPlots history={data.history} plots={[cpuPlot, memoryPlot, blocksPlot, waitingPlot]} />
        </>
      )}
      {peers !== undefined && peers.length > 0 && <PeersPanel peers={peers} clockOffset={clockOffset} now={now} />}
      {data.settings !== undefined && <SettingsPanel settings={data.settings} />}
      <div class="two">
        <Panel title="Versions" weight="rest">
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
          <Panel title="Network upgrades" weight="rest">
            <dl class="upgrades">
              {upgradesByTime(upgrades).map(([time, names]) => (
                <div>
                  <dt>{time >= notScheduled ? 'not scheduled' : <TimeText time={time} />}</dt>
                  <dd>{names.join(', ')}</dd>
                </div>
              ))}
            </dl>
          </Panel>
        )}
      </div>
      {health !== undefined && (
        <FoldedPanel title="Health as JSON" side="as health.health answers it">
          <pre class="well">{JSON.stringify(health, null, 2)}</pre>
        </FoldedPanel>
      )}
    </>
  );
}

/** AvalancheGo: upgrade/upgrade.go, UnscheduledActivationTime, 1 December 9999. */
const notScheduled = 253_399_622_400;

/** The upgrades of the network with the times at which they begin; those of one time together. */
function upgradesByTime(upgrades: NonNullable<NodeData['upgrades']>): [time: number, names: string[]][] {
  const times = Object.entries(upgrades).flatMap(([name, value]) =>
    typeof value === 'string' && value.includes('T') ? [{ name: name.replace(/Time$/, ''), time: unixOf(value) }] : [],
  );
  return [...Map.groupBy(times, ({ time }) => time)].map(([time, list]) => [time, list.map(({ name }) => name)]);
}

/** What fails comes first. */
const byVerdict = (
  [a, { error: errorA }]: readonly [string, HealthCheck],
  [b, { error: errorB }]: readonly [string, HealthCheck],
): number => Number(errorA === undefined) - Number(errorB === undefined) || compareChecks(a, b);

/** Since when a check passes or fails, by the clock of the page; undefined if this server does not say. */
function sinceOf(name: string, { error, timeOfFirstFailure }: HealthCheck, { history, clockOffset }: NodeData): number | undefined {
  const failedAt = error === undefined || timeOfFirstFailure === undefined ? undefined : unixOf(timeOfFirstFailure);
  const since = failedAt ?? history?.checks[name];
  return since === undefined ? undefined : since + clockOffset;
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

/** A check as a line: good or bad, its name and meaning, what it found and what to do, since when. */
function CheckRow({ name, check, since, now }: { name: string; check: HealthCheck; since: number | undefined; now: number }) {
  const { name: word, meaning, remedy } = healthWords(name);
  const isGood = check.error === undefined;
  return (
    <tr class={isGood ? '' : 'failed'}>
      <td>
        <Chip tone={isGood ? 'ok' : 'bad'}>{isGood ? 'good' : 'bad'}</Chip>
      </td>
      <td class="line-1">
        <b title={name}>{word}</b>
      </td>
      <td class="breakable line-2">
        {isGood ? (
          <>
            {meaning} <span class="quiet">{healthValue(name, check.message)}</span>
          </>
        ) : (
          <>
            {check.error}. <b>{remedy}</b>
          </>
        )}
      </td>
      <td class="number line-1-end" title={`checked at ${check.timestamp}`}>
        {since === undefined ? '–' : <span data-age={since}>{ageText(now - since)}</span>}
      </td>
    </tr>
  );
}
