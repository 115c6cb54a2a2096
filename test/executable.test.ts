import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checksum } from '../src/base/bytes/hash.ts';
import { toHex } from '../src/base/bytes/hex.ts';
import { startExecutable } from '../tools/release/running-executable.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** The single-file executable, started in a folder that holds nothing else. */

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'serac-executable-'));
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, 'tools/build-executable.ts', join(folder, 'serac')], { stdout: 'inherit' });
  if (exitCode !== 0) throw new Error(stderr.toString());
});
afterAll(() => rmSync(folder, { recursive: true }));

const start = (...flags: string[]) => startExecutable(join(folder, 'serac'), ...flags);

async function call(url: string, method: string, params: object): Promise<{ result?: Record<string, unknown>; error?: unknown }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(`${url}/ext/bc/X`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return (await response.json()) as { result?: Record<string, unknown> };
}

test('every network starts: the genesis data and the documentation are inside', async () => {
  expect(readdirSync(folder)).toEqual(['serac']);
  for (const network of ['local', 'fuji', 'mainnet']) {
    const { url, stop } = await start(`--network-id=${network}`);
    expect((await call(url, 'avm.getHeight', {})).result).toHaveProperty('height');
    expect(await (await fetch(`${url}/docs/guides/join.html`)).text()).toContain('<h1>Join a network</h1>');
    expect(await stop()).toEqual({ code: 0, err: '' });
  }
});

test('a burst of transactions uses the native key recovery and the recovery thread', async () => {
  const { url, pid, stop } = await start('--log-level=info');
  const wallet = createWallet('executable', { keys: [ewoq], count: 0 });
  const txs = Array.from({ length: 200 }, (_, i) => {
    const output = transfer(localChainParams.feeAsset, BigInt(i + 1), ownedBy([ewoq]));
    const { bytes } = signDraft(baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, [output]));
    return `0x${toHex(bytes)}${toHex(checksum(bytes))}`;
  });
  const results = await Promise.all(txs.map((tx) => call(url, 'avm.issueTx', { tx, encoding: 'hex' })));
  expect(results.filter(({ result }) => result !== undefined)).toHaveLength(1);
  if (existsSync(`/proc/${pid}/maps`)) expect(readFileSync(`/proc/${pid}/maps`, 'utf8')).toContain('.node');
  expect(await stop()).toEqual({ code: 0, err: '' });
});

test('reader processes are started from the executable, and .env of the folder is ignored', async () => {
  writeFileSync(join(folder, '.env'), 'AVAGO_NETWORK_ID=fuji\n');
  const { url, workers, stop } = await start('--data-dir=./data', '--workers=2');
  expect(workers).toBe(2);
  for (let i = 0; i < 20; i++) expect((await call(url, 'avm.getHeight', {})).result).toEqual({ height: '0' });
  const health = (await (await fetch(`${url}/ext/health`)).json()) as { checks: { readers: { error?: string } } };
  expect(health.checks.readers.error).toBeUndefined();
  expect(await stop()).toEqual({ code: 0, err: '' });
});
