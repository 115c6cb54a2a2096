import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Program, startProgram } from './program.ts';

/** `GET /ext/settings` and its part of the node page. */
let node: Program;
beforeAll(async () => {
  node = await startProgram('--accounts=2', '--mnemonic=test test test test test test test test test test test junk', '--log-level=error');
});
afterAll(() => node.stop());

const read = async (program: Program, headers: Record<string, string> = {}) => {
  const response = await fetch(`${program.url}/ext/settings`, { headers });
  return { status: response.status, text: await response.text() };
};

test('every setting has a value and a source; secrets are not shown', async () => {
  const { status, text } = await read(node);
  expect(status).toBe(200);
  const settings: { flag: string; value: unknown; source: string }[] = JSON.parse(text).settings;
  const of = (flag: string) => settings.find((one) => one.flag === flag);
  expect(of('accounts')).toEqual({ flag: 'accounts', value: 2, source: '--accounts' });
  expect(of('network-id')?.source).toBe('default');
  expect(of('mnemonic')).toEqual({ flag: 'mnemonic', value: '(not shown)', source: '--mnemonic' });
  expect(text).not.toContain('junk');
  expect((await fetch(`${node.url}/ext/settings`, { method: 'POST', body: '{}' })).status).toBe(405);
});

test('web pages of other origins and callers behind a proxy are refused', async () => {
  expect((await read(node, { origin: 'http://example.org' })).status).toBe(403);
  expect((await read(node, { 'x-forwarded-for': '192.0.2.1' })).status).toBe(403);
  const html = async (headers: Record<string, string>) =>
    (await fetch(`${node.url}/node`, { headers: { accept: 'text/html', ...headers } })).text();
  expect(await html({})).toContain('Settings and where they come from');
  expect(await html({ 'x-forwarded-for': '192.0.2.1' })).not.toContain('Settings and where they come from');
});

test.each(['--public-api', '--strict'])('with %s there is no such route', async (flag) => {
  const program = await startProgram(flag);
  try {
    expect((await read(program)).status).toBe(404);
  } finally {
    await program.stop();
  }
});
