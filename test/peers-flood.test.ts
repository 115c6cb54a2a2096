import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readMemory } from '../bench/process-usage.ts';
import { nodeIdOfCertificate, nodeIdText } from '../src/base/bytes/node-id.ts';
import { certificatePem, newKeyPair, privateKeyPem } from '../src/network/identity/certificate.ts';
import { recordFigure } from './figure.ts';
import type { HostileName } from './hostile-kinds.ts';
import { createLanes, expectSameChains, isBootstrapped, issueTo, type NetworkNode, untilAcceptedBy } from './network-nodes.ts';
import { eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';
import { startTrustedNode } from './trusted-node.ts';

/** Two stakers, one of them flooded by peers without stake: both accept, and its memory stays bounded. More kinds: `npm run bench -- --hostile`. */
const kinds: readonly HostileName[] = ['getAccepted', 'pushQuery', 'appGossip', 'zstdBomb'];
const peersPerKind = Number(process.env.SERAC_HOSTILE_PEERS ?? 3);

const folder = mkdtempSync(join(tmpdir(), 'serac-flood-'));
const ended: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ended.splice(0).reverse()) await end();
  rmSync(folder, { recursive: true, force: true });
});

/** A key pair of a staker, as files. */
function createStaker(name: string) {
  const pair = newKeyPair(1_700_000_000n);
  const files = { certificate: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
  writeFileSync(files.certificate, certificatePem(pair));
  writeFileSync(files.key, privateKeyPem(pair), { mode: 0o600 });
  return {
    nodeID: nodeIdText(nodeIdOfCertificate(pair.certificate)),
    flags: [`--staking-tls-cert-file=${files.certificate}`, `--staking-tls-key-file=${files.key}`],
  };
}

async function startStaker(name: string, flags: readonly string[]): Promise<Program> {
  const program = await startProgram(
    'join',
    '--network-id=local',
    '--force',
    '--staking-host=127.0.0.1',
    '--staking-port=0',
    '--log-level=warn',
    `--data-dir=${join(folder, name)}`,
    ...flags,
  );
  ended.push(() => program.stop('SIGKILL'));
  return program;
}

test('a flood of peers without stake does not stop a staker, and what they made it hold is given back', async () => {
  const trusted = startTrustedNode();
  ended.push(trusted.stop);
  const [first, second] = [createStaker('first'), createStaker('second')];
  trusted.chain.validators = [first.nodeID, second.nodeID];
  const shared = `--validators-from=${trusted.url}`;
  const target = await startStaker('first', [...first.flags, shared]);
  const address = target.banner.peersAt as string;
  const other = await startStaker('second', [...second.flags, shared, `--bootstrap-ips=${address}`, `--bootstrap-ids=${first.nodeID}`]);
  const nodes: NetworkNode[] = [
    { name: 'flooded', client: target.client },
    { name: 'other', client: other.client },
  ];
  for (const node of nodes) await eventually(() => isBootstrapped(node), Boolean, 60_000);
  const lanes = createLanes(1);
  const accept = async (tx = lanes.next(0)): Promise<number> => {
    await issueTo(nodes[1] as NetworkNode, tx);
    return Math.max(...(await untilAcceptedBy(nodes, tx.id, 120_000)));
  };
  await accept(lanes.first);
  const megabytes = (): number => readMemory(target.pid)?.megabytes ?? Number.NaN;
  const before = megabytes();
  const floods = kinds.map((kind) =>
    Bun.spawn([process.execPath, fileURLToPath(new URL('hostile-peers.ts', import.meta.url)), kind, String(peersPerKind), address], {
      stdout: 'pipe',
    }),
  );
  ended.push(() => {
    for (const flood of floods) flood.kill('SIGKILL');
  });
  // Each writes a line when its peers are connected.
  await Promise.all(floods.map(async ({ stdout }) => (await stdout.getReader().read()).value));
  const peersOf = async () =>
    Number(((await target.client.call('/ext/info', 'info.peers')).result as unknown as { numPeers: string }).numPeers);
  let [slowest, highest, connected] = [0, 0, 0];
  for (let i = 0; i < 5; i++) {
    connected = Math.max(connected, await peersOf());
    slowest = Math.max(slowest, await accept());
    highest = Math.max(highest, megabytes());
  }
  // Those that keep others from being read are closed (src/network/peers/read-gate.ts).
  expect(connected).toBeGreaterThan((kinds.length * peersPerKind) / 2);
  for (const flood of floods) {
    flood.kill('SIGKILL');
    await flood.exited;
  }
  await eventually(peersOf, (count) => count === 1, 60_000);
  await accept();
  await expectSameChains(nodes);
  recordFigure({ name: 'acceptance of a staker during a flood of peers without stake', unit: 'ms', value: slowest, limit: 30_000 });
  recordFigure({ name: 'growth during a flood of peers without stake', unit: 'MB', value: highest - before, limit: 300 });
  await eventually(
    async () => megabytes() - before,
    (growth) => growth < 100,
    60_000,
  );
});
