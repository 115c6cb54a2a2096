import { describe, expect, test } from 'bun:test';
import { longWork } from '../../base/timing/long-work.fixture.ts';
import { localNodeHealth } from '../health/local-node.fixture.ts';
import { type GoldenCase, maskVolatile, readGolden } from './golden-cases.fixture.ts';
import { type HealthRpcDeps, healthMethods } from './health.ts';
import { handleRpc } from './json-rpc.ts';
import { combineServices, createService } from './method.ts';

const golden = readGolden();

const strict = {
  differences: { batches: false, missingContentType: false, underscoreNames: false, errorData: false },
  onUnexpectedError: (error: unknown) => expect.unreachable(String(error)),
  longWork,
};

async function send(deps: HealthRpcDeps, body: string): Promise<unknown> {
  const response = await handleRpc(combineServices(createService('health', healthMethods, deps)), Buffer.from(body), strict);
  return JSON.parse(response.body.toString());
}

const isHealthCall = ({ httpMethod, path, body, status }: GoldenCase) =>
  httpMethod === 'POST' && path === '/ext/health' && body && status === 200;

describe('after startup, every response equals the captured one', () => {
  const calls = golden.afterHealthy.filter(isHealthCall);
  test('the capture has enough cases', () => expect(calls.length).toBeGreaterThan(35));
  for (const { name, body, responseJSON, volatile } of calls)
    test(name, async () => {
      const { health: node } = localNodeHealth();
      await node.start();
      expect(maskVolatile(await send(node, body!), volatile)).toBe(maskVolatile(responseJSON, volatile));
    });
});

test('before the first round every check is reported as `not yet run`, as a result and not as an error', async () => {
  const { health: node } = localNodeHealth();
  const { result } = (await send(node, '{"jsonrpc":"2.0","id":1,"method":"health.readiness"}')) as { result: object };
  expect(JSON.stringify(result)).toBe(
    '{"checks":{"bootstrapped":{"error":"not yet run","timestamp":"0001-01-01T00:00:00Z","duration":0}},"healthy":false}',
  );
});
