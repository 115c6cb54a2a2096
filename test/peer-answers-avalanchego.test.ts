import { expect, test } from 'bun:test';
import { type AvalancheGo, startAvalancheGo } from './avalanchego.ts';
import { isBootstrapped, type NetworkNode, nodeIDOf, peersOf } from './network-nodes.ts';
import { eventually } from './processes.ts';
import { type Program, startProgramAsUsers } from './program.ts';

/**
 * What nodes say about their peers. In a network of two AvalancheGo nodes and one Serac node, all connected, the second AvalancheGo node and Serac
 * are asked the same. Both see the first AvalancheGo node, so these answers are equal; others have the same shape.
 */
const binary = process.env.AVALANCHEGO;

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

const ask = async ({ client }: NetworkNode, method: string, params: object = {}): Promise<JsonObject> =>
  (await client.call('/ext/info', method, params)).result as unknown as JsonObject;

/** Forms of texts, the first that fits. */
const forms: readonly (readonly [name: string, form: RegExp])[] = [
  ['time in whole seconds', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
  ['time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d)$/],
  ['node ID', /^NodeID-\w+$/],
  ['address and port', /^127\.0\.0\.1:\d+$/],
  ['duration', /^(\d+h)?(\d+m)?\d+(\.\d+)?(ns|µs|ms|s)$/],
  ['four decimals', /^\d+\.\d{4}$/],
  ['number', /^\d+$/],
];

/** Keys in their order, forms of texts and kinds of numbers. Equal shapes mean that a client that reads one answer can read the other. */
function shapeOf(value: Json | undefined): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value === 'object' && value !== null) return Object.entries(value).map(([key, one]) => [key, shapeOf(one)]);
  if (typeof value === 'string') return forms.find(([, form]) => form.test(value))?.[0] ?? value;
  return value === null ? null : typeof value;
}

/** The names of labels of each metric. */
async function metricsOf({ client }: NetworkNode): Promise<ReadonlyMap<string, string>> {
  const { text } = await client.send('GET', '/ext/metrics');
  return new Map(
    [...text.matchAll(/^(\w+)(?:\{(.*)\})? /gm)].map(([, name = '', labels = '']) => [
      name,
      [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label).join(),
    ]),
  );
}

const checksOf = async ({ client }: NetworkNode): Promise<{ readonly [name: string]: JsonObject }> =>
  JSON.parse((await client.send('GET', '/ext/health')).text).checks;

