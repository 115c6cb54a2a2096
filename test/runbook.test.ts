import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startProgram } from './program.ts';

/** docs/operate/runbook.md has an entry for each health check of the code and of running nodes, and none for others. */

const root = resolve(import.meta.dir, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const headings = [...read('docs/operate/runbook.md').matchAll(/^### (.*)$/gm)].map(([, heading = '']) => heading);
const described = headings.flatMap((heading) => [...heading.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name));

/** Chains have a check each, under their name; the rest is registered with a literal name. */
const chains = ['X', 'P', 'C'];
const components = ['database', 'cache'];
const sources = [...new Bun.Glob('src/**/*.ts').scanSync(root)].filter((file) => !/\.(test|fixture)\.ts$/.test(file)).map(read);
const registered = new Set(
  sources.flatMap((source) =>
    [...source.matchAll(/\b(?:(?:extraCheck|applicationCheck)\(|register\('(?:health|readiness|liveness)', )'([\w-]+)'/g)].map(
      ([, name = '']) => name,
    ),
  ),
);

test('every health check in the code has an entry, and every entry is a check', () => {
  expect(registered.size).toBeGreaterThan(11);
  expect([...described].sort()).toEqual([...new Set([...registered, ...chains, ...components])].sort());
});

test('the checks that running nodes report have entries', async () => {
  const node = await startProgram();
  const follower = await startProgram('follow', node.url, '--log-level=info');
  const joined = await startProgram('join', '--sybil-protection-enabled=false', '--staking-host=127.0.0.1', '--staking-port=0');
  try {
    for (const { client } of [node, follower, joined]) {
      const { checks } = JSON.parse((await client.send('GET', '/ext/health')).text) as { checks: Record<string, unknown> };
      expect(Object.keys(checks).length).toBeGreaterThan(6);
      expect(Object.keys(checks).filter((name) => !described.includes(name))).toEqual([]);
    }
    const { details } = JSON.parse((await node.client.send('GET', '/v1/health-check')).text) as { details: object };
    expect(Object.keys(details).filter((name) => !described.includes(name))).toEqual([]);
  } finally {
    await Promise.all([joined.stop(), follower.stop(), node.stop()]);
  }
});

test('every alert is described, and no other', () => {
  const alerts = [...read('packaging/alerts.yml').matchAll(/alert: (\w+)/g)].map(([, name = '']) => name);
  const rows = [...read('docs/operate/runbook.md').matchAll(/^\| `(Serac\w+)` \|/gm)].map(([, name = '']) => name);
  expect(rows).toEqual(alerts);
});
