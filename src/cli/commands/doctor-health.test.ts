import { expect, test } from 'bun:test';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import type { AnyFault } from '../../base/fault.ts';
import { describeHealth, describeMode, loneNodeRemedy, readHealth } from './doctor-health.ts';

const clientOf = (status: number, text: string): RpcClient =>
  ({
    url: 'http://n',
    request: async () => new Response(text, { status }),
    readText: (response: Response) => response.text(),
  }) as unknown as RpcClient;

test('health is read as the node tells it, also with status 503', async () => {
  const checks = { network: { error: 'no peers' } };
  expect(await readHealth(clientOf(503, JSON.stringify({ healthy: false, checks })))).toEqual({ healthy: false, checks });
  expect(await readHealth(clientOf(200, '{"healthy":true}'))).toEqual({ healthy: true, checks: {} });
  expect(await readHealth(clientOf(200, '{"healthy":"yes"}'))).toEqual({ healthy: false, checks: {} });
  expect(await readHealth(clientOf(404, 'not found'))).toBeUndefined();
  const error: unknown = await readHealth(clientOf(200, '<html>')).catch((reason: unknown) => reason);
  expect((error as AnyFault).fault as object).toEqual({ code: 'NODE_HTTP', url: 'http://n', status: 200 });
});

test('a node that is healthy or does not tell is no problem', async () => {
  expect(await describeHealth(undefined)).toEqual([expect.objectContaining({ ok: true, text: expect.stringContaining('not served') })]);
  expect(await describeHealth({ healthy: true, checks: { a: {}, b: null } })).toEqual([
    { topic: 'health', ok: true, text: 'healthy, 2 checks' },
  ]);
});

test('each error of failing checks comes once, with all its checks and what to do', async () => {
  const checks = {
    X: { error: 'not connected to enough stake' },
    P: { error: 'not connected to enough stake' },
    ok: {},
    diskspace: { error: 'full' },
  };
  expect(await describeHealth({ healthy: false, checks })).toEqual([
    { topic: 'health', ok: false, text: 'X, P: not connected to enough stake', remedy: loneNodeRemedy },
    { topic: 'health', ok: false, text: 'diskspace: full', remedy: expect.stringMatching(/^Free disk space/) },
  ]);
});

test('every check has its remedy, and another one is in the log', async () => {
  const remedyOf = async (name: string, error = 'failed') =>
    (await describeHealth({ healthy: false, checks: { [name]: { error } } }))[0]?.remedy;
  expect(await remedyOf('bls')).toContain('--staking-signer-key-file');
  expect(await remedyOf('follow')).toContain('waits for the node that it follows');
  expect(await remedyOf('index')).toContain('waits for the node that it follows');
  expect(await remedyOf('stakingkey')).toContain('--staking-tls-key-file');
  expect(await remedyOf('trusted-validators')).toContain('--validators-from');
  expect(await remedyOf('X', 'height 5 is behind the network')).toContain('trusted node that is away');
  for (const name of ['bootstrapped', 'network', 'router']) expect(await remedyOf(name)).toBe(loneNodeRemedy);
  expect(await remedyOf('other')).toBe('Look at the log of the node.');
});

test('what a node follows and its readers are told; a missing reader is a problem', async () => {
  const modes = async (checks: object) => await describeMode({ healthy: true, checks } as never);
  expect(await describeMode(undefined)).toEqual([]);
  expect(await modes({ follow: { message: { state: 'live', height: 7 } } })).toEqual([
    { topic: 'mode', ok: true, text: 'follows a node: live, height 7' },
  ]);
  expect(await modes({ index: { message: { state: 'behind', height: 7 } } })).toEqual([
    { topic: 'mode', ok: true, text: 'writes an index to PostgreSQL: behind, height 7' },
  ]);
  expect(await modes({ readers: { message: { wanted: 2, serving: 2, replaced: 0 } } })).toEqual([
    { topic: 'readers', ok: true, text: '2 of 2 reader processes serve', remedy: undefined },
  ]);
  expect(await modes({ readers: { message: { wanted: 2, serving: 1, replaced: 3 } } })).toEqual([
    { topic: 'readers', ok: false, text: '1 of 2 reader processes serve, 3 were replaced', remedy: expect.stringContaining('restarted') },
  ]);
  expect((await modes({ stakingkey: {} })).map(({ text }) => text)).toEqual([
    'joined a network of peers; validators are its nodes, without sybil protection',
  ]);
  expect((await modes({ stakingkey: {}, 'trusted-validators': {} })).map(({ text }) => text)).toEqual([
    'joined a network of peers; validators come from trusted nodes',
  ]);
  expect(await modes({ follow: { message: 'text' } })).toEqual([]);
});
