/**
 * Makes a chain from before linearization: five nodes of AvalancheGo 1.9.16 on loopback, all issued transactions at once, among them double spends, the same
 * transaction at two nodes, chains of transactions in one vertex, and every kind. Arguments: path of that version, a new folder, transactions,
 * seconds at most, `rehearsal` or `vector`. The folder has the genesis, a database for each node, and summary.json afterwards. vectors/README.md says how to go on.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadNetworkGenesis } from '../src/avm/genesis/network-genesis.ts';
import { getNetwork } from '../src/avm/network.ts';
import { effectsOf } from '../src/avm/tx/effects.ts';
import { parseTx, type Tx } from '../src/avm/tx/tx.ts';
import { parseUtxo, type Utxo } from '../src/avm/tx/utxo.ts';
import { ewoqKey } from '../src/avm/wallet/accounts.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { formatHex, parseHex } from '../src/base/bytes/hex.ts';
import { type Id, idText, zeroId } from '../src/base/bytes/id.ts';
import { type Client, createClient } from '../test/http.ts';
import { canSpend, createLedgerModel } from '../test/ledger-model.ts';
import { freePort } from '../test/processes.ts';
import { createRandom } from '../test/random.ts';
import { createTxGenerator } from '../test/tx-generator.ts';
import { baseTx, createWallet, ewoq, ownedBy, signDraft, transfer } from '../test/wallet-kit.ts';

const [binary = '', folder = '', wanted = '20000', seconds = '1200', sizeName = 'rehearsal'] = process.argv.slice(2);
const nodeCount = 5;
/**
 * `split`: outputs into which the genesis output is divided, and then each of these. The rest is what a round has; a chain has three
 * transactions. `vector` is as small as shows each feature.
 */
const sizes = {
  rehearsal: { split: [40, 40], imports: 20, batch: 30, generated: 1300, races: 4, triples: 5, duplicates: 20, chains: 20 },
  vector: { split: [11, 11], imports: 4, batch: 30, generated: 30, races: 2, triples: 1, duplicates: 3, chains: 2 },
} as const;
const size = sizes[sizeName as keyof typeof sizes];

const { genesis } = JSON.parse(readFileSync(new URL('../vectors/dag.json', import.meta.url), 'utf8')) as { genesis: { networkID: number } };
const network = getNetwork(genesis.networkID);
const readData = (file: string) => readFileSync(new URL(`../src/avm/genesis/data/${file}`, import.meta.url));
const now = (): bigint => BigInt(Math.floor(Date.now() / 1000));
const { x, c } = loadNetworkGenesis(network, JSON.stringify(genesis), { readData, unixSeconds: now() });
const genesisTxs = x.genesis.assets.map(({ tx }) => tx);
const feeAsset = x.genesis.assets[0].tx.id;
const chainParams = { networkID: network.id, blockchainID: x.blockchainID, feeAsset, txFee: 1_000_000n, createAssetTxFee: 1_000_000n };
const wallet = createWallet('dag', { keys: [ewoq], terms: chainParams, count: 6 });
const random = createRandom(20_261_118);
const model = createLedgerModel({ txs: genesisTxs, utxos: genesisTxs.flatMap((tx) => effectsOf(tx).created) });
const showAddress = createAddressFormatter('X', network.hrp);

type Node = { readonly client: Client; readonly child: Bun.Subprocess; readonly id: string; readonly stakingPort: number };

async function call<T>({ client }: Pick<Node, 'client'>, path: string, method: string, params: object): Promise<T> {
  const { result, error } = await client.call(path, method, params);
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result as T;
}

async function retry<T>(work: () => Promise<T>, isDone: (value: T) => boolean = () => true): Promise<T> {
  for (const until = Date.now() + 120_000; ; await Bun.sleep(300)) {
    try {
      const value = await work();
      if (isDone(value)) return value;
    } catch (error) {
      if (Date.now() > until) throw error;
    }
    if (Date.now() > until) throw new Error(`not reached within two minutes: ${isDone}`);
  }
}

/**
 * Every validator has the weight 1 and four of five are sampled, so three votes decide a double spend. More vertices are processed at once
 * than by default, so that they have several parents.
 */
