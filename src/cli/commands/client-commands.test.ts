import { afterAll, expect, test } from 'bun:test';
import { createRpcClient } from '../../api/client/rpc-client.ts';
import { Fault } from '../../base/fault.ts';
import type { ClientContext } from './client-command.ts';
import { type ClientCommandName, runClientCommand } from './client-commands.ts';
import { waitForOutcome } from './outcome.ts';

/** Commands against servers that answer like AvalancheGo, without Data API and `dev.*` methods, or in odd ways. */

const blockID = '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed';
const txID = 'tWPttKYYGyDZkH19He719upoCapjBPWdQ9bGsrgz5aytqg9Af';
const address = 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';

/** The results of AvalancheGo, by method. */
const results: { readonly [method: string]: unknown } = {
  'info.getNetworkName': { networkName: 'local' },
  'info.getNetworkID': { networkID: '12345' },
  'info.peers': { numPeers: '1', peers: [{ nodeID: 'NodeID-A', ip: '10.0.0.1:9651', version: 'avalanchego/1.14.2', benched: null }] },
  'avm.getHeight': { height: '2' },
  'avm.getBlockByHeight': {
    block: { parentID: blockID, height: 2, time: 1_700_000_000, merkleRoot: blockID, txs: [{ unsignedTx: {}, id: txID }], id: blockID },
    encoding: 'json',
  },
  'avm.getTxStatus': { status: 'Accepted' },
  'avm.getTx': { tx: { unsignedTx: { networkID: 12345 }, id: txID }, encoding: 'json' },
  'avm.getAssetDescription': { assetID: blockID, name: 'Avalanche', symbol: 'AVAX', denomination: '9' },
  'avm.getAllBalances': { balances: [{ asset: 'AVAX', balance: '1500000000' }] },
  'avm.getUTXOs': { numFetched: '0', utxos: [], endIndex: { address: '', utxo: '' }, encoding: 'hex' },
};

type Answer = (path: string, method: string) => Response | undefined;
let answer: Answer = () => undefined;
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    const { pathname } = new URL(request.url);
    const { method = '' } = request.method === 'POST' ? ((await request.json()) as { method?: string }) : {};
    const scripted = answer(pathname, method);
    if (scripted !== undefined) return scripted;
    if (!/^\/ext\/(?:info|bc\/X)$/.test(pathname)) return new Response('404 page not found\n', { status: 404 });
    return Response.json({ jsonrpc: '2.0', id: 1, result: results[method] });
  },
});
afterAll(() => server.stop(true));

async function run(name: ClientCommandName, ...args: string[]): Promise<string> {
  const lines: string[] = [];
  const context = {
    client: createRpcClient({ url: server.url.origin }),
    args,
    options: { json: false },
    given: new Map([['url', {}]]),
    readFile: async () =>
      new Blob(['{"serac":"recording","version":1,"network":1,"accounts":1,"automine":true,"interval":0,"state":""}\n']),
    print: (line: string) => lines.push(line),
    wait: (_: string, work: Promise<unknown>) => work,
  } as unknown as ClientContext;
  await runClientCommand(name, context);
  return lines.join('\n');
}

/** The error of a command: its code and message. An error that is no fault fails the test. */
const failure = (name: ClientCommandName, ...args: string[]): Promise<unknown> =>
  run(name, ...args).catch((error: unknown) => {
    if (!(error instanceof Fault)) throw error;
    return `${error.fault.code}: ${error.message.replaceAll(server.url.origin, 'URL')}`;
  });

test('a node without a Data API is asked by its Node RPC', async () => {
  answer = () => undefined;
  const block = `block 2 ${blockID}\nparent ${blockID}\n2023-11-14T22:13:20Z, transactions: 1\n  ${txID}`;
  expect(await run('block', '2')).toBe(block);
  expect(await run('block', 'latest')).toBe(block);
  expect(await run('tx', txID)).toStartWith(`${txID}: Accepted\n{`);
  expect(await run('address', address)).toContain('\nbalance  1.5 AVAX');
  expect(await run('balance', address)).toBe(`${address}\n    Amount  Asset      State\n  1.5 AVAX  Avalanche  spendable`);
  expect(await run('asset show', 'AVAX')).toEndWith(
    'denomination 9\n' + `${server.url.origin} has no Data API, which tells supply and owners`,
  );
  expect(await run('peers')).toContain('NodeID-A  10.0.0.1:9651');
});

