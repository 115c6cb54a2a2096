import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import { parseUtxo, type Utxo } from '../src/avm/tx/utxo.ts';
import { fromHex, parseHex, toHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import type { OuterBlock } from '../src/network/proposervm/outer-block.ts';
import { startAvalancheGo } from './avalanchego.ts';
import { dagChain, dagVectors, dagVertices, writeDag } from './dag-chain.ts';
import { heightOf, issueTo, type NetworkNode, nodeIDOf, peersOf, startJoined, untilAcceptedBy } from './network-nodes.ts';
import { readOuterBlock } from './outer-blocks.ts';
import { baseTx, createWallet, ewoq, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/**
 * A network whose X-Chain has a DAG from before linearization, which AvalancheGo 1.9.16 made (vectors/dag.json). AvalancheGo 1.14.2 gets it from
 * Serac, another Serac from AvalancheGo. Then both decide blocks while Durango, Etna and Granite become active.
 */
const binary = process.env.AVALANCHEGO;
const folder = mkdtempSync(join(tmpdir(), 'serac-join-dag-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files = { genesis: join(folder, 'genesis.json'), upgrades: join(folder, 'upgrades.json') };
writeFileSync(files.genesis, JSON.stringify(dagVectors.genesis));

const seconds = (offset: number): string => `${new Date(Date.now() + 1000 * offset).toISOString().slice(0, 19)}Z`;

/** Seconds until the upgrades: time for all nodes to start before the first. */
const upgradeTimes = { durangoTime: seconds(60), etnaTime: seconds(75), fortunaTime: seconds(75), graniteTime: seconds(90) };
writeFileSync(files.upgrades, JSON.stringify({ ...dagVectors.upgrades, ...upgradeTimes }));

const networkFlags = [
  `--network-id=${dagVectors.genesis.networkID}`,
  `--genesis-file=${files.genesis}`,
  `--upgrade-file=${files.upgrades}`,
  '--sybil-protection-enabled=false',
];
const joinFlags = (dataDir: string): string[] => [
  'join',
  ...networkFlags,
  '--staking-host=127.0.0.1',
  '--staking-port=0',
  '--proposervm-min-block-delay=0s',
  `--data-dir=${dataDir}`,
];

const call = async <T>({ name, client }: NetworkNode, path: string, method: string, params: object): Promise<T> => {
  const { result, error } = await client.call(path, method, params);
  if (error !== undefined) throw new Error(`${name}: ${method}: ${error.message}`);
  return result as T;
};

/** Unspent outputs and balances of all addresses. */
async function holdingsOf(node: NetworkNode): Promise<{ utxos: string[]; balances: unknown }> {
  const utxos = new Set<string>();
  const balances: Record<string, unknown> = {};
  for (const address of Object.keys(dagVectors.balances)) {
    const page = await call<{ utxos: string[] }>(node, '/ext/bc/X', 'avm.getUTXOs', { addresses: [address], limit: 1024, encoding: 'hex' });
    for (const utxo of page.utxos) utxos.add(toHex(parseHex('hex', utxo)));
    const all = await call<{ balances: { asset: string }[] }>(node, '/ext/bc/X', 'avm.getAllBalances', { address });
    balances[address] = all.balances.toSorted((a, b) => (a.asset < b.asset ? -1 : 1));
  }
  return { utxos: [...utxos].sort(), balances };
}

async function expectDag(node: NetworkNode): Promise<void> {
  const { block } = await call<{ block: { id: string } }>(node, '/ext/bc/X', 'avm.getBlockByHeight', { height: '0', encoding: 'json' });
  expect([node.name, block.id]).toEqual([node.name, dagVectors.block0]);
  for (const { txIDs } of dagVertices)
    for (const id of txIDs)
      expect(await call<object>(node, '/ext/bc/X', 'avm.getTxStatus', { txID: idText(id) })).toMatchObject({ status: 'Accepted' });
  const { utxos } = await holdingsOf(node);
  expect(utxos).toEqual([...dagVectors.utxos]);
}

/** Transactions of ewoq: the first spends an output of the DAG, each other one the change of the one before. */
function createTxs(): () => Tx {
  const feeAsset = dagChain.genesis.assets[0].tx.id;
  const { networkID } = dagVectors.genesis;
  const terms = { networkID, blockchainID: dagChain.blockchainID, feeAsset, txFee: 1_000_000n, createAssetTxFee: 1_000_000n };
  const wallet = createWallet('dag', { keys: [ewoq], count: 1, terms });
  const amountOf = ({ output }: Utxo): bigint => ('amount' in output ? output.amount : 0n);
  const largest = (utxos: readonly Utxo[]): Utxo => utxos.reduce((best, utxo) => (amountOf(utxo) > amountOf(best) ? utxo : best));
  let last = largest(
    dagVectors.utxos
      .map((hex) => parseUtxo(fromHex(hex)))
      .filter(({ assetID, output }) => assetID === feeAsset && output.addresses.join() === ewoq.address),
  );
  return () => {
    const tx = signDraft(baseTx(wallet, { utxos: [last] }, [transfer(feeAsset, 1000n, ownedBy([ewoq]))]));
    last = largest(effectsOf(tx).created);
    return tx;
  };
}

test.skipIf(binary === undefined)('nodes get the DAG from each other, have equal state, and cross the upgrades together', async () => {
  const dataDir = join(folder, 'first');
  writeDag(dataDir);
  const first = await startJoined(...joinFlags(dataDir), '--echo-other-chains', '--peer-version=1.14.9');
  const cleanUp: (() => Promise<unknown>)[] = [first.program.stop];
  try {
    await expectDag(first.node);
    const { ip } = await call<{ ip: string }>(first.node, '/ext/info', 'info.getNodeIP', {});
    const firstID = await nodeIDOf(first.node);
    const go = await startAvalancheGo(binary as string, {
      flags: [...networkFlags, `--bootstrap-ips=${ip}`, `--bootstrap-ids=${firstID}`],
    });
    cleanUp.push(go.stop);
    const goNode: NetworkNode = { name: 'AvalancheGo', client: go.client };
    await expectDag(goNode);
    expect((await peersOf(goNode)).find(({ nodeID }) => nodeID === firstID)?.version).toEndWith('avalanchego/1.14.9');

    const beacons = [`--bootstrap-ips=127.0.0.1:${go.stakingPort},${ip}`, `--bootstrap-ids=${await nodeIDOf(goNode)},${firstID}`];
    const second = await startJoined(...joinFlags(join(folder, 'second')), ...beacons, '--echo-other-chains');
    cleanUp.push(second.program.stop);
    await expectDag(second.node);

    const nodes = [first.node, goNode, second.node];
    const nextTx = createTxs();
    const types = new Set<string>();
    for (let i = 0; types.size < 3 || i < 6; i++) {
      if (i > 60) throw new Error(`only blocks of types ${[...types].join()}`);
      const tx = nextTx();
      await issueTo(nodes[i % 3] as NetworkNode, tx);
      await untilAcceptedBy(nodes, tx.id);
      types.add(typeOf(readOuterBlock(dataDir, await heightOf(first.node))));
      await Bun.sleep(3000);
    }
    // Signed without validators before Durango, unsigned after it, with an epoch after Granite; block 1 is unsigned.
    expect([...types].sort()).toEqual(['epoch', 'signed', 'unsigned']);
    const holdings = await Promise.all(nodes.map(holdingsOf));
    for (const other of holdings.slice(1)) expect(other).toEqual(holdings[0] as (typeof holdings)[number]);
  } finally {
    for (const stop of cleanUp.reverse()) await stop();
  }
});

const typeOf = ({ epoch, proposer }: OuterBlock): string =>
  epoch !== undefined ? 'epoch' : proposer === undefined ? 'unsigned' : 'signed';
