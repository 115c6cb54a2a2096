import { expect, test } from 'bun:test';
import { createWebhookManagement } from './webhook-management.ts';

type Given = { host: string; devToken?: string; publicApi?: boolean; dataDir?: string; database?: string };

/** Whether the operator may manage webhooks without a token; undefined if the server has no routes of webhooks. */
function operatorOf({ host, devToken, publicApi = false, dataDir, database }: Given): string | undefined {
  const [config, env, parts] = [{ http: { host }, devToken, publicApi, dataDir, database }, {}, { hub: {} }] as unknown as Parameters<
    typeof createWebhookManagement
  >;
  const management = createWebhookManagement(config, env, parts);
  return management && (management.operators.refusal.includes('X-Service-API-Key') ? 'keys only' : 'operator');
}

test('webhooks have routes where an operator or the holder of an API key can use them', () => {
  expect(operatorOf({ host: '127.0.0.1' })).toBe('operator');
  expect(operatorOf({ host: '0.0.0.0', devToken: 'token' })).toBe('operator');
  expect(operatorOf({ host: '127.0.0.1', publicApi: true, dataDir: 'data' })).toBe('keys only');
  expect(operatorOf({ host: '0.0.0.0', dataDir: 'data' })).toBe('keys only');
  expect(operatorOf({ host: '0.0.0.0', database: 'postgres://db' })).toBe('keys only');
  expect(operatorOf({ host: '0.0.0.0' })).toBeUndefined();
  expect(operatorOf({ host: '127.0.0.1', publicApi: true })).toBeUndefined();
});