test('what only another node can do is refused with the reason', async () => {
  answer = () => undefined;
  expect(await failure('replay', 'calls.jsonl')).toMatch(
    /^NODE_HTTP: URL cannot load a state\n {7}this node has no dev methods: it is AvalancheGo/,
  );
  expect(await failure('accounts')).toContain('this node has no dev methods');
  expect(await failure('webhooks list')).toMatch(/^NODE_HTTP: /);
  expect(await failure('asset list')).toContain('has no Data API');
  expect(await run('balance', 'all')).toBe('this node has no accounts');
});

test('a thing that the Data API does not have is not there', async () => {
  answer = (path) => (path.startsWith('/v1/') ? Response.json({ message: 'no block', statusCode: 404 }, { status: 404 }) : undefined);
  expect(await failure('block', '7')).toBe('NOT_FOUND: URL has no block 7; the last one is 2');
});

test('answers of another form are errors that say so, whatever they are', async () => {
  const commands: readonly (readonly [ClientCommandName, ...string[]])[] = [
    ['block', 'latest'],
    ['block', '2'],
    ['address', address],
    ['asset show', 'AVAX'],
    ['asset list'],
    ['nft list'],
    ['nft list', address],
    ['balance', address],
    ['issue', '0x00'],
    ['reset'],
    ['import'],
    ['tx', txID],
    ['peers'],
    ['accounts'],
    ['mine'],
    ['send', address, '1'],
    ['webhooks list'],
    ['snapshot list'],
    ['replay', 'calls.jsonl'],
  ];
  for (const body of ['{}', 'null', '[]', '{"blocks":5,"balances":7,"peers":{"a":1}}', '<html>']) {
    const isJson = body !== '<html>';
    answer = (path) => new Response(isJson && path.startsWith('/ext/') ? `{"jsonrpc":"2.0","id":1,"result":${body}}` : body);
    for (const [name, ...args] of commands) expect([body, name, await failure(name, ...args)]).toEqual([body, name, expect.any(String)]);
    // The node is fine, its Data API is not.
    if (isJson) answer = (path) => (path.startsWith('/v1/') ? new Response(body) : undefined);
    for (const [name, ...args] of commands) expect([body, name, await failure(name, ...args)]).toEqual([body, name, expect.any(String)]);
  }
});

/** The outcome of a transaction whose status is each of these in turn, on a node that makes blocks by this policy; and what was waited for. */
async function outcomeOf(statuses: readonly string[], policy: { automine: boolean; interval: number } | undefined, noWait = false) {
  let asked = 0;
  const waits: string[] = [];
  answer = (_, method) => {
    if (method === 'avm.getTxStatus') return rpcAnswer({ status: statuses[Math.min(asked++, statuses.length - 1)] });
    return method === 'dev.nodeInfo' && policy !== undefined ? rpcAnswer({ ...nodeInfo, ...policy }) : undefined;
  };
  const context = {
    client: createRpcClient({ url: server.url.origin }),
    options: { 'no-wait': noWait },
    wait: (what: string, work: Promise<unknown>) => {
      waits.push(what);
      return work;
    },
  } as unknown as ClientContext;
  return { ...(await waitForOutcome(context, txID)), waits };
}

const rpcAnswer = (result: unknown): Response => Response.json({ jsonrpc: '2.0', id: 1, result });

const nodeInfo = {
  version: '1',
  network: { id: 1, name: 'local', hrp: 'local' },
  blockchainID: blockID,
  height: '1',
  blockID,
  blockTime: '1',
  time: '1',
  offset: '0',
  frozen: false,
  pending: 1,
  impersonated: 0,
  impersonatedAddresses: [],
  autoImpersonate: false,
  faults: [],
};

test('a transaction is waited for where blocks are made by time or at once, not where they are made by hand', async () => {
  const [byTime, byHand, atOnce] = [
    { automine: false, interval: 2 },
    { automine: false, interval: 0 },
    { automine: true, interval: 0 },
  ];
  expect(await outcomeOf(['Accepted'], byTime)).toEqual({ status: 'Accepted', waits: [] });
  expect(await outcomeOf(['Processing', 'Processing', 'Accepted'], byTime)).toEqual({
    status: 'Accepted',
    waits: ['waiting for the next block; one is made every 2 s'],
  });
  expect(await outcomeOf(['Processing', 'Rejected'], atOnce)).toEqual({
    status: 'Rejected',
    waits: ['waiting until the transaction is accepted'],
  });
  expect(await outcomeOf(['Processing'], byHand)).toEqual({
    status: 'Processing',
    remedy: 'blocks are made by hand here: serac mine makes one',
    waits: [],
  });
  expect(await outcomeOf(['Processing'], byTime, true)).toMatchObject({ status: 'Processing', waits: [] });
  // A node without dev.nodeInfo, such as AvalancheGo.
  expect(await outcomeOf(['Processing', 'Accepted'], undefined)).toMatchObject({ status: 'Accepted' });
});
