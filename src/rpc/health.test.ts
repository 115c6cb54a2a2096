import { describe, expect, test } from 'bun:test';
import { localNodeHealth } from '../health/local-node.fixture.ts';
import { longWork } from '../timing/long-work.fixture.ts';
import { answer } from './envelope.ts';
import { type Golden, readGolden, steady } from './golden.fixture.ts';
import { type HealthDeps, health } from './health.ts';
import { service, servicesOf } from './method.ts';

const golden = readGolden();

const strict = {
  differences: { batches: false, missingContentType: false, errorData: false },
  report: (error: unknown) => expect.unreachable(String(error)),
  longWork,
};

async function ask(deps: HealthDeps, body: string): Promise<unknown> {
  const reply = await answer(servicesOf(service('health', health, deps)), Buffer.from(body), strict);
  return JSON.parse(reply.body.toString());
}

const isHealthCall = ({ httpMethod, path, body, status }: Golden) =>
  httpMethod === 'POST' && path === '/ext/health' && body && status === 200;

describe('after it is healthy, every captured call is answered as captured', () => {
  const calls = golden.afterHealthy.filter(isHealthCall);
  test('there are many', () => expect(calls.length).toBeGreaterThan(35));
  for (const { name, body, responseJSON, volatile } of calls)
    test(name, async () => {
      const { health: node } = localNodeHealth();
      await node.start();
      expect(steady(await ask(node, body!), volatile)).toBe(steady(responseJSON, volatile));
    });
});

test('before the first round every check is not yet run, and that is a result, no error', async () => {
  const { health: node } = localNodeHealth();
  const { result } = (await ask(node, '{"jsonrpc":"2.0","id":1,"method":"health.readiness"}')) as { result: object };
  expect(JSON.stringify(result)).toBe(
    '{"checks":{"bootstrapped":{"error":"not yet run","timestamp":"0001-01-01T00:00:00Z","duration":0}},"healthy":false}',
  );
});