const flagsOfVersion = [
  '--staking-enabled=false',
  '--staking-disabled-weight=1',
  `--snow-sample-size=${nodeCount - 1}`,
  '--snow-quorum-size=3',
  '--snow-virtuous-commit-threshold=4',
  '--snow-rogue-commit-threshold=6',
  '--snow-concurrent-repolls=2',
  '--snow-optimal-processing=50',
  `--snow-mixed-query-num-push-vdr=${nodeCount - 1}`,
  '--api-keystore-enabled',
  '--fd-limit=4096',
  '--log-level=info',
  '--log-display-level=error',
];

async function startNode(i: number, known: readonly Node[]): Promise<Node> {
  const [httpPort, stakingPort] = [freePort(), freePort()];
  const child = Bun.spawn(
    [
      'nice',
      '-n5',
      binary,
      ...flagsOfVersion,
      `--network-id=${network.id}`,
      `--genesis=${join(folder, 'genesis.json')}`,
      '--public-ip=127.0.0.1',
      '--http-host=127.0.0.1',
      `--http-port=${httpPort}`,
      `--staking-port=${stakingPort}`,
      `--data-dir=${join(folder, `node${i}`)}`,
      `--bootstrap-ips=${known.map((node) => `127.0.0.1:${node.stakingPort}`).join()}`,
      `--bootstrap-ids=${known.map(({ id }) => id).join()}`,
    ],
    { stdout: 'ignore', stderr: 'ignore' },
  );
  const client = createClient(httpPort);
  const { nodeID } = await retry(() => call<{ nodeID: string }>({ client }, '/ext/info', 'info.getNodeID', {}));
  return { client, child, id: nodeID, stakingPort };
}

async function startNodes(): Promise<Node[]> {
  const nodes: Node[] = [];
  for (let i = 0; i < nodeCount; i++) nodes.push(await startNode(i, nodes));
  for (const node of nodes) {
    await retry(
      () => call<{ isBootstrapped: boolean }>(node, '/ext/info', 'info.isBootstrapped', { chain: 'X' }),
      ({ isBootstrapped }) => isBootstrapped,
    );
    await retry(
      () => call<{ numPeers: string }>(node, '/ext/info', 'info.peers', {}),
      ({ numPeers }) => numPeers === `${nodeCount - 1}`,
    );
  }
  return nodes;
}

/** A transaction and the nodes that get it. Of those with the same `conflict` at most one is accepted. */
type Issued = { readonly tx: Tx; readonly at: readonly number[]; readonly conflict?: Id };

const counts = { accepted: 0, rejected: 0, refused: 0, undecided: 0, conflicts: 0, duplicates: 0, kinds: {} as Record<string, number> };

const spendable = (): Utxo[] =>
  [...model.utxos.values()].filter(
    (utxo) =>
      utxo.assetID === feeAsset && 'amount' in utxo.output && utxo.output.amount > 100_000_000n && canSpend(utxo, wallet.keys, now()),
  );

const funds = (utxo: Utxo) => ({
  utxos: [utxo],
  change: ownedBy([wallet.keys[0] as (typeof wallet.keys)[0]]),
  memo: new Uint8Array(0),
  now: now(),
});

/** Sends a little of an output to one of the keys. */
const pay = (utxo: Utxo, amount: number): Tx =>
  signDraft(baseTx(wallet, funds(utxo), [transfer(feeAsset, BigInt(amount), ownedBy([random.pick(wallet.keys)]))]));

const changeOf = (tx: Tx): Utxo => effectsOf(tx).created.find(({ output }) => 'amount' in output && output.amount > 50_000_000n) as Utxo;

