import { startAvalancheGo } from './avalanchego.ts';
import { createLanes, isBootstrapped, issueTo, nodeIDOf, peersOf, untilAcceptedBy } from './network-nodes.ts';
import { eventually } from './processes.ts';
import { startProgramAsUsers } from './program.ts';
import { writeFileSync } from 'node:fs';
const first = await startAvalancheGo('/tmp/avalanchego');
const a = { name: 'a', client: first.client };
const program = await startProgramAsUsers('join', '--network-id=local', '--sybil-protection-enabled=false', '--staking-host=127.0.0.1', '--staking-port=0', '--public-ip=127.0.0.1', '--echo-other-chains', '--proposervm-min-block-delay=0s', `--bootstrap-ips=127.0.0.1:${first.stakingPort}`, `--bootstrap-ids=${await nodeIDOf(a)}`);
const s = { name: 's', client: program.client };
await eventually(async () => (await isBootstrapped(s)) && (await peersOf(s)).length === 1, (x) => x, 60_000);
const lanes = createLanes(2);
await issueTo(a, lanes.first); await untilAcceptedBy([a, s], lanes.first.id);
for (let i = 0; i < 6; i++) { const tx = lanes.next(0); await issueTo([a, s][i % 2]!, tx); await untilAcceptedBy([a, s], tx.id); }
writeFileSync('/tmp/peersw/go.metrics', (await a.client.send('GET', '/ext/metrics')).text);
writeFileSync('/tmp/peersw/serac.metrics', (await s.client.send('GET', '/ext/metrics')).text);
await program.stop(); await first.stop(); process.exit(0);
