import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Output } from '../src/avm/tx/output.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { chainRoot, plainAddress, sendRequest } from './data-requests.ts';
import { pChain } from './local-chain.ts';
import {
  createLanes,
  expectSameChains,
  heightOf,
  isBootstrapped,
  issueTo,
  type NetworkNode,
  nodeIDOf,
  untilAcceptedBy,
} from './network-nodes.ts';
import { platformExport, platformImport } from './platform-export.ts';
import { eventually } from './processes.ts';
import { type Program, runProgram, startProgramAsUsers } from './program.ts';
import { createRandom } from './random.ts';
import { startStakerNetwork } from './staker-network.ts';
import { createWallet, ewoq, exportTx, importTx, type Key, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** A network with sybil protection: four of the five local stakers are AvalancheGo nodes. Serac joins without stake, then as the fifth. */
const binary = process.env.AVALANCHEGO;
const keys = process.env.AVALANCHEGO_STAKING_KEYS;

const folder = mkdtempSync(join(tmpdir(), 'serac-stakers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The change of the first transaction: far more than a lane has. */
const isLarge = (output: Output): boolean => 'amount' in output && output.amount > 10n ** 15n;

if (binary === undefined || keys === undefined)
  console.log(
    "skipped: joining a network with stakers; set AVALANCHEGO to AvalancheGo's binary and AVALANCHEGO_STAKING_KEYS to staking/local of its source",
  );
else
  test('Serac joins a network with sybil protection: without stake it follows, with a staker key it votes and proposes', async () => {
    const stakers = await startStakerNetwork(binary, keys, { avalancheGo: 4 });
    const others: readonly NetworkNode[] = stakers.nodes;
    const [first] = others as [NetworkNode];
    const lanes = createLanes(4);
    const issue = async (node: NetworkNode, nodes: readonly NetworkNode[], lane: number): Promise<number> => {
      const tx = lanes.next(lane);
      await issueTo(node, tx);
      return Math.max(...(await untilAcceptedBy(nodes, tx.id)));
    };
    let program: Program | undefined;
    try {
      const ids = await Promise.all(others.map(nodeIDOf));
      const addresses = await Promise.all(
        others.map(async ({ client }) => ((await client.call('/ext/info', 'info.getNodeIP')).result as unknown as { ip: string }).ip),
      );
      const flags = [
        '--network-id=local',
        `--validators-from=${stakers.nodes[0]?.url}`,
        `--bootstrap-ips=${addresses.join()}`,
        `--bootstrap-ids=${ids.join()}`,
        '--staking-host=127.0.0.1',
        '--staking-port=0',
        '--health-check-frequency=1s',
      ];
      await issueTo(first, lanes.first);
      await untilAcceptedBy(others, lanes.first.id);

      // Without stake: nobody asks it, it follows by its own questions, and its transactions reach the others.
      program = await startProgramAsUsers('join', ...flags, `--data-dir=${join(folder, 'outsider')}`);
      const outsider: NetworkNode = { name: 'Serac', client: program.client };
      await eventually(
        () => isBootstrapped(outsider),
        (isDone) => isDone,
        60_000,
      );
      const times = [];
      for (let i = 0; i < 4; i++) times.push(await issue(i % 2 === 0 ? outsider : first, [...others, outsider], i));
      console.log(`without stake: accepted by all after ${times.map(Math.round).join(', ')} ms`);
      expect((await outsider.client.call('/ext/info', 'info.uptime')).error?.message).toContain('not a validator');
      await expectSameChains([...others, outsider]);

      // The node of --validators-from tells which exports the P-Chain has imported.
      const wallet = createWallet('exports of a joined chain', { keys: [ewoq], count: 1 });
      const owner = wallet.keys[1] as Key;
      const change = effectsOf(lanes.first).created.find(({ output }) => output.addresses[0] === ewoq.address && isLarge(output)) as Utxo;
      const sent = [transfer(localChainParams.feeAsset, 5_000_000_000n, ownedBy([owner]))];
      const exported = signDraft(exportTx(wallet, { utxos: [change], change: ownedBy([ewoq]) }, pChain, sent));
      await issueTo(first, exported);
      await untilAcceptedBy([...others, outsider], exported.id);
      const path = `${chainRoot}/balances?addresses=${plainAddress(owner)}`;
      const shared = async () => (await sendRequest(outsider.client, { path })).json.balances.atomicMemoryUnlocked;
      expect(await shared()).toMatchObject([{ amount: '5000000000' }]);
      expect((await shared())[0]).not.toHaveProperty('mayBeImported');
      const imported = platformImport(wallet, effectsOf(exported).exported?.utxos ?? []);
      const { error } = await first.client.call('/ext/bc/P', 'platform.issueTx', { tx: formatHex('hex', imported), encoding: 'hex' });
      expect(error).toBeUndefined();
      expect(await eventually(shared, (all) => all.length === 0, 60_000)).toEqual([]);
      // What the P-Chain exports is read from the trusted node: it is listed, and its import is issued, proposed and stored here.
      const importer = createWallet('imports of a joined chain', { keys: [ewoq], count: 4 });
      const onP = await first.client.call('/ext/bc/P', 'platform.getUTXOs', {
        addresses: [createAddressFormatter('P', 'local')(ewoq.address)],
      });
      const fromP = platformExport(importer, (onP.result as unknown as { utxos: string[] }).utxos, createRandom(1));
      const issued = await first.client.call('/ext/bc/P', 'platform.issueTx', { tx: formatHex('hex', fromP.bytes), encoding: 'hex' });
      expect(issued.error).toBeUndefined();
      const owners = importer.keys.map(({ address }) => createAddressFormatter('X', 'local')(address));
      const listed = await eventually(
        async () =>
          (await outsider.client.call('/ext/bc/X', 'avm.getUTXOs', { addresses: owners, sourceChain: 'P' })).result as unknown as {
            utxos: string[];
          },
        ({ utxos }) => utxos.length > 0,
        60_000,
      );
      expect(listed.utxos.length).toBe(fromP.utxos.length);
      const single = fromP.utxos
        .filter(({ output }) => output.addresses.length === 1 && 'amount' in output && output.amount > 1_000_000n)
        .slice(0, 3);
      const importToX = signDraft(importTx(importer, { utxos: [] }, pChain, single));
      await issueTo(outsider, importToX);
      await untilAcceptedBy([...others, outsider], importToX.id);
      const shown = (await sendRequest(outsider.client, { path: `${chainRoot}/transactions/${idText(importToX.id)}` })).json;
      expect(shown.consumedUtxos.map((utxo: { isIncomplete?: boolean }) => utxo.isIncomplete ?? false)).toEqual([false, false, false]);
      await program.stop();

      // The fifth staker has 20 % of the stake: refused unless the P- and C-Chain are answered for.
      const staker = [
        `--staking-tls-cert-file=${join(keys, 'staker5.crt')}`,
        `--staking-tls-key-file=${join(keys, 'staker5.key')}`,
        `--staking-signer-key-file=${join(keys, 'signer5.key')}`,
        `--data-dir=${join(folder, 'staker')}`,
      ];
      const refused = await runProgram('join', ...flags, ...staker, '--http-port=0', '--silent');
      expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('20.00 % of the stake')]);
      program = await startProgramAsUsers('join', ...flags, ...staker, '--echo-other-chains');
      const fifth: NetworkNode = { name: 'Serac, staker 5', client: program.client };
      await eventually(
        () => isBootstrapped(fifth),
        (isDone) => isDone,
        60_000,
      );
      const nodes = [...others, fifth];
      const votes: number[] = [];
      for (let i = 0; i < 12; i++) votes.push(await issue(nodes[i % nodes.length] as NetworkNode, nodes, i % 4));
      console.log(`as a staker: accepted by all after ${votes.map(Math.round).join(', ')} ms`);
      // It proposes one in five blocks: that 80 contain none of its own happens once in 50 million runs.
      const countBuilt = async (): Promise<number> => {
        const metrics = (await fifth.client.send('GET', '/ext/metrics')).text;
        return Number(/^avalanche_snowman_blks_built\{chain="X"\} (\d+)/m.exec(metrics)?.[1] ?? 0);
      };
      for (let i = 0; i < 68 && (await countBuilt()) === 0; i++) await issue(fifth, nodes, i % 4);
      console.log(`blocks built by Serac: ${await countBuilt()} of ${await heightOf(fifth)}`);
      expect(await countBuilt()).toBeGreaterThan(0);
      const uptime = (await fifth.client.call('/ext/info', 'info.uptime')).result as unknown as { weightedAveragePercentage: string };
      expect(Number(uptime.weightedAveragePercentage)).toBeGreaterThan(0);
      expect((await first.client.send('GET', '/ext/health')).text).toContain('"healthy":true');
      await expectSameChains(nodes);
    } finally {
      await program?.stop();
      await stakers.stop();
    }
  }, 400_000);
