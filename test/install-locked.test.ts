import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findDifferences } from '../tools/install-locked.ts';

/** What tools/install-locked.ts says of packages that are not those of package-lock.json. */

const root = mkdtempSync(join(tmpdir(), 'serac-locked-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

type Rows = Readonly<Record<string, object>>;

const manifest = { devDependencies: { client: '^1.0.0' } };
/** A client that needs two packages: one in its own folder, because the folder itself has another version of it. */
const locked: Rows = {
  '': manifest,
  'node_modules/client': { version: '1.0.0', dependencies: { codec: '^2.0.0', wallet: '1' }, optionalDependencies: { fast: '1' } },
  'node_modules/wallet': { version: '1.0.0', dependencies: { codec: '1' } },
  'node_modules/codec': { version: '1.0.0' },
  'node_modules/client/node_modules/codec': { version: '2.0.0' },
  'node_modules/fast': { version: '1.0.0', optional: true },
};
const { 'node_modules/fast': fast, ...installed } = locked;

function differencesOf(rows: Rows): string[] {
  const folder = mkdtempSync(join(root, 'folder-'));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: locked }));
  for (const [place, row] of Object.entries(rows)) {
    mkdirSync(join(folder, place), { recursive: true });
    writeFileSync(join(folder, place, 'package.json'), JSON.stringify(row));
  }
  return findDifferences(folder);
}

test('packages in other places and a missing optional one are no difference', () => {
  const { 'node_modules/codec': one, 'node_modules/client/node_modules/codec': two, ...others } = installed;
  const moved = { ...others, 'node_modules/codec': two as object, 'node_modules/wallet/node_modules/codec': one as object };
  expect([installed, { ...installed, 'node_modules/fast': fast as object }, moved].flatMap(differencesOf)).toEqual([]);
});

test('another version, another version of what a package imports, and a missing package are named', () => {
  expect(differencesOf({ ...installed, 'node_modules/client/node_modules/codec': { version: '2.0.1' } })).toEqual([
    'client 1.0.0 has codec 2.0.1',
    'codec 2.0.1 is not in package-lock.json',
  ]);
  // Both versions are in the lock file, but the client would import the older one.
  const { 'node_modules/client/node_modules/codec': _, ...withoutOwn } = installed;
  expect(differencesOf(withoutOwn)).toEqual(['client 1.0.0 has codec 1.0.0']);
  const { 'node_modules/wallet': __, ...withoutWallet } = installed;
  expect(differencesOf(withoutWallet)).toEqual(['client 1.0.0 lacks wallet 1.0.0']);
  expect(differencesOf({ '': manifest })).toEqual(['this folder lacks client 1.0.0']);
});
