import { expect, test } from 'bun:test';
import { readNode } from './read-node.ts';

type Answers = { readonly [call: string]: unknown };
const whole: Answers = {
  'GET /ext/health': { checks: { network: {}, X: { error: 'behind' }, P: { error: 'not bootstrapped' } } },
  'avm.getHeight': { result: { height: '42' } },
  'info.peers': { result: { numPeers: '4', peers: [] } },
  'info.isBootstrapped X': { result: { isBootstrapped: true } },
  'info.isBootstrapped P': { result: { isBootstrapped: true } },
  'info.isBootstrapped C': { result: { isBootstrapped: true } },
};

/** What a node that answers like this reports, and which calls it got. */
async function read(kind: 'Serac' | 'AvalancheGo', changes: Answers = {}) {
  const calls: string[] = [];
  const answers = { ...whole, ...changes };
  const fetch = async (url: string, { method, body }: RequestInit): Promise<Response> => {
    expect(url.startsWith('http://node/ext/')).toBe(true);
    const call = body === undefined ? undefined : (JSON.parse(body as string) as { method: string; params: { chain?: string } });
    const name =
      call === undefined ? `${method} ${url.slice('http://node'.length)}` : [call.method, call.params.chain].filter(Boolean).join(' ');
    calls.push(name);
    const answer = answers[name];
    if (answer instanceof Error) throw answer;
    return Response.json(answer);
  };
  return { reading: await readNode(fetch, { url: 'http://node', kind }), calls: calls.sort() };
}

test('height, peers, the failing checks with their errors, and whether the chains are bootstrapped', async () => {
  const { reading, calls } = await read('Serac');
  expect(reading).toEqual({
    failing: new Map([
      ['X', 'behind'],
      ['P', 'not bootstrapped'],
    ]),
    height: 42n,
    peers: 4,
    isBootstrapped: true,
  });
  expect(calls).toEqual(['GET /ext/health', 'avm.getHeight', 'info.isBootstrapped X', 'info.peers']);
});

test('of Serac only the X-Chain must be bootstrapped, of AvalancheGo all three chains', async () => {
  const late = { 'info.isBootstrapped C': { result: { isBootstrapped: false } } };
  expect((await read('Serac', late)).reading?.isBootstrapped).toBe(true);
  expect((await read('AvalancheGo', late)).reading?.isBootstrapped).toBe(false);
  expect((await read('AvalancheGo')).reading?.isBootstrapped).toBe(true);
  expect((await read('Serac', { 'info.isBootstrapped X': { error: { message: 'unknown chain' } } })).reading?.isBootstrapped).toBe(false);
});

test('a chain that is not served yet has the height 0; a node without an answer is not read', async () => {
  expect((await read('AvalancheGo', { 'avm.getHeight': {} })).reading?.height).toBe(0n);
  expect((await read('Serac', { 'GET /ext/health': {} })).reading?.failing).toEqual(new Map());
  expect((await read('Serac', { 'info.peers': { result: { numPeers: 4 } } })).reading).toBeUndefined();
  expect((await read('Serac', { 'info.peers': new Error('refused') })).reading).toBeUndefined();
});
