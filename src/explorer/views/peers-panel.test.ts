import { expect, test } from 'bun:test';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { PeerRow } from '../load/load-node.ts';
import { PeersPanel } from './peers-panel.tsx';

const peer: PeerRow = {
  nodeID: 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg',
  ip: '203.0.113.17:9651',
  version: 'avalanchego/1.14.2',
  lastReceived: '2026-11-15T20:00:00Z',
  observedUptime: '98',
  trackedSubnets: ['11111111111111111111111111111111LpoYY'],
  benched: [],
};
const now = Date.UTC(2026, 10, 15, 20, 0, 9) / 1000;
const render = (peers: readonly PeerRow[], clockOffset = 0): string => renderToString(h(PeersPanel, { peers, clockOffset, now }));

test('a peer with version, last message, uptime and benched chains', () => {
  const html = render([peer, { ...peer, version: 'serac/0.1.0 avalanchego/1.14.2', benched: ['X'] }]);
  for (const text of ['avalanchego/1.14.2', '9 s', 'ago', '98', 'on 1 chain: X', peer.nodeID, '203.0.113.17:9651'])
    expect([text, html.includes(text)]).toEqual([text, true]);
  expect(html).toContain(`data-age="${now - 9}"`);
  // The ages on the page go by the chain's clock.
  expect(render([peer], 3600)).toContain(`data-age="${now - 9 + 3600}"`);
});

test('more peers than rows', () => {
  const html = render(Array.from({ length: 250 }, () => peer));
  expect(html).toContain('100 of 250');
  expect(html.match(/<tr[ >]/g)).toHaveLength(101);
});
