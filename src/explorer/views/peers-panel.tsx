import { parseRfc3339 } from '../../base/bytes/rfc3339.ts';
import type { PeerRow } from '../load/load-node.ts';
import { ageText, groupDigits, plural, shortId } from '../text/text-format.ts';
import { Panel, SaveMenu, Scroll } from './parts.tsx';
import { TableHead } from './table.tsx';

/** Rows that are shown; a node of a public network has over a thousand peers. */
const maxRows = 100;

/** Width of an uptime bar. */
const barWidth = 120;

/** The connected peers of a node that joined a network. `clockOffset`: what the chain's clock is ahead of the real one. */
export function PeersPanel({ peers, clockOffset, now }: { peers: readonly PeerRow[]; clockOffset: number; now: number }) {
  const versions = [...Map.groupBy(peers, ({ version }) => version)].toSorted(([, a], [, b]) => b.length - a.length);
  const heard = ({ lastReceived }: PeerRow): number => Number(parseRfc3339(lastReceived) ?? 0n) + clockOffset;
  return (
    <Panel
      title="Peers"
      side={
        <>
          <span>{peers.length > maxRows ? `${maxRows} of ${groupDigits(peers.length)}` : groupDigits(peers.length)}</span>
          {versions.length > 1 && (
            <span class="wide-only">
              {versions
                .slice(0, 3)
                .map(([version, all]) => `${version}: ${all.length}`)
                .join(', ')}
            </span>
          )}
          <SaveMenu csv="peers" />
        </>
      }
    >
      <Scroll>
        <table data-csv="peers">
          <TableHead
            columns={['Node', 'Address', 'Version', { number: 'Heard' }, 'Our uptime, as it sees it', { number: 'Subnets' }, 'Benched']}
          />
          <tbody>
            {peers.slice(0, maxRows).map((peer) => (
              <tr id={peer.nodeID}>
                <td class="mono" title={peer.nodeID}>
                  NodeID-{shortId(peer.nodeID.replace(/^NodeID-/, ''))}
                </td>
                <td class="mono">{peer.ip}</td>
                <td>{peer.version}</td>
                <td class="number line-1-end" title={peer.lastReceived}>
                  <span data-age={heard(peer)}>{ageText(now - heard(peer))}</span> ago
                </td>
                <td data-name="Our uptime">
                  <svg class="wide-only" width={barWidth} height="10" viewBox={`0 0 ${barWidth} 10`} aria-hidden="true">
                    <rect x="0" y="0" width={barWidth} height="10" class="fill-0" />
                    <rect
                      x="0"
                      y="0"
                      width={(Math.min(100, Number(peer.observedUptime)) / 100) * barWidth}
                      height="10"
                      class="mark-fill-1"
                    />
                  </svg>{' '}
                  {peer.observedUptime} %
                </td>
                <td class="number" data-name="Subnets">
                  {groupDigits(peer.trackedSubnets.length)}
                </td>
                <td data-name="Benched">
                  {peer.benched.length === 0 ? 'no' : `on ${plural(peer.benched.length, 'chain')}: ${peer.benched.join(', ')}`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Panel>
  );
}