/** The transactions of a round. Only those of a chain depend on others of the round. `races` have a double spend at two nodes each, and something else for the others. */
function createRound(): { readonly txs: readonly Issued[]; readonly races: readonly (readonly Issued[])[] } {
  const free = spendable();
  const reserved: Utxo[] = [];
  const take = (): Utxo => {
    const [utxo] = free.splice(random.below(free.length), 1);
    if (utxo === undefined) throw new Error('the wallet has too few outputs');
    reserved.push(utxo);
    return utxo;
  };
  const races = Array.from({ length: size.races }, (): Issued[] => {
    const [utxo, at] = [take(), random.below(nodeCount)];
    return Array.from({ length: nodeCount }, (_, i) => {
      const node = (at + i) % nodeCount;
      return i < 2 ? { tx: pay(utxo, 1000 + i), at: [node], conflict: utxo.id } : { tx: pay(take(), 1002), at: [node] };
    });
  });
  const txs: Issued[] = [];
  for (let i = 0; i < size.triples; i++) {
    const utxo = take();
    for (let at = 0; at < 3; at++) txs.push({ tx: pay(utxo, 1003 + at), at: [at], conflict: utxo.id });
  }
  // In one burst, which fills a vertex.
  for (let i = 0; i < size.batch; i++) txs.push({ tx: pay(take(), 4000), at: [0] });
  for (let i = 0; i < size.duplicates; i++) {
    const first = random.below(nodeCount);
    txs.push({ tx: pay(take(), 2000), at: [first, (first + 1) % nodeCount] });
  }
  for (let i = 0; i < size.chains; i++) {
    const at = [random.below(nodeCount)];
    let utxo = take();
    for (let k = 0; k < 3; k++) {
      const tx = pay(utxo, 3000 + k);
      txs.push({ tx, at });
      utxo = changeOf(tx);
    }
  }
  const taken = new Set(reserved.map(({ id }) => id));
  const rest = { ...model, utxos: new Map([...model.utxos].filter(([id]) => !taken.has(id))) };
  const chains = [zeroId, c.blockchainID];
  const generator = createTxGenerator(
    { random, model: rest, wallet, now, lockedUntil: () => now() + 10_000_000n, chains, holdsPending: true },
    0,
  );
  for (let i = 0; i < size.generated; i++) {
    const made = generator.next();
    if (made === undefined) break;
    txs.push({ tx: parseTx(made.bytes), at: [random.below(nodeCount)] });
  }
  return { txs, races };
}

/** Gives a node transactions one after the other. What it refuses is counted, except transactions that another node has got too. */
async function issueTo(node: Node, txs: readonly Issued[], refused: Set<Issued>): Promise<void> {
  for (const one of txs)
    try {
      await call(node, '/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', one.tx.bytes), encoding: 'hex' });
    } catch (error) {
      if (one.conflict !== undefined || one.at.length > 1) continue;
      refused.add(one);
      if (counts.refused++ < 5) console.log((error as Error).message);
    }
}

/** Milliseconds after which AvalancheGo makes a vertex of fewer than 30 transactions. AvalancheGo 1.9.16: vms/avm/vm.go, batchTimeout. */
const batchTimeout = 1000;

/** Gives every node its part at the same time, in bursts of up to two vertices. Returns what no node refused. */
async function issueAll(nodes: readonly Node[], txs: readonly Issued[]): Promise<Issued[]> {
  const refused = new Set<Issued>();
  const queues = nodes.map((_, i) => txs.filter((one) => one.at.includes(i)));
  while (queues.some((queue) => queue.length > 0))
    await Promise.all(queues.map((queue, i) => issueTo(nodes[i] as Node, queue.splice(0, 30 + random.below(30)), refused)));
  return txs.filter((one) => !refused.has(one));
}

/**
 * Gives all nodes a few transactions at the same moment while they have none. The timers of their vertices end together, so two vertices with
 * conflicting transactions are made before either is known to the other node.
 */
async function race(nodes: readonly Node[], txs: readonly Issued[]): Promise<void> {
  await Bun.sleep(1.3 * batchTimeout);
  const ignored = new Set<Issued>();
  await Promise.all(
    nodes.map((node, i) =>
      issueTo(
        node,
        txs.filter((one) => one.at.includes(i)),
        ignored,
      ),
    ),
  );
  await Bun.sleep(1.3 * batchTimeout);
}

const isDecided = (status: string | undefined): boolean => status === 'Accepted' || status === 'Rejected';

/** Waits until the transactions are decided, except double spends that no vertex has, and applies them to the model in the order of issue. */
async function settle(nodes: readonly Node[], txs: readonly Issued[]): Promise<void> {
  const statuses = new Map<Issued, string>();
  let open = txs;
  const acceptedConflicts = () => new Set(txs.filter((one) => statuses.get(one) === 'Accepted').map(({ conflict }) => conflict));
  for (const until = Date.now() + 60_000; Date.now() < until; await Bun.sleep(400)) {
    for (let i = 0; i < open.length; i += 25)
      await Promise.all(
        open.slice(i, i + 25).map(async (one) => {
          const node = nodes[one.at[0] as number] as Node;
          statuses.set(one, (await call<{ status: string }>(node, '/ext/bc/X', 'avm.getTxStatus', { txID: idText(one.tx.id) })).status);
        }),
      );
    const decided = acceptedConflicts();
    open = open.filter((one) => !isDecided(statuses.get(one)) && !(one.conflict !== undefined && decided.has(one.conflict)));
    if (open.length === 0) break;
  }
  for (const one of txs) {
    const status = statuses.get(one);
    if (status === 'Rejected') counts.rejected++;
    else if (status !== 'Accepted') counts.undecided++;
    else {
      model.apply(one.tx);
      counts.accepted++;
      const { kind } = one.tx.unsigned;
      counts.kinds[kind] = (counts.kinds[kind] ?? 0) + 1;
    }
  }
  if (open.length > 0)
    console.log(
      `${open.length} undecided after a minute, ${open.filter(({ conflict }) => conflict !== undefined).length} of them double spends`,
    );
}

