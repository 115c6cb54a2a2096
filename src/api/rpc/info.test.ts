import { describe, expect, test } from 'bun:test';
import { fromHex } from '../../base/bytes/hex.ts';
import { type Id, parseId, zeroId } from '../../base/bytes/id.ts';
import { longWork } from '../../base/timing/long-work.fixture.ts';
import { createAliases } from './aliases.ts';
import { type GoldenCase, maskVolatile, readGolden } from './golden-cases.fixture.ts';
import { infoMethods, type PeerInfo } from './info.ts';
import { handleRpc } from './json-rpc.ts';
import { combineServices, createService } from './method.ts';
import { nodeVersions } from './versions.ts';

const golden = readGolden();

type InfoDeps = Parameters<typeof infoMethods.getNodeID.run>[0];

const strict = {
  differences: { batches: false, missingContentType: false, underscoreNames: false, errorData: false },
  onUnexpectedError: (error: unknown) => expect.unreachable(String(error)),
  longWork,
};

const deps: InfoDeps = {
  versions: nodeVersions('0.1.0', true),
  gitCommit: '',
  nodeID: 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg',
  proofOfPossession: () => Promise.resolve({ publicKey: new Uint8Array(48), proofOfPossession: new Uint8Array(96) }),
  nodeIP: () => '127.0.0.1:9651',
  network: {
    id: 12345,
    name: 'local',
    fees: { txFee: 1_000_000n, createAssetTxFee: 1_000_000n },
    retiredFees: {
      createSubnetTxFee: 100_000_000n,
      transformSubnetTxFee: 100_000_000n,
      createBlockchainTxFee: 100_000_000n,
      addPrimaryNetworkValidatorFee: 0n,
      addPrimaryNetworkDelegatorFee: 0n,
      addSubnetValidatorFee: 1_000_000n,
      addSubnetDelegatorFee: 1_000_000n,
    },
    upgrades: upgradesOf('afterHealthy'),
  },
  aliases: createAliases([
    { id: parseId('2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed'), aliases: ['X', 'avm'] },
    { id: parseId('2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC'), aliases: ['C', 'evm'] },
    { id: zeroId, aliases: ['P', 'platform'] },
  ]),
  isBootstrapped: () => true,
  peers: () => [],
  acps: () => [],
  uptime: () => ({ rewardingStake: 100, weightedAverage: 100 }),
};

/** The captured values in another order, to test the order of the response. */
function upgradesOf(section: 'afterHealthy' | 'fujiWithoutPeers'): InfoDeps['network']['upgrades'] {
  const captured = golden[section].find(({ body }) => body?.includes('info.upgrades'))?.responseJSON as {
    result: InfoDeps['network']['upgrades'];
  };
  const { cortinaXChainStopVertexID, ...rest } = captured.result;
  return { cortinaXChainStopVertexID: parseId(cortinaXChainStopVertexID), ...rest };
}

async function send(deps: InfoDeps, body: string): Promise<unknown> {
  const response = await handleRpc(combineServices(createService('info', infoMethods, deps)), Buffer.from(body), strict);
  return JSON.parse(response.body.toString());
}

const call = (deps: InfoDeps, method: string, params: object = {}) =>
  send(deps, JSON.stringify({ jsonrpc: '2.0', id: 1, method: `info.${method}`, params }));

const isInfoCall = ({ httpMethod, path, body, status }: GoldenCase) =>
  httpMethod === 'POST' && path === '/ext/info' && body && status === 200;

describe('after startup, every response equals the captured one', () => {
  const calls = golden.afterHealthy.filter(isInfoCall);
  test('the capture has enough cases', () => expect(calls.length).toBeGreaterThan(60));
  for (const { name, body, responseJSON, volatile } of calls)
    test(name, async () => expect(maskVolatile(await send(deps, body!), volatile)).toBe(maskVolatile(responseJSON, volatile)));
});

test('responses without volatile values have the length of the captured body', async () => {
  for (const { body, volatile, responseHeaders } of golden.afterHealthy.filter(isInfoCall)) {
    if (volatile?.length) continue;
    const response = await handleRpc(combineServices(createService('info', infoMethods, deps)), Buffer.from(body!), strict);
    expect(Buffer.byteLength(response.body)).toBe(Number(responseHeaders['content-length']));
  }
});

