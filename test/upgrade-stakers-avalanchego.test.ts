import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadNetworkGenesis } from '../src/avm/genesis/network-genesis.ts';
import { parseUpgradeFile } from '../src/avm/genesis/upgrade-file.ts';
import { getNetwork } from '../src/avm/network.ts';
import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import { nodeIdText } from '../src/base/bytes/node-id.ts';
import { dagVectors } from './dag-chain.ts';
import { createLanes, expectSameChains, heightOf, issueTo, type NetworkNode, untilAcceptedBy } from './network-nodes.ts';
import { readOuterBlock } from './outer-blocks.ts';
import { type StakerNode, startStakerNetwork } from './staker-network.ts';
import { ewoq, localChainParams } from './wallet-kit.ts';

/**
 * 3 AvalancheGo and 2 Serac stakers decide blocks while Durango, Etna and Granite become active: other windows of proposers, then epochs. Every
 * block is signed by its proposer, and verified by the nodes of both kinds.
 */
const binary = process.env.AVALANCHEGO;
const keys = process.env.AVALANCHEGO_STAKING_KEYS;
const folder = mkdtempSync(join(tmpdir(), 'serac-upgrade-stakers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The network of vectors/dag.json, whose stakers have the local keys, but linearized from the start. */
const { networkID } = dagVectors.genesis;
/** Seconds from the start of the nodes to each upgrade, and to the end. */
const phases = { durango: 60, etna: 100, granite: 130, end: 175 };
const epochSeconds = 10;

function planUpgrades(start: number) {
  const at = (seconds: number): string => `${new Date(1000 * (start + seconds)).toISOString().slice(0, 19)}Z`;
  const { cortinaXChainStopVertexID: _, ...rest } = dagVectors.upgrades as Record<string, unknown>;
  return {
    ...rest,
    cortinaTime: '1970-01-01T00:00:00Z',
    durangoTime: at(phases.durango),
    etnaTime: at(phases.etna),
    fortunaTime: at(phases.etna),
    graniteTime: at(phases.granite),
    graniteEpochDuration: epochSeconds * 1_000_000_000,
  };
}

/** The X-Chain of the network: what transactions of it need, and the output of ewoq in its genesis. */
function openChain(upgrades: object) {
  const network = { ...getNetwork(networkID), upgrades: parseUpgradeFile(JSON.stringify(upgrades)) };
  const readData = (file: string) => readFileSync(new URL(`../src/avm/genesis/data/${file}`, import.meta.url));
  const { x } = loadNetworkGenesis(network, JSON.stringify(dagVectors.genesis), {
    readData,
    unixSeconds: BigInt(Math.floor(Date.now() / 1000)),
  });
  const avax = x.genesis.assets[0].tx;
  const genesisUtxo = effectsOf(avax).created.find(
    ({ output }) => output.addresses.join() === ewoq.address && 'amount' in output && output.amount === 300_000_000_000_000_000n,
  ) as Utxo;
  return { terms: { ...localChainParams, networkID, blockchainID: x.blockchainID, feeAsset: avax.id }, genesisUtxo, hrp: network.hrp };
}

if (binary === undefined || keys === undefined)
  console.log('skipped: upgrades in a network of stakers; set AVALANCHEGO and AVALANCHEGO_STAKING_KEYS');
else
  test('stakers of both kinds cross Durango, Etna and Granite together, and both propose before and after each', async () => {
    const start = Math.floor(Date.now() / 1000);
    const upgrades = planUpgrades(start);
    const files = { genesis: join(folder, 'genesis.json'), upgrades: join(folder, 'upgrades.json') };
    writeFileSync(files.genesis, JSON.stringify(dagVectors.genesis));
    writeFileSync(files.upgrades, JSON.stringify(upgrades));
    const { terms, genesisUtxo, hrp } = openChain(upgrades);
    const { nodes, stop } = await startStakerNetwork(binary, keys, {
      avalancheGo: 3,
      serac: 2,
      flags: [`--network-id=${networkID}`, `--genesis-file=${files.genesis}`, `--upgrade-file=${files.upgrades}`],
    });
    try {
      const serac = nodes[3] as StakerNode;
      const lanes = createLanes(5, genesisUtxo, terms);
      await issueTo(nodes[0] as NetworkNode, lanes.first);
      await untilAcceptedBy(nodes, lanes.first.id);
      for (let i = 0; Date.now() / 1000 < start + phases.end; i++) {
        const tx = lanes.next(i % 5);
        await issueTo(nodes[i % 5] as NetworkNode, tx);
        await untilAcceptedBy(nodes, tx.id, 120_000);
      }

      const seen: Record<string, { blocks: number; unsigned: number; epochs: Set<bigint>; AvalancheGo: number; Serac: number }> = {};
      const phaseOf = (time: number): string =>
        time < start + phases.durango
          ? 'before Durango'
          : time < start + phases.etna
            ? 'Durango'
            : time < start + phases.granite
              ? 'Etna'
              : 'Granite';
      for (let height = 2n; height <= (await heightOf(serac)); height++) {
        const { timestamp, proposer, epoch } = readOuterBlock(serac.dataDir, height);
        seen[phaseOf(Number(timestamp))] ??= { blocks: 0, unsigned: 0, epochs: new Set(), AvalancheGo: 0, Serac: 0 };
        const phase = seen[phaseOf(Number(timestamp))] as (typeof seen)[string];
        phase.blocks++;
        if (epoch !== undefined) phase.epochs.add(epoch.number);
        const builder = proposer && nodes.find(({ nodeID }) => nodeID === nodeIdText(proposer));
        if (builder === undefined) phase.unsigned++;
        else phase[builder.kind]++;
      }
      console.log(Bun.inspect(seen));
      expect(Object.keys(seen)).toEqual(['before Durango', 'Durango', 'Etna', 'Granite']);
      for (const [name, { AvalancheGo, Serac, epochs }] of Object.entries(seen)) {
        expect([name, AvalancheGo > 0, Serac > 0]).toEqual([name, true, true]);
        // The first block after Granite starts an epoch; a later one ends it.
        expect([name, epochs.size > 1]).toEqual([name, name === 'Granite']);
      }
      await expectSameChains(nodes, 60_000, { genesisUtxo, hrp });
    } finally {
      await stop();
    }
  }, 900_000);