if (binary === undefined) console.log('skipped: answers about peers beside AvalancheGo; set AVALANCHEGO to the path of its binary');
else
  test('info.* and health checks about peers are those of AvalancheGo', async () => {
    const running: (Pick<AvalancheGo, 'stop'> | Pick<Program, 'stop'>)[] = [];
    try {
      const first = await startAvalancheGo(binary);
      running.push(first);
      const seen: NetworkNode = { name: 'first AvalancheGo', client: first.client };
      const list = (nodes: readonly (readonly [port: number, id: string])[]) => [
        `--bootstrap-ips=${nodes.map(([port]) => `127.0.0.1:${port}`).join()}`,
        `--bootstrap-ids=${nodes.map(([, id]) => id).join()}`,
      ];
      const seenID = await nodeIDOf(seen);
      const second = await startAvalancheGo(binary, { flags: list([[first.stakingPort, seenID]]) });
      running.push(second);
      const go: NetworkNode = { name: 'AvalancheGo', client: second.client };
      const goID = await nodeIDOf(go);
      const beacons = [
        [first.stakingPort, seenID],
        [second.stakingPort, goID],
      ] as const;
      const program = await startProgramAsUsers(
        'join',
        '--network-id=local',
        '--sybil-protection-enabled=false',
        '--staking-host=127.0.0.1',
        '--staking-port=0',
        '--public-ip=127.0.0.1',
        '--echo-other-chains',
        '--health-check-frequency=1s',
        '--strict',
        ...list(beacons),
      );
      running.push(program);
      const serac: NetworkNode = { name: 'Serac', client: program.client };
      const seracID = await nodeIDOf(serac);
      await eventually(
        async () => (await isBootstrapped(serac)) && (await Promise.all([go, serac].map(peersOf))).every(({ length }) => length === 2),
        (isDone) => isDone,
        60_000,
      );

      // The same peer as both see it: all that does not depend on the connection is equal.
      const rowOf = async (node: NetworkNode, nodeID: string): Promise<JsonObject> => {
        const { numPeers, peers } = await ask(node, 'info.peers', { nodeIDs: [nodeID] });
        expect([node.name, numPeers, (peers as Json[]).length]).toEqual([node.name, '1', 1]);
        return (peers as JsonObject[])[0] as JsonObject;
      };
      const [byGo, bySerac] = [await rowOf(go, seenID), await rowOf(serac, seenID)];
      const common = ({ ip, lastSent, lastReceived, ...rest }: JsonObject): JsonObject => rest;
      expect(common(bySerac)).toEqual(common(byGo));
      expect(shapeOf(bySerac)).toEqual(shapeOf(byGo));
      // Each as the other sees it.
      const [goRow, seracRow] = [await rowOf(serac, goID), await rowOf(go, seracID)];
      expect(shapeOf(goRow)).toEqual(shapeOf(seracRow));
      expect(seracRow).toMatchObject({ version: goRow.version, publicIP: (await ask(serac, 'info.getNodeIP')).ip });
      expect(goRow.publicIP).toBe((await ask(go, 'info.getNodeIP')).ip);
      const all = await Promise.all([go, serac].map((node) => ask(node, 'info.peers')));
      expect(all.map(({ numPeers }) => numPeers)).toEqual(['2', '2']);
      expect(await ask(serac, 'info.peers', { nodeIDs: [seracID] })).toEqual(await ask(go, 'info.peers', { nodeIDs: [goID] }));

      for (const method of ['info.uptime', 'info.acps'])
        expect([method, await ask(serac, method)]).toEqual([method, await ask(go, method)]);
      expect(shapeOf(await ask(serac, 'info.getNodeIP'))).toEqual(shapeOf(await ask(go, 'info.getNodeIP')));

      const readChecks = () => Promise.all([go, serac].map(checksOf));
      const [goChecks = {}, seracChecks = {}] = await eventually(
        readChecks,
        (both) =>
          both.every(({ network }) => (network?.message as { connectedPeers?: number } | undefined)?.connectedPeers === 2) &&
          both.every((checks) => Object.values(checks).every(({ error }) => error === undefined)),
        60_000,
      );
      for (const name of ['network', 'router', 'bls', 'futureupgrade']) {
        expect([name, shapeOf(seracChecks[name])]).toEqual([name, shapeOf(goChecks[name])]);
      }
      expect(seracChecks.bls?.message).toEqual(goChecks.bls?.message as string);
      expect(seracChecks.futureupgrade?.message).toEqual(goChecks.futureupgrade?.message as JsonObject);
      const networking = (checks: typeof goChecks): Json | undefined => (checks.X?.message as JsonObject | undefined)?.networking;
      expect(networking(seracChecks)).toEqual(networking(goChecks) as Json);
      expect(shapeOf(seracChecks.X?.message)).toEqual(shapeOf(goChecks.X?.message));

      // Metrics with AvalancheGo's prefix are AvalancheGo's, with its labels. It exports these two only after transactions were gossiped.
      const exportedLater = new Set(['avalanche_avm_tx_gossip_count', 'avalanche_avm_tx_gossip_bytes']);
      const [goMetrics, seracMetrics] = [await metricsOf(go), await metricsOf(serac)];
      const joined = [...seracMetrics].filter(([name]) =>
        /^avalanche_(network|snowman|avm|requests|responses|benchlist|resource|handler|stake)_/.test(name),
      );
      expect(joined.length).toBeGreaterThan(100);
      expect(joined.filter(([name, labels]) => goMetrics.get(name) !== labels && !exportedLater.has(name))).toEqual([]);
    } finally {
      for (const one of running.reverse()) await one.stop();
    }
  });