test('on fuji, without peers', async () => {
  const fuji: InfoDeps = {
    ...deps,
    network: {
      id: 5,
      name: 'fuji',
      fees: { txFee: 1_000_000n, createAssetTxFee: 10_000_000n },
      retiredFees: { ...deps.network.retiredFees, transformSubnetTxFee: 1_000_000_000n },
      upgrades: upgradesOf('fujiWithoutPeers'),
    },
    aliases: createAliases([
      { id: parseId('2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm'), aliases: ['X'] },
      { id: parseId('yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp'), aliases: ['C'] },
      { id: zeroId, aliases: ['P'] },
    ]),
    isBootstrapped: () => false,
    uptime: () => undefined,
  };
  for (const { body, responseJSON, volatile } of golden.fujiWithoutPeers.filter(isInfoCall))
    expect(maskVolatile(await send(fuji, body!), volatile)).toBe(maskVolatile(responseJSON, volatile));
});

test('with a peer: listed, selected by ID, twice if requested twice', async () => {
  const [first] = golden.twoNodes;
  type PeerJson = Omit<PeerInfo, 'upgradeTime' | 'observedUptime' | 'trackedSubnets'> & { upgradeTime: number; observedUptime: string };
  const [captured] = (first!.responseJSON as { result: { peers: PeerJson[] } }).result.peers;
  const peer: PeerInfo = {
    ...captured!,
    upgradeTime: BigInt(captured!.upgradeTime),
    observedUptime: Number(captured!.observedUptime),
    trackedSubnets: [zeroId],
  };
  const withPeer: InfoDeps = { ...deps, peers: () => [peer], uptime: () => ({ rewardingStake: 50, weightedAverage: 50 }) };
  const calls = golden.twoNodes.filter(isInfoCall);
  expect(calls.length).toBe(6);
  for (const { body, responseJSON } of calls) expect(maskVolatile(await send(withPeer, body!))).toBe(maskVolatile(responseJSON));
});

test('sets are sorted as text, weights are strings', async () => {
  const votes = { supportWeight: 2n ** 64n - 1n, supporters: ['NodeID-b', 'NodeID-a'], objectWeight: 0n, objectors: [], abstainWeight: 1n };
  const acps = () => [23, 125].map((acp) => ({ acp, ...votes }));
  const response = await handleRpc(
    combineServices(createService('info', infoMethods, { ...deps, acps })),
    Buffer.from('{"jsonrpc":"2.0","id":1,"method":"info.acps"}'),
    strict,
  );
  const expected =
    '{"supportWeight":"18446744073709551615","supporters":["NodeID-a","NodeID-b"],"objectWeight":"0","objectors":[],"abstainWeight":"1"}';
  expect(response.body.toString()).toBe(`{"jsonrpc":"2.0","result":{"acps":{"125":${expected},"23":${expected}}},"id":1}\n`);
});

test("by default the node reports its own name; database and protocol versions stay AvalancheGo's", async () => {
  expect(await call({ ...deps, versions: nodeVersions('0.1.0', false), gitCommit: 'abc' }, 'getNodeVersion')).toMatchObject({
    result: {
      version: 'serac/0.1.0 avalanchego/1.14.2',
      databaseVersion: 'v1.4.5',
      rpcProtocolVersion: '45',
      gitCommit: 'abc',
      vmVersions: {
        avm: 'serac/0.1.0 avalanchego/1.14.2',
        evm: 'serac/0.1.0 avalanchego/1.14.2',
        platform: 'serac/0.1.0 avalanchego/1.14.2',
      },
    },
  });
});

test('the proof of possession is hex of 48 and 96 bytes', async () => {
  const { result } = (await call(deps, 'getNodeID')) as { result: { nodePOP: { publicKey: string; proofOfPossession: string } } };
  expect(fromHex(result.nodePOP.publicKey.slice(2)).length).toBe(48);
  expect(fromHex(result.nodePOP.proofOfPossession.slice(2)).length).toBe(96);
});

test('isBootstrapped is reported per chain', async () => {
  const x = deps.aliases.find('X') as Id;
  const onlyX: InfoDeps = { ...deps, isBootstrapped: (id) => id === x };
  expect(await call(onlyX, 'isBootstrapped', { chain: 'avm' })).toMatchObject({ result: { isBootstrapped: true } });
  expect(await call(onlyX, 'isBootstrapped', { chain: 'C' })).toMatchObject({ result: { isBootstrapped: false } });
});