/** Waits until every node has accepted what one node has: the database of any of them is then whole. */
async function untilEverywhere(nodes: readonly Node[], txs: readonly Issued[]): Promise<void> {
  for (const one of txs) {
    const statuses = () =>
      Promise.all(nodes.map((node) => call<{ status: string }>(node, '/ext/bc/X', 'avm.getTxStatus', { txID: idText(one.tx.id) })));
    await retry(
      statuses,
      (found) => found.every(({ status }) => status === 'Accepted') || found.every(({ status }) => status !== 'Accepted'),
    );
  }
}

/** Divides the genesis output. */
async function splitFunds(nodes: readonly Node[]): Promise<void> {
  for (const parts of size.split) {
    const txs = spendable()
      .filter(({ output }) => 'amount' in output && output.amount > 10n ** 14n)
      .map((utxo): Issued => {
        const part = (utxo.output as { amount: bigint }).amount / BigInt(parts + 1);
        const outputs = Array.from({ length: parts }, (_, i) =>
          transfer(feeAsset, part, ownedBy([wallet.keys[i % wallet.keys.length] as typeof ewoq])),
        );
        return { tx: signDraft(baseTx(wallet, funds(utxo), outputs)), at: [0] };
      });
    await settle(nodes, await issueAll(nodes, txs));
  }
}

/** Exports AVAX from the P-Chain with its wallet API, so that there is something to import. */
async function exportFromP(node: Node): Promise<void> {
  const user = { username: 'dag', password: 'Aeng1iemu9oh8quae' };
  await call(node, '/ext/keystore', 'keystore.createUser', user);
  await call(node, '/ext/bc/P', 'platform.importKey', { ...user, privateKey: ewoqKey.text });
  const addresses = wallet.keys.map(({ address }) => showAddress(address));
  const known = new Set<Id>();
  for (let i = 0; i < size.imports; i++) {
    const params = { ...user, amount: 5_000_000_000 + i, to: addresses[i % addresses.length] };
    await retry(() => call(node, '/ext/bc/P', 'platform.exportAVAX', params));
    await retry(
      () => call<{ utxos: string[] }>(node, '/ext/bc/X', 'avm.getUTXOs', { addresses, sourceChain: 'P', limit: 100, encoding: 'hex' }),
      ({ utxos }) => utxos.length > i,
    ).then(({ utxos }) => {
      for (const utxo of utxos.map((hex) => parseUtxo(parseHex('hex', hex))))
        if (!known.has(utxo.id)) {
          known.add(utxo.id);
          model.deposit(zeroId, utxo);
        }
    });
  }
}

mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'genesis.json'), JSON.stringify(genesis));
const nodes = await startNodes();
const start = Date.now();
const report = () => ({ ...counts, seconds: Math.round((Date.now() - start) / 1000) });
try {
  await splitFunds(nodes);
  await exportFromP(nodes[0] as Node);
  console.log(report());
  while (counts.accepted < Number(wanted) && Date.now() - start < 1000 * Number(seconds)) {
    const { txs, races } = createRound();
    for (const one of races) await race(nodes, one);
    const issued = [...races.flat(), ...(await issueAll(nodes, txs))];
    await settle(nodes, issued);
    await untilEverywhere(nodes, issued);
    counts.conflicts += size.races + size.triples;
    counts.duplicates += size.duplicates;
    console.log(JSON.stringify(report()));
    writeFileSync(join(folder, 'summary.json'), `${JSON.stringify(report(), undefined, 1)}\n`);
  }
} finally {
  for (const { child, client } of nodes) {
    client.close();
    child.kill('SIGTERM');
  }
  await Promise.all(nodes.map(({ child }) => child.exited));
}
