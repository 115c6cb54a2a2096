import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCpuSeconds, readMemory } from '../bench/process-usage.ts';
import { dataFilesIn } from '../src/app/node/data-files.ts';
import { openDatabase } from '../src/app/platform/bun/database.ts';
import { loadNetworkGenesis } from '../src/avm/genesis/network-genesis.ts';
import { getNetwork } from '../src/avm/network.ts';
import { effectsOf } from '../src/avm/tx/effects.ts';
import { parseTx, type Tx } from '../src/avm/tx/tx.ts';
import { parseUtxo, refId, type Utxo } from '../src/avm/tx/utxo.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { fromHex, parseHex, toHex } from '../src/base/bytes/hex.ts';
import { type Id, idFromBytes, idOf, idText } from '../src/base/bytes/id.ts';
import { openState } from '../src/ledger/state/chain-state.ts';
import { openSharedMemory } from '../src/ledger/state/shared-memory.ts';
import { openStore } from '../src/ledger/store/store.ts';
import { startAvalancheGo } from './avalanchego.ts';
import { heightOf, isBootstrapped, issueTo, type NetworkNode, nodeIDOf, untilAcceptedBy, utxosOf } from './network-nodes.ts';
import { eventually } from './processes.ts';
import { type Program, startProgramAsUsers } from './program.ts';
import { recordProof } from './proofs/proof.ts';
import { baseTx, createWallet, ewoq, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/**
 * A DAG of tens of thousands of transactions, which five nodes of AvalancheGo 1.9.16 made under load (tools/dag-load.ts) and 1.10.19 linearized
 * (vectors/README.md says how). Serac fetches it from AvalancheGo 1.14.2 only, then from Serac only, and is killed on the way. SERAC_DAG: a folder
 * with genesis.json, upgrades.json, summary.json of tools/dag-load.ts and the database of AvalancheGo in db/.
 */
const binary = process.env.AVALANCHEGO;
const source = process.env.SERAC_DAG;
const kills = Number(process.env.SERAC_DAG_KILLS ?? 10);

const folder = mkdtempSync(join(tmpdir(), 'serac-dag-rehearsal-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What AvalancheGo has at a height: the unspent outputs of some keys, and the time of the block. */
type Moment = { readonly height: number; readonly time: number; readonly utxos: ReadonlyMap<string, readonly Utxo[]> };

const call = async <T>({ name, client }: NetworkNode, path: string, method: string, params: object): Promise<T> => {
  const { result, error } = await client.call(path, method, params);
  if (error !== undefined) throw new Error(`${name}: ${method}: ${error.message}`);
  return result as T;
};

/** Runs `work` for all items, a few at the same time. */
async function forAll<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) await work(next);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

/** The chain of the rehearsal: what both programs are told about it, and the keys of tools/dag-load.ts. */
function openRehearsal(sourceFolder: string) {
  const genesisFile = join(sourceFolder, 'genesis.json');
  const genesisJson = readFileSync(genesisFile, 'utf8');
  const network = getNetwork(JSON.parse(genesisJson).networkID);
  const readData = (file: string) => readFileSync(new URL(`../src/avm/genesis/data/${file}`, import.meta.url));
  const { x } = loadNetworkGenesis(network, genesisJson, { readData, unixSeconds: BigInt(Math.floor(Date.now() / 1000)) });
  const feeAsset = x.genesis.assets[0].tx.id;
  const terms = { networkID: network.id, blockchainID: x.blockchainID, feeAsset, txFee: 1_000_000n, createAssetTxFee: 1_000_000n };
  const wallet = createWallet('dag', { keys: [ewoq], terms, count: 6 });
  const show = createAddressFormatter('X', network.hrp);
  const flags = [
    `--network-id=${network.id}`,
    `--genesis-file=${genesisFile}`,
    `--upgrade-file=${join(sourceFolder, 'upgrades.json')}`,
    '--sybil-protection-enabled=false',
  ];
  return { network, x, feeAsset, wallet, show, flags };
}

type Rehearsal = ReturnType<typeof openRehearsal>;

/** Adds ten blocks with two transactions each, in different seconds, and keeps what AvalancheGo has after each. */
async function addBlocks(node: NetworkNode, { feeAsset, wallet, show }: Rehearsal): Promise<Moment[]> {
  const moments: Moment[] = [];
  const isFree = ({ assetID, output }: Utxo): boolean =>
    assetID === feeAsset && output.addresses.join() === ewoq.address && output.locktime === 0n && output.threshold === 1;
  let last = (await utxosOf(node, show(ewoq.address)))
    .map((hex) => parseUtxo(fromHex(hex)))
    .filter(isFree)
    .reduce((best, utxo) => (amountOf(utxo) > amountOf(best) ? utxo : best));
  for (let i = 0; i < 10; i++) {
    await Bun.sleep(2100);
    const paid = [wallet.keys[1 + (i % 6)], wallet.keys[1 + ((i + 2) % 6)]] as (typeof ewoq)[];
    for (const key of paid) {
      const tx = signDraft(
        baseTx(wallet, { utxos: [last], change: ownedBy([ewoq]), memo: new Uint8Array(0), now: 0n }, [
          transfer(feeAsset, 1000n + BigInt(i), ownedBy([key])),
        ]),
      );
      last = effectsOf(tx).created.find((utxo) => isFree(utxo) && amountOf(utxo) > 10_000n) as Utxo;
      await issueTo(node, tx);
      await untilAcceptedBy([node], tx.id);
    }
    const height = Number(await heightOf(node));
    const block = await call<{ block: { time: number } }>(node, '/ext/bc/X', 'avm.getBlockByHeight', {
      height: `${height}`,
      encoding: 'json',
    });
    const utxos = new Map<string, readonly Utxo[]>();
    // The two keys that were paid, and sometimes the one that paid: each has thousands of outputs.
    for (const { address } of i % 5 === 0 ? [...paid, ewoq] : paid)
      utxos.set(
        show(address),
        (await utxosOf(node, show(address))).map((hex) => parseUtxo(fromHex(hex))),
      );
    moments.push({ height, time: Number(block.block.time), utxos });
  }
  return moments;
}

/** How far a data directory is. Read beside the node that writes it. */
function readProgress(dataDir: string): { vertices: number; executed: number; isLinearized: boolean } {
  const none = { vertices: 0, executed: 0, isLinearized: false };
  const { database } = dataFilesIn(dataDir);
  if (!existsSync(database)) return none;
  try {
    using db = new Database(database, { readonly: true });
    const row = db.query('SELECT count(*) AS vertices, count(number) AS executed FROM vertex').get() as {
      vertices: number;
      executed: number;
    };
    const dag = db.query('SELECT is_linearized FROM dag').get() as { is_linearized: number } | null;
    return { ...row, isLinearized: dag?.is_linearized === 1 };
  } catch {
    // The tables do not exist yet, or the writer has the lock for a moment.
    return none;
  }
}

const began = performance.now();
const note = (text: string): void => console.log(`${((performance.now() - began) / 1000).toFixed(1)} s  ${text}`);

type Fetched = {
  readonly program: Program;
  readonly node: NetworkNode;
  readonly seconds: number;
  readonly cpu: number;
  readonly megabytes: number;
};

/**
 * Starts a Serac that has nothing and knows one peer, and waits until it is at that peer's height. It is killed as often as asked while it fetches
 * vertices and executes them; `total` vertices are to come.
 */
async function fetchChain(
  name: string,
  { flags }: Rehearsal,
  peer: { ip: string; id: string },
  height: bigint,
  killed: { times: number; total: number },
): Promise<Fetched> {
  const dataDir = join(folder, name);
  const start = () =>
    startProgramAsUsers(
      'join',
      ...flags,
      '--staking-host=127.0.0.1',
      '--staking-port=0',
      '--proposervm-min-block-delay=0s',
      '--echo-other-chains',
      `--bootstrap-ips=${peer.ip}`,
      `--bootstrap-ids=${peer.id}`,
      `--data-dir=${dataDir}`,
    );
  const done = () => {
    const { vertices, executed } = readProgress(dataDir);
    return vertices + executed;
  };
  for (let i = 0; i < killed.times; i++) {
    const before = done();
    const target = before + (2 * killed.total - before) / (killed.times - i + 2);
    const program = await start();
    await eventually(done, (now) => now >= target || now === -1, 120_000);
    await program.stop('SIGKILL');
    const { vertices, executed, isLinearized } = readProgress(dataDir);
    note(`${name}: kill ${i + 1} at ${vertices} vertices, ${executed} executed`);
    expect([name, i, isLinearized]).toEqual([name, i, false]);
  }
  const since = performance.now();
  const program = await start();
  const node: NetworkNode = { name, client: program.client };
  let megabytes = 0;
  await eventually(
    async () => {
      megabytes = Math.max(megabytes, readMemory(program.pid)?.megabytes ?? 0);
      return (await isBootstrapped(node)) && (await heightOf(node)) === height;
    },
    (isDone) => isDone,
    300_000,
  );
  const [seconds, cpu] = [(performance.now() - since) / 1000, readCpuSeconds(program.pid) ?? 0];
  return { program, node, seconds, cpu, megabytes };
}

/** The transactions of all vertices of a data directory, and of its blocks; the number of vertices. */
function readTxIDs(dataDir: string): { txIDs: Id[]; dagTxs: number; vertices: number } {
  using db = new Database(dataFilesIn(dataDir).database, { readonly: true });
  const rows = db.query('SELECT txs FROM vertex').all() as { txs: Uint8Array }[];
  const ids = new Set<Id>();
  for (const { txs } of rows) for (let at = 0; at < txs.length; at += 32) ids.add(idFromBytes(txs.subarray(at, at + 32)));
  return { txIDs: [...ids], dagTxs: ids.size, vertices: rows.length };
}

const txBytesOf = async (node: NetworkNode, id: Id): Promise<string> =>
  (await call<{ tx: string }>(node, '/ext/bc/X', 'avm.getTx', { txID: idText(id), encoding: 'hex' })).tx;

/** All transactions of the chain as AvalancheGo has them; Serac must have the same bytes. */
async function compareTxs(expectedOf: (id: Id) => Promise<string>, node: NetworkNode, txIDs: readonly Id[]): Promise<Tx[]> {
  const txs: Tx[] = [];
  await forAll(txIDs, async (id) => {
    const [expected, found] = await Promise.all([expectedOf(id), txBytesOf(node, id)]);
    if (expected !== found) throw new Error(`${node.name}: transaction ${idText(id)} differs`);
    const tx = parseTx(parseHex('hex', expected));
    expect(tx.id).toBe(id);
    txs.push(tx);
  });
  return txs;
}

/** The outputs that transactions leave unspent. */
function unspentAfter(txs: readonly Tx[]): Map<Id, Utxo> {
  const unspent = new Map<Id, Utxo>();
  const effects = txs.map((tx) => effectsOf(tx));
  for (const { created } of effects) for (const utxo of created) unspent.set(utxo.id, utxo);
  for (const { spent } of effects) for (const ref of spent) unspent.delete(refId(ref));
  return unspent;
}

function askOnce<K, V>(ask: (key: K) => Promise<V>): (key: K) => Promise<V> {
  const answers = new Map<K, Promise<V>>();
  return (key) => {
    const answer = answers.get(key) ?? ask(key);
    answers.set(key, answer);
    return answer;
  };
}

/** Compares the unspent outputs of every address that ever had one. */
async function compareOutputs(
  expectedOf: (address: string) => Promise<string[]>,
  node: NetworkNode,
  addresses: readonly string[],
): Promise<number> {
  let outputs = 0;
  await forAll(addresses, async (address) => {
    const [expected, found] = await Promise.all([expectedOf(address), utxosOf(node, address)]);
    if (expected.join() !== found.join()) throw new Error(`${node.name}: outputs of ${address} differ`);
    outputs += expected.length;
  });
  return outputs;
}

/** Compares the stored outputs of a stopped node with those that the transactions leave: also those without an address. */
function compareStored(dataDir: string, { network, x }: Rehearsal, txs: readonly Tx[], unspent: ReadonlyMap<Id, Utxo>): void {
  const store = openStore(openDatabase, {
    path: dataFilesIn(dataDir).database,
    networkID: network.id,
    genesis: x.blockchainID,
    readonly: true,
  });
  try {
    const state = openState(store, openSharedMemory(store), { id: x.blockchainID, genesis: idOf(x.genesis.bytes) });
    for (const tx of txs)
      for (const { id, txID, outputIndex, bytes } of effectsOf(tx).created) {
        const stored = state.utxo({ txID, outputIndex });
        expect(stored && toHex(stored.bytes)).toBe(unspent.has(id) ? toHex(bytes) : undefined);
      }
  } finally {
    store.close();
  }
}

/** Outputs that the Data API counts as one each. */
const counted: readonly string[] = ['nftfx.TransferOutput', 'propertyfx.OwnedOutput'];

/** The amount of an output as the Data API counts it. */
const amountOf = ({ output }: Utxo): bigint => ('amount' in output ? output.amount : counted.includes(output.kind) ? 1n : 0n);

/** Adds up amounts of assets. */
function createBalances() {
  const balances: Record<string, { unlocked: bigint; locked: bigint }> = {};
  const add = (assetID: string, kind: 'unlocked' | 'locked', amount: bigint): void => {
    const { unlocked = 0n, locked = 0n } = balances[assetID] ?? {};
    const sum = { unlocked, locked };
    sum[kind] += amount;
    balances[assetID] = sum;
  };
  return { balances, add };
}

/** The balances of one address from its outputs, as the Data API counts them: of an output of several owners only if one signature is enough. */
function balancesFrom(utxos: readonly Utxo[], time: number) {
  const { balances, add } = createBalances();
  for (const utxo of utxos) {
    const { threshold, locktime } = utxo.output;
    if (threshold <= 1 && amountOf(utxo) > 0n) add(idText(utxo.assetID), locktime > BigInt(time) ? 'locked' : 'unlocked', amountOf(utxo));
  }
  return balances;
}

/** Compares the balances of keys at every moment with those of Serac's history. */
async function compareHistory(program: Program, { network }: Rehearsal, moments: readonly Moment[]): Promise<number> {
  type Amounts = readonly { readonly assetId: string; readonly amount: string }[];
  let compared = 0;
  for (const { time, utxos } of moments)
    for (const [address, owned] of utxos) {
      const path = `/v1/networks/${network.id}/blockchains/x-chain/balances?addresses=${address}&blockTimestamp=${time + 1}`;
      const { balances } = (await (await fetch(`${program.url}${path}`)).json()) as { balances: { unlocked: Amounts; locked: Amounts } };
      const { balances: found, add } = createBalances();
      for (const kind of ['unlocked', 'locked'] as const)
        for (const { assetId, amount } of balances[kind]) add(assetId, kind, BigInt(amount));
      expect([time, address, found]).toEqual([time, address, balancesFrom(owned, time)]);
      compared += Object.keys(found).length;
    }
  return compared;
}

test.skipIf(binary === undefined || source === undefined)(
  'a large DAG is fetched from AvalancheGo only, then from Serac only, with kills on the way: all bytes, outputs and balances are equal',
  async () => {
    const rehearsal = openRehearsal(source as string);
    const database = join(folder, 'avalanchego-db');
    cpSync(join(source as string, 'db'), database, { recursive: true });
    const go = await startAvalancheGo(binary as string, {
      flags: [...rehearsal.flags, `--db-dir=${database}`, '--bootstrap-ips=', '--bootstrap-ids='],
    });
    const stops: (() => Promise<unknown>)[] = [go.stop];
    try {
      const goNode: NetworkNode = { name: 'AvalancheGo', client: go.client };
      const moments = await addBlocks(goNode, rehearsal);
      note('AvalancheGo has blocks');
      const height = await heightOf(goNode);
      const goPeer = { ip: `127.0.0.1:${go.stakingPort}`, id: await nodeIDOf(goNode) };

      const whole = await fetchChain('whole', rehearsal, goPeer, height, { times: 0, total: 0 });
      await compareHistory(whole.program, rehearsal, moments);
      await whole.program.stop();
      note(`whole: ${whole.seconds.toFixed(1)} s, CPU ${whole.cpu} s, ${whole.megabytes.toFixed(0)} MB`);
      const { txIDs, dagTxs, vertices } = readTxIDs(join(folder, 'whole'));
      // Some that were undecided after a minute were accepted later.
      expect(dagTxs).toBeGreaterThanOrEqual(JSON.parse(readFileSync(join(source as string, 'summary.json'), 'utf8')).accepted);

      const first = await fetchChain('from-avalanchego', rehearsal, goPeer, height, { times: kills, total: vertices });
      stops.push(first.program.stop);
      const { ip } = await call<{ ip: string }>(first.node, '/ext/info', 'info.getNodeIP', {});
      const firstPeer = { ip, id: await nodeIDOf(first.node) };
      const second = await fetchChain('from-serac', rehearsal, firstPeer, height, { times: kills, total: vertices });
      stops.push(second.program.stop);

      // What AvalancheGo has is asked once.
      const expectedTx = askOnce((id: Id) => txBytesOf(goNode, id));
      const expectedOutputs = askOnce((address: string) => utxosOf(goNode, address));
      let outputs = 0;
      let balances = 0;
      for (const { node, program, name } of [
        { ...first, name: 'from-avalanchego' },
        { ...second, name: 'from-serac' },
      ]) {
        note(`${name}: at the tip`);
        const dag = await compareTxs(expectedTx, node, txIDs);
        note(`${name}: transactions are equal`);
        const blocks = await blockTxs(goNode, height);
        const txs = [...rehearsal.x.genesis.assets.map(({ tx }) => tx), ...dag, ...blocks];
        const unspent = unspentAfter(txs);
        const addresses = new Set(txs.flatMap((tx) => effectsOf(tx).created.flatMap(({ output }) => output.addresses)));
        outputs = await compareOutputs(expectedOutputs, node, [...addresses].map(rehearsal.show));
        note(`${name}: outputs are equal`);
        balances = await compareHistory(program, rehearsal, moments);
        note(`${name}: balances are equal`);
        await program.stop();
        compareStored(join(folder, name), rehearsal, txs, unspent);
      }
      const perVertex = (value: number): number => Math.round((1000 * value * 100) / vertices) / 100;
      const numbers = {
        transactions: dagTxs,
        vertices,
        outputs,
        balances,
        kills: 2 * kills,
        'ms per vertex': perVertex(whole.seconds),
        'CPU ms per vertex': perVertex(whole.cpu),
        MB: Math.round(whole.megabytes),
      };
      console.log(numbers);
      recordProof('dag', dagTxs, numbers, []);
    } finally {
      for (const stop of stops.reverse()) await stop();
    }
  },
  1_800_000,
);

/** The transactions of AvalancheGo's blocks. */
async function blockTxs(node: NetworkNode, height: bigint): Promise<Tx[]> {
  const txs: Tx[] = [];
  for (let at = 1n; at <= height; at++) {
    const { block } = await call<{ block: { txs: { id: string }[] } }>(node, '/ext/bc/X', 'avm.getBlockByHeight', {
      height: `${at}`,
      encoding: 'json',
    });
    for (const { id } of block.txs)
      txs.push(parseTx(parseHex('hex', (await call<{ tx: string }>(node, '/ext/bc/X', 'avm.getTx', { txID: id, encoding: 'hex' })).tx)));
  }
  return txs;
}
