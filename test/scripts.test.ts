import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../src/api/client/client.ts';
import { type Program, programCommand, runProgram, startProgramAsUsers } from './program.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-scripts-'));
let node: Program;
beforeAll(async () => {
  node = await startProgramAsUsers();
});
const children: Bun.Subprocess[] = [];
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await node.stop();
  rmSync(folder, { recursive: true, force: true });
});

const to = 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465';
const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const heightOf = async (): Promise<number> => (await createClient({ url: node.url }).avm.getHeight()).height;

describe('serac run', () => {
  test('docs/guides/scripts.md: the script, with a node of its own', async () => {
    const page = readFileSync(join(import.meta.dir, '../docs/guides/scripts.md'), 'utf8');
    const [, code = ''] = /```ts\n(\/\/ script\.ts[\s\S]*?)```/.exec(page) ?? [];
    const { code: exit, out, err } = await runProgram('run', write('script.ts', code), to);
    expect([exit, out, err]).toEqual([0, '5000000000n\n', '']);
  });

  test('--url: the given node; arguments like flags are those of the script, and a number is the exit code', async () => {
    const script = write(
      'args.ts',
      `export default async ({ dev, args, url }) => { await dev.mine(2); console.log(JSON.stringify(args), url); return 7; };`,
    );
    const before = await heightOf();
    const { code, out } = await runProgram('run', '--url', node.url, script, 'one', '--json', '-x');
    expect([code, out]).toEqual([7, `["one","--json","-x"] ${node.url}\n`]);
    expect(await heightOf()).toBe(before + 2);
  });

  test.each([
    ['missing.ts', undefined, 1, 'there is no file'],
    ['syntax.ts', 'const x: = 5;', 1, /cannot load .*syntax\.ts: Unexpected = .*syntax\.ts:1:10/],
    [
      'import.ts',
      'import x from "no-such-package"; export default () => x;',
      1,
      /cannot load .*import\.ts: Cannot find package 'no-such-package'/,
    ],
    ['export.ts', 'export const x = 1;', 2, 'has no function as its default export; write: export default async'],
    ['throws.ts', 'export default () => { throw new Error("my own error"); };', 1, /my own error[\s\S]*throws\.ts:1/],
  ])('%s', async (name, text, exit, message) => {
    const path = text === undefined ? join(folder, name) : write(name, text);
    const { code, err } = await runProgram('run', path);
    expect([code, err]).toEqual([exit, typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message)]);
  });
});

describe('serac record and serac replay', () => {
  const file = join(folder, 'bug.jsonl');

  test('a replay gives the same answers and the same last block, and says the first difference', async () => {
    const child = Bun.spawn([...programCommand, 'record', file, '--json', '--url', node.url], { stdout: 'pipe', stderr: 'ignore' });
    children.push(child);
    const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const { url } = JSON.parse((await lines.read()).value as string) as { readonly url: string };
    const { dev, avm } = createClient({ url });
    await dev.send({ to, amount: '5 AVAX' });
    await dev.increaseTime('1d');
    const { assetID } = await dev.createAsset({ name: 'Gold', symbol: 'GLD', supply: '100' });
    await dev.snapshot('here');
    await dev.mine(3);
    await dev.revert('here');
    const issued = await dev.send({ to, amount: '7', assetID }).catch((error: unknown) => error);
    expect(issued).toHaveProperty('txID');
    await expect(dev.revert('never')).rejects.toThrow('there is no snapshot');
    await avm.getHeight();
    const refusedPut = await fetch(`${url}/ext/dev/state`, { method: 'PUT', body: 'x' });
    expect(refusedPut.status).toBe(409);
    expect(
      (
        await fetch(`${url}/ext/dev`, {
          method: 'POST',
          headers: { origin: 'http://evil.example', 'content-type': 'application/json' },
          body: '{"jsonrpc":"2.0","id":1,"method":"dev.mine","params":{}}',
        })
      ).status,
    ).toBe(403);
    // A page of another origin sends no Origin with an image or a link.
    const fromPage = await fetch(`${url}/ext/dev/state`, { headers: { 'sec-fetch-site': 'cross-site' } });
    expect(fromPage.status).toBe(403);
    expect((await fetch(`${url}/v1/chains`)).status).toBe(200);
    expect(await runProgram('record', file, '--url', node.url)).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not overwritten'),
    });
    const { blockID } = await createClient({ url: node.url }).dev.nodeInfo();
    child.kill('SIGINT');
    expect(JSON.parse((await lines.read()).value as string)).toEqual({ calls: 8 });
    expect(await child.exited).toBe(0);
    // The clock runs again, with the day that a recorded call has added.
    const clock = await createClient({ url: node.url }).dev.getTime();
    expect([clock.frozen, Math.round(Number(clock.offset) / 86_400)]).toEqual([false, 1]);

    const { code, out } = await runProgram('replay', file, '--json');
    expect([code, JSON.parse(out)]).toEqual([0, { calls: 8, same: true, height: expect.any(Number), blockID }]);

    const recorded = readFileSync(file, 'utf8').split('\n');
    const third = JSON.parse(recorded[3] as string) as { readonly answer: string };
    recorded[3] = JSON.stringify({ ...third, answer: third.answer.replace(/"txID":"./, '"txID":"_') });
    const changed = await runProgram('replay', write('changed.jsonl', recorded.join('\n')));
    expect([changed.code, changed.out]).toEqual([
      1,
      expect.stringContaining('call 3 of 8 has another answer: dev.createAsset at /ext/dev\n'),
    ]);
    expect(changed.out).toMatch(/\nrecorded {2}\{.*\nnow {7}\{/);
  });

  test('a recorder whose port is taken leaves neither a file nor a frozen clock', async () => {
    const path = join(folder, 'taken.jsonl');
    const taken = await runProgram('record', path, '--listen', `${node.port}`, '--url', node.url);
    expect([taken.code, taken.err]).toEqual([3, expect.stringContaining('is already in use')]);
    expect([existsSync(path), (await createClient({ url: node.url }).dev.getTime()).frozen]).toEqual([false, false]);
  });

  test('a recorder that was killed leaves a file that can be replayed; other files are refused', async () => {
    const whole = readFileSync(file, 'utf8');
    const cut = await runProgram('replay', write('cut.jsonl', whole.slice(0, -20)));
    expect([cut.code, cut.out]).toEqual([0, expect.stringMatching(/^7 calls replayed, all answers are the same; height \d+, block /)]);
    const other = await runProgram('replay', write('other.jsonl', '{"serac":"recording","version":2}\n'));
    expect([other.code, other.err]).toEqual([1, expect.stringContaining('has version 2 of the format; this program reads version 1')]);
    const noFile = await runProgram('replay', folder);
    expect([noFile.code, noFile.err]).toEqual([1, `serac: cannot read ${folder}\n`]);
    const foreign = await runProgram('replay', write('foreign.jsonl', 'hello\n'));
    expect(foreign.err).toContain('is not a recording of serac record');
    const damaged = await runProgram('replay', write('damaged.jsonl', whole.replace('"path":', '"paht":')));
    expect(damaged.err).toMatch(/line \d+ of .*damaged\.jsonl is damaged/);
  });
});
