import type { HealthCheck, NodeData } from '../load-node.ts';
import { groupDigits, plural } from '../text-format.ts';
import { Chip, PageHead, Panel, Scroll } from './parts.tsx';
import type { ViewProps } from './view.ts';

export function NodeView({ data: { nodeID, health, versions, peers, upgrades }, context }: ViewProps<NodeData>) {
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
      />
      {checks.length > 0 && (
        <Panel title="Health">
          <Scroll>
            <table>
              <thead>
                <tr>
                  <th>Result</th>
                  <th>Check</th>
                  <th>Message</th>
                  <th class="number">Took</th>
                  <th class="number">Checked</th>
                </tr>
              </thead>
              <tbody>
                {checks.map(([name, check]) => (
                  <CheckRow name={name} check={check} />
                ))}
              </tbody>
            </table>
          </Scroll>
        </Panel>
      )}
      {peers !== undefined && (
        <Panel title="Peers" side={<span>{groupDigits(peers.length)}</span>}>
          {peers.length === 0 ? (
            <p class="table-foot">None: this node builds its own blocks, or follows another node over RPC.</p>
          ) : (
            <Scroll>
              <table>
                <thead>
                  <tr>
                    <th>Node</th>
                    <th>Address</th>
                    <th>Version</th>
                  </tr>
                </thead>
                <tbody>
                  {peers.slice(0, 100).map((peer) => (
                    <tr>
                      <td class="mono">{peer.nodeID}</td>
                      <td class="mono">{peer.ip}</td>
                      <td>{peer.version}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
          )}
        </Panel>
      )}
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

const CheckRow = ({ name, check }: { name: string; check: HealthCheck }) => (
  <tr class={check.error === undefined ? '' : 'failed'}>
    <td>
      <Chip tone={check.error === undefined ? 'ok' : 'bad'}>{check.error === undefined ? 'pass' : 'fail'}</Chip>
    </td>
    <td>
      <b>{name}</b>
    </td>
    <td class="breakable">{check.error ?? messageText(check.message)}</td>
    <td class="number">{(check.duration / 1e6).toFixed(1)} ms</td>
    <td class="number mono">{check.timestamp.slice(11, 19)}</td>
  </tr>
);

function messageText(message: unknown): string {
  if (message === undefined || message === null) return '';
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
