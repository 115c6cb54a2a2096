import { expect, test } from 'bun:test';
import { openDatabase } from '../src/app/platform/bun/database.ts';
import { createEnv } from '../src/app/platform/runtime-env.ts';
import { startNode } from '../src/app/programs/start-node.ts';
import { createLog } from '../src/base/log/log.ts';
import type { Database, OpenDatabase } from '../src/ledger/store/database.ts';
import { callHandler } from '../src/sdk/local-request.ts';
import { callMethod } from '../src/sdk/local-rpc.ts';
import { configFromOptions } from '../src/sdk/options-config.ts';

/** Opens databases that note the SQL of every statement they run. */
function createRecorder(): { readonly open: OpenDatabase; readonly ran: string[] } {
  const ran: string[] = [];
  const open: OpenDatabase = (path, options) => {
    const db = openDatabase(path, options);
    const prepare: Database['prepare'] = (sql) => {
      const { run, get, all } = db.prepare<never>(sql);
      const noted =
        <A extends unknown[], R>(work: (...args: A) => R) =>
        (...args: A): R => {
          ran.push(sql);
          return work(...args);
        };
      return { run: noted(run), get: noted(get), all: noted(all) };
    };
    return { ...db, prepare };
  };
  return { open, ran };
}

const root = '/v1/networks/local/blockchains/x-chain';

test('a cached Data answer runs no SQL; a block is not read again after a new block', async () => {
  const { open, ran } = createRecorder();
  const env = {
    ...createEnv({
      version: '0.0.0',
      log: createLog(
        () => {},
        () => 'error',
      ),
    }),
    exit: () => {},
    openDatabase: open,
  };
  const node = await startNode(configFromOptions({}), env, { listens: false });
  try {
    const mine = () => callMethod(node.handler, '/ext/dev', 'dev.mine', { blocks: '1' });
    /** The SQL that a request runs. */
    const sqlOf = async (target: string): Promise<string[]> => {
      ran.length = 0;
      const { status } = await callHandler(node.handler, { method: 'GET', target });
      expect(status).toBe(200);
      return [...ran];
    };
    await mine();
    const changing = [
      `${root}/transactions?pageSize=2`,
      `${root}/blocks?pageSize=1`,
      `${root}/balances?addresses=${node.accounts[1]?.address}`,
    ];
    // The node funds its accounts in block 1, also after a reset.
    const final = `${root}/blocks/2`;
    for (const target of [...changing, final]) expect((await sqlOf(target)).length).toBeGreaterThan(0);
    // Balances depend on the clock: they are cached for a second only.
    for (const target of [...changing.slice(0, 2), final]) expect(await sqlOf(target)).toEqual([]);
    await mine();
    // The first request after a commit reads what the version of the chain consists of.
    await sqlOf(`${root}/blocks?pageSize=2`);
    expect(await sqlOf(final)).toEqual([]);
    for (const target of changing.slice(0, 2)) expect((await sqlOf(target)).length).toBeGreaterThan(0);
    await callMethod(node.handler, '/ext/dev', 'dev.reset', {});
    const { status } = await callHandler(node.handler, { method: 'GET', target: final });
    expect(status).toBe(404);
  } finally {
    await node.close();
  }
});
