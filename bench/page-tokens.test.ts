import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Program, startProgram } from '../test/program.ts';
import { createPageTokenAdder } from './page-tokens.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-page-tokens-'));
const blocks = '/v1/networks/local/blockchains/x-chain/blocks';
let node: Program;
let secret: Uint8Array;

beforeAll(async () => {
  node = await startProgram(`--data-dir=${folder}`, '--workers=0');
  const db = new Database(join(folder, 'db', 'serac.sqlite'), { readonly: true });
  secret = db.query<{ value: Uint8Array }, []>(`SELECT value FROM meta WHERE name = 'page secret'`).get()?.value ?? new Uint8Array();
  db.close();
});
afterAll(async () => {
  await node.stop();
  rmSync(folder, { recursive: true, force: true });
});

const heightsAt = async (path: string): Promise<unknown> => {
  const { status, text } = await node.client.send('GET', path);
  return status === 200 ? (JSON.parse(text) as { blocks: { blockNumber: string }[] }).blocks.map(({ blockNumber }) => blockNumber) : text;
};

test('the server accepts an added page token and returns what follows its cursor', async () => {
  const addToken = createPageTokenAdder(secret);
  expect(await heightsAt(`${blocks}?pageSize=5`)).toEqual(['0']);
  expect(await heightsAt(addToken({ path: `${blocks}?pageSize=5` }, { height: 0, after: 1 }).path)).toEqual(['0']);
  expect(await heightsAt(addToken({ path: `${blocks}?pageSize=5` }, { height: 0, after: 0 }).path)).toEqual([]);
});

test('a path without a route is an error', () => {
  expect(() => createPageTokenAdder(secret)({ path: '/v1/nowhere' }, { height: 0, after: 0 })).toThrow('no route for /v1/nowhere');
});
