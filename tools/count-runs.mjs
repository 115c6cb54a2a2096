// Run by tools/house-runs.ts in Node, inside a copy of the sources: prints as JSON which source files and how many functions ran for one call, and
// how many frames are between the router and the function that a call is for.
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const source = fileURLToPath(new URL('./src/', import.meta.url));

/** The source files with a function that ran since the last call, and how many functions; a file's own top level does not count. */
async function takeRun() {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result.flatMap(({ url, functions }) => {
    const file = url.startsWith('file:') ? relative(source, fileURLToPath(url)) : '..';
    if (file.startsWith('..') || file.includes('.fixture.')) return [];
    const isTop = ({ functionName, ranges: [{ startOffset }] }) => functionName === '' && startOffset === 0;
    return [{ file, functions: functions.filter((one) => one.ranges[0].count > 0 && !isTop(one)).length }];
  });
  const files = ran.filter(({ functions }) => functions > 0);
  return { files: files.map(({ file }) => file), functions: files.reduce((sum, { functions }) => sum + functions, 0) };
}

/**
 * Counts the frames between the router and a function the next time it runs, the router and the function left out. `start`: how its text begins.
 * A breakpoint whose condition is false stops nothing: the condition records the stack.
 */
async function watchFrames(file, start) {
  const lines = readFileSync(`${source}${file}`, 'utf8').split('\n');
  const lineNumber = lines.findIndex((line) => line.trim().startsWith(start)) + 1;
  if (lineNumber === 0) throw new Error(`${file} has no line that begins with ${start}`);
  const condition = '(Error.stackTraceLimit = 200, globalThis.seenStack ??= new Error().stack, false)';
  globalThis.seenStack = undefined;
  const { breakpointId } = await session.post('Debugger.setBreakpointByUrl', { lineNumber, url: `file://${source}${file}`, condition });
  return async () => {
    await session.post('Debugger.removeBreakpoint', { breakpointId });
    const frames = globalThis.seenStack.split('\n').filter((line) => line.includes('/src/') && !line.includes('at eval '));
    const from = frames.findIndex((line) => line.includes(`/src/${file}`));
    const to = frames.findLastIndex((line) => line.includes('/src/api/http/router.js'));
    if (from < 0 || to < from) throw new Error(`${file} was not called by the router:\n${globalThis.seenStack}`);
    return to - from - 1;
  };
}

await session.post('Debugger.enable');
const counts = {};
const { createNode } = await import('./src/sdk/create-node.js');
const node = await createNode({ logLevel: 'off' });
counts['the start of a node'] = await takeRun();
const to = node.accounts[1].address;

// A node with the same genesis makes the transaction that this node then issues.
const twin = await createNode({ logLevel: 'off' });
const { txID } = await twin.dev.send({ to, amount: 1000n });
const { tx } = await twin.avm.getTx({ txID, encoding: 'hex' });
await twin.close();
const takeFramesToMempool = await watchFrames('chain/lifecycle/mempool.js', 'add: (tx) =>');
await takeRun();
await node.avm.issueTx({ tx, encoding: 'hex' });
while ((await node.avm.getTxStatus({ txID })).status !== 'Accepted') await new Promise((resolve) => setTimeout(resolve, 10));
counts['one issueTx, accepted'] = await takeRun();
counts['frames of issueTx before mempool'] = await takeFramesToMempool();
for (let i = 0; i < 12; i++) await node.dev.send({ to, amount: BigInt(2000 + i) });
const path = '/v1/networks/local/blockchains/x-chain/transactions?pageSize=10';
await (await node.fetch(path)).text();
await node.dev.send({ to, amount: 5000n });
const takeFramesToRoute = await watchFrames('api/data/tx-routes.js', 'listLatestPrimaryNetworkTransactions: async (');
await takeRun();
const page = await node.fetch(path);
if (page.status !== 200) throw new Error(`the page of transactions has status ${page.status}`);
await page.text();
counts['a Data page of ten transactions'] = await takeRun();
counts['frames of a Data page before route'] = await takeFramesToRoute();
await node.close();

counts['one block on a network'] = await countNetworkBlock();
process.stdout.write(JSON.stringify(counts));
process.exit(0);

/** Five nodes of the simulation with the real chain agree on one block. */
async function countNetworkBlock() {
  const { createRandom } = await import('./test/random.js');
  const { createEventLoop, simulationStart } = await import('./test/simulation/event-loop.js');
  const { createHonestNode } = await import('./test/simulation/honest-node.js');
  const { createNetwork } = await import('./test/simulation/network.js');
  const { createRealWorld } = await import('./test/simulation/real-world.js');
  const { createScenario } = await import('./test/simulation/scenario.js');
  const random = createRandom(1);
  const indexes = [0, 1, 2, 3, 4];
  const scenario = { ...createScenario(random, 5), byzantine: 0 };
  const [loop, fail] = [
    createEventLoop(),
    (_, error) => {
      throw error;
    },
  ];
  const network = createNetwork(loop, random);
  const world = createRealWorld(loop, random, scenario);
  const validators = new Map(indexes.map((index) => [world.nodeId(index), scenario.weights[index]]));
  const nodes = indexes.map((index) => {
    const disk = world.newDisk();
    const openChain = (isAlive) => world.openChain(disk, isAlive, () => {});
    return createHonestNode({
      id: world.nodeId(index),
      loop,
      network,
      random,
      validators,
      parameters: scenario.parameters,
      openChain,
      onFatal: fail,
    });
  });
  for (const one of nodes) one.start();
  const [first, second] = world.txs.map(([tx]) => tx);
  const decide = async (tx) => {
    loop.timers.after(10, () => nodes[0].issue(tx));
    await loop.run(() => nodes.every((one) => one.isAccepted(tx)), simulationStart + 200_000);
  };
  await loop.run(() => nodes.every((one) => one.chain()?.isBootstrapping() === false), simulationStart + 60_000);
  await decide(first);
  await takeRun();
  await decide(second);
  if (!nodes.every((one) => one.isAccepted(second))) throw new Error('the nodes did not accept the transaction');
  return takeRun();
}
