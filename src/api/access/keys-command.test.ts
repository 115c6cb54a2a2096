import { expect, test } from 'bun:test';
import { parseFlags } from '../../app/config/flags.ts';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { parseKeysCommand } from '../../cli/commands/keys.ts';
import { openKeyStore } from './key-store.ts';
import { hashOf } from './keys.ts';
import { type KeysDeps, runKeysCommand } from './keys-command.ts';
import { KeysError } from './keys-flags.ts';
import { defaultPlans } from './plans.ts';
import { openSharedFile } from './shared-file.ts';

const start = 1_800_000_000;

async function deps(): Promise<KeysDeps> {
  let made = 0;
  return {
    keys: await openKeyStore(openSharedFile(openDatabase, ':memory:')),
    plans: defaultPlans,
    planSource: 'server',
    routes: { data: ['listUtxos', 'getBlock'], metrics: ['avgTps'] },
    now: () => start,
    random: (count) => new Uint8Array(count).fill(++made),
  };
}

/** Runs a command line, as typed after `serac keys`. */
async function run(line: string, on: KeysDeps) {
  const parsed = parseFlags(['keys', ...line.split(' '), '--data-dir=d'], {});
  if (parsed.kind !== 'run') throw new Error(JSON.stringify(parsed));
  return runKeysCommand(parseKeysCommand(parsed.command.args, parsed.options), on);
}
const codeOf = (work: () => Promise<unknown> | unknown): Promise<string> =>
  Promise.resolve()
    .then(work)
    .then(
      () => 'done',
      (cause) => (cause instanceof KeysError ? cause.fault.code : String(cause)),
    );

test('create, list and revoke: text output', async () => {
  const on = await deps();
  expect(await run('list', on)).toEqual(['There are no keys yet: create one with serac keys create']);
  const lines = await run('create --name shop --plan pro --expires 30d --routes data:list*,getBlock', on);
  const key = lines[2]?.trim() as string;
  const [stored] = await on.keys.list();
  expect(stored).toMatchObject({ hash: hashOf(key), name: 'shop', plan: 'pro', created: start, expires: start + 2_592_000 });
  expect(lines.join('\n')).toContain('20000 requests a minute, 25000000 a day');
  await run('create', on);
  const table = await run('list', on);
  expect(table).toHaveLength(3);
  expect(table[0]).toMatch(/^ID +KEY +NAME +PLAN +STATE +CREATED +EXPIRES +ROUTES$/);
  expect(table.join('\n')).toContain('data:list*, getBlock');
  expect(table.join('\n')).not.toContain(key);
  expect(await run(`revoke ${stored?.id}`, on)).toEqual([
    `Key ${stored?.id} (shop) is revoked. Running servers refuse it within a second.`,
  ]);
  expect((await run(`revoke ${key}`, on))[0]).toContain('was revoked already, on 2027-01-15 08:00:00 UTC');
  expect((await run('list', on)).filter((line) => line.includes('revoked'))).toHaveLength(1);
});

test('create prints the limits of the plan and where they come from', async () => {
  const on = await deps();
  const keyed = new Map([['partner', { perMinute: 7, perDay: 70 }]]);
  const own = { ...on, plans: { ...defaultPlans, data: { ...defaultPlans.data, keyed } } };
  const planLine = async (plansOf: KeysDeps['planSource']) =>
    (await run('create --plan partner', { ...own, planSource: plansOf })).find((line) => line.startsWith('  plan'));
  expect(await planLine('server')).toBe('  plan     partner: 7 requests a minute, 70 a day');
  expect(await planLine('server-without-limits')).toContain('70 a day (not enforced: the server runs with --rate-limits off');
  expect(await planLine('defaults')).toContain('(the defaults: no server was started here yet');
  expect(await planLine('file')).toContain('(from the file given here');
  expect(await codeOf(() => run('create --plan pro', own))).toBe('ACCESS_BAD_KEYS_COMMAND');
});

test('create, list and revoke: JSON output', async () => {
  const on = await deps();
  const [line = ''] = await run('create --json --routes=listUtxos --expires=2028-01-01', on);
  const made = JSON.parse(line);
  expect(made).toMatchObject({
    name: '',
    plan: 'free',
    state: 'active',
    created: start,
    expires: 1_830_297_600,
    revoked: null,
    routes: ['listUtxos'],
  });
  expect(hashOf(made.key)).toStartWith(made.id);
  const { key, ...shown } = made;
  expect(JSON.parse((await run('list --json', on))[0] as string)).toEqual([shown]);
  expect(JSON.parse((await run(`revoke ${key.slice(0, 12)} --json`, on))[0] as string)).toEqual({
    ...shown,
    state: 'revoked',
    revoked: start,
  });
});

test('invalid arguments of create are refused and nothing is stored', async () => {
  const on = await deps();
  for (const line of [
    'create --plan gold',
    'create --plan anonymous',
    'create --expires soon',
    'create --expires 2020-01-01',
    'create --routes listUtxo',
    `create --name ${'x'.repeat(65)}`,
    'create --name a\u001b[2J',
  ])
    expect([line, await codeOf(() => run(line, on))]).toEqual([line, 'ACCESS_BAD_KEYS_COMMAND']);
  expect(await on.keys.list()).toEqual([]);
});

test('a key is found by its first characters only if they are unique', async () => {
  const on = await deps();
  await run('create --name a', on);
  await run('create --name b', on);
  expect(await codeOf(() => run('revoke serac_', on))).toBe('ACCESS_KEY_NOT_UNIQUE');
  expect(await codeOf(() => run('revoke zzz', on))).toBe('ACCESS_NO_SUCH_KEY');
  expect(await codeOf(() => runKeysCommand({ action: 'revoke', key: '', json: false }, on))).toBe('ACCESS_NO_SUCH_KEY');
  const [first, second] = await on.keys.list();
  expect(await codeOf(() => run(`revoke ${second?.prefix}`, on))).toBe('done');
  expect((await on.keys.list()).map(({ revoked }) => revoked)).toEqual([undefined, start]);
  expect(first?.id.slice(0, 4)).not.toBe(second?.id.slice(0, 4));
});
