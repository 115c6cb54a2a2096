import { Database } from 'bun:sqlite';
import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { dependencyTable, publishedDependencies } from '../tools/release/dependency-table.ts';
import { collectLicenseTexts, findLicenseProblems } from '../tools/release/licenses.ts';
import { type LockedPackage, reachPackages, readLockFile } from '../tools/release/lock-file.ts';
import { findObstacles } from '../tools/release/release.ts';
import { findReleaseDate, renderReleaseNotes } from '../tools/release/release-notes.ts';
import { checkIntegrity, targets } from '../tools/release/runtimes.ts';
import { renderSbom } from '../tools/release/sbom.ts';
import { storedVersions } from '../tools/release/stored-versions.ts';
import { writeTar } from '../tools/release/tar.ts';
import { runProgram, startProgram } from './program.ts';
import { isLong } from './random.ts';

/** What a release publishes (docs/understand/releasing.md). */

const root = resolve(import.meta.dir, '..');
const lock = readLockFile(root);
const folder = mkdtempSync(join(tmpdir(), 'serac-release-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('dependencies', () => {
  test('every one has a row, and those that npm installs are marked so', () => {
    const { dependencies, devDependencies } = packageJson;
    expect(Object.keys(dependencyTable).sort()).toEqual(Object.keys({ ...dependencies, ...devDependencies }).sort());
    const installed = Object.entries(dependencyTable).filter(([, { use }]) => use === 'installed');
    expect(installed.map(([name]) => name).sort()).toEqual(Object.keys(dependencies).sort());
  });

  test('those that the source imports are published, and all others are not', () => {
    const files = [...new Bun.Glob('src/**/*.{ts,tsx}').scanSync(root)].filter((file) => !/\.(test|fixture)\.tsx?$/.test(file));
    const imports = new Set(
      files.flatMap((file) =>
        [
          ...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\(|require\() ?'((?:@[\w-]+\/)?[a-z][\w.-]*)(?:\/[^']*)?'/g),
        ].map(([, name = '']) => name),
      ),
    );
    // The runtime is not imported; vitest is the user's.
    const published = new Set<string>(publishedDependencies.filter((name) => name !== 'bun'));
    const direct = Object.keys(dependencyTable).filter((name) => name !== 'bun' && imports.has(name));
    expect(direct.sort()).toEqual([...published].sort());
  });

  test('every licence is allowed where it is used, and another one is refused', () => {
    expect(findLicenseProblems(lock)).toEqual([]);
    const withLicense = (name: string, license: string) => {
      const place = `node_modules/${name}`;
      return findLicenseProblems(new Map([...lock, [place, { ...(lock.get(place) as LockedPackage), license }]]));
    };
    expect(withLicense('elliptic', 'GPL-3.0-only')).toEqual([expect.stringContaining('elliptic 6.6.1 has the licence GPL-3.0-only')]);
    // Allowed for tools only.
    expect(withLicense('elliptic', 'MPL-2.0')).toHaveLength(1);
    expect(withLicense('axe-core', 'unknown')).toHaveLength(1);
    expect(withLicense('elliptic', 'GPL-3.0-only OR MIT')).toEqual([]);
  });

  test('the licence texts of all code that an executable contains are with it', () => {
    const text = collectLicenseTexts(root, ['installed', 'bundled']);
    for (const name of ['secp256k1', 'elliptic', 'preact', '@noble/hashes', 'bn.js']) expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
    expect(text).not.toMatch(/^(typescript|axe-core) /m);
    expect(text.match(/Permission is hereby granted/g)?.length).toBeGreaterThan(5);
  });
});

describe('SBOM', () => {
  const checkers = join(import.meta.dir, 'api-documents');
  const isInstalled = existsSync(join(checkers, 'node_modules/@cyclonedx'));
  type Sbom = {
    serialNumber: string;
    components: { purl: string; hashes: { content: string }[]; licenses: unknown[] }[];
    dependencies: { ref: string; dependsOn: string[] }[];
  };
  const sbom = JSON.parse(renderSbom(lock)) as Sbom;

  test('it has every published package once, and no tool', () => {
    const expected = [...reachPackages(lock, publishedDependencies)].map((place) => lock.get(place) as LockedPackage);
    expect(expected.length).toBeGreaterThan(20);
    expect(sbom.components.map(({ purl }) => purl).sort()).toEqual(
      expected.map(({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`).sort(),
    );
    expect(sbom.components.map(({ purl }) => purl).join()).not.toMatch(/typescript|biome|axe-core/);
    const known = new Set(sbom.components.map(({ purl }) => purl));
    for (const { dependsOn } of sbom.dependencies) expect(dependsOn.filter((ref) => !known.has(ref))).toEqual([]);
    expect(sbom.dependencies.find(({ ref }) => ref.includes('/elliptic@'))?.dependsOn.length).toBe(7);
  });

  test('another lock file gives another serial number, the same one the same bytes', () => {
    expect(renderSbom(readLockFile(root))).toBe(renderSbom(lock));
    const place = 'node_modules/elliptic';
    const other = renderSbom(new Map([...lock, [place, { ...(lock.get(place) as LockedPackage), version: '6.6.2' }]]));
    expect((JSON.parse(other) as Sbom).serialNumber).not.toBe(sbom.serialNumber);
  });

  test.skipIf(!isInstalled)('the validator of CycloneDX accepts it by the strict schema of 1.6, and refuses what is wrong', async () => {
    type Library = {
      Spec: { Version: { v1dot6: unknown } };
      Validation: { JsonStrictValidator: new (version: unknown) => { validate: (text: string) => Promise<object | null> } };
    };
    const { Spec, Validation } = (await import(Bun.resolveSync('@cyclonedx/cyclonedx-library', checkers))) as Library;
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect(await validator.validate(renderSbom(lock))).toBeNull();
    expect(await validator.validate(renderSbom(lock).replace('"SHA-512"', '"SHA-5"'))).not.toBeNull();
  });
});

test('an archive holds paths, bytes and permissions, long paths too', () => {
  const long = `${'folder-with-a-long-name/'.repeat(6)}file.txt`;
  const entries = [
    { path: 'program', bytes: Buffer.from('#!/bin/sh\necho started\n'), isExecutable: true },
    { path: long, bytes: Buffer.alloc(1000, 'x') },
    { path: 'empty', bytes: Buffer.alloc(0) },
  ];
  const archive = join(folder, 'archive.tar');
  writeFileSync(archive, writeTar(entries));
  const out = mkdtempSync(join(folder, 'extracted-'));
  expect(Bun.spawnSync(['tar', '-xf', archive, '-C', out]).exitCode).toBe(0);
  for (const { path, bytes } of entries) expect(readFileSync(join(out, path)).equals(bytes)).toBe(true);
  expect(Bun.spawnSync([join(out, 'program')]).stdout.toString()).toBe('started\n');
  expect(() => writeTar([{ path: 'x'.repeat(200), bytes: Buffer.alloc(0) }])).toThrow('too long');
});

test('a runtime with another hash than the lock file says is refused', () => {
  for (const { bunPackage } of targets) expect(lock.get(`node_modules/${bunPackage}`)?.version).toBe(packageJson.dependencies.bun);
  const right = { name: 'x', version: '1', integrity: `sha512-${new Bun.CryptoHasher('sha512').update('right').digest('base64')}` };
  expect(() => checkIntegrity(Buffer.from('right'), right)).not.toThrow();
  expect(() => checkIntegrity(Buffer.from('wrong'), right)).toThrow('package-lock.json says');
});

describe('release notes', () => {
  const changelog = '# Changelog\n\n## 0.2.0 (unreleased)\n\n- Next.\n\n## 0.1.0 (2026-01-02)\n\n- First, see [page](docs/a.md).\n';

  test('they have the section of the version only, the versions of stored data and the files', () => {
    const files = [{ name: 'a.tgz', size: 1234, sha256: 'ab' }];
    const text = renderReleaseNotes({ version: '0.1.0', changelog, files, linkBase: 'https://host/blob/v0.1.0' });
    expect(text).toStartWith('# Serac 0.1.0\n\n- First, see [page](https://host/blob/v0.1.0/docs/a.md).\n');
    expect(text).not.toContain('Next');
    expect(text).toContain('| `a.tgz` | 1,234 | `ab` |');
    expect(storedVersions).toHaveLength(6);
    for (const { what, version } of storedVersions) expect(text).toContain(`| ${what} | ${version} |`);
    expect(() => renderReleaseNotes({ version: '9.9.9', changelog, files })).toThrow('no section');
  });

  test('a version without a date, and a tag of another version, are not released', () => {
    expect(findReleaseDate(changelog, '0.1.0')).toBe('2026-01-02');
    expect(findReleaseDate(changelog, '0.2.0')).toBeUndefined();
    const unreleased = `## ${packageJson.version} (unreleased)\n`;
    expect(findObstacles(unreleased, { tag: undefined, isDryRun: true })).toEqual([]);
    expect(findObstacles(unreleased, { tag: undefined, isDryRun: false }).join()).toContain('has no date');
    expect(findObstacles(unreleased, { tag: 'v9.9.9', isDryRun: true })).toEqual([expect.stringContaining('v9.9.9')]);
  });

  test('the data that this program writes has the versions of the notes', async () => {
    const dataDir = join(folder, 'data');
    const versionOf = (start: string) => storedVersions.find(({ what }) => what.startsWith(start))?.version as number;
    const node = await startProgram(`--data-dir=${dataDir}`, '--workers=0');
    const state = join(folder, 'state');
    expect((await runProgram('state', 'save', state, `--url=${node.url}`)).code).toBe(0);
    await node.stop();
    const db = new Database(join(dataDir, 'db/serac.sqlite'), { readonly: true });
    const meta = db
      .query<{ name: string; value: number }, []>("SELECT name, value FROM meta WHERE name IN ('schema', 'index', 'event log')")
      .all();
    db.close();
    expect(Object.fromEntries(meta.map(({ name, value }) => [name, value]))).toEqual({
      schema: versionOf('data directory'),
      index: versionOf('history index'),
      'event log': versionOf('event log'),
    });
    expect(readFileSync(state, 'latin1').split('\n')[0]).toBe(`serac state ${versionOf('state file')}`);
  });
});

describe('the command', () => {
  const runRelease = (...args: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, 'tools/release/release.ts', ...args], { cwd: root });
    return { exitCode, out: stdout.toString(), err: stderr.toString() };
  };

  test('mistakes are refused', () => {
    expect(runRelease('--dry-run')).toMatchObject({ exitCode: 1, err: expect.stringContaining('--out is missing') });
    expect(runRelease('--out', folder, '--dryrun')).toMatchObject({ exitCode: 1, err: expect.stringContaining('--dryrun') });
    writeFileSync(join(folder, 'file'), '');
    expect(runRelease('--out', folder, '--dry-run')).toMatchObject({ exitCode: 1, err: expect.stringContaining('is not empty') });
  });

  test('a dry run makes every file for this machine, with checksums that two runs share (compared in .ci/run)', () => {
    const [first, second] = ['first', 'second'].map((name) => join(folder, name)) as [string, string];
    const { exitCode, out, err } = runRelease('--out', first, '--dry-run', '--only-this-machine');
    expect([exitCode, err]).toEqual([0, '']);
    const own = targets.find(({ platform, arch }) => platform === process.platform && arch === process.arch);
    expect(out).toContain(`${own?.name}: key recovery`);
    expect(out).toContain(', tried');
    const name = `serac-${packageJson.version}`;
    expect(readdirSync(first).sort()).toEqual(
      [
        'SHA256SUMS',
        'release-notes.md',
        `${name}-${own?.name}.tar.gz`,
        `${name}-image-context.tar.gz`,
        `${name}.cdx.json`,
        `${name}.tgz`,
      ].sort(),
    );
    const context = Bun.spawnSync(['tar', '-tzf', join(first, `${name}-image-context.tar.gz`)])
      .stdout.toString()
      .split('\n');
    for (const path of ['Dockerfile', 'package-lock.json', 'tools/build-executable.ts', 'src/cli/main.ts']) expect(context).toContain(path);
    expect(context.filter((path) => /node_modules|^test\//.test(path))).toEqual([]);

    const tried = Bun.spawnSync([process.execPath, 'tools/release/try-release.ts', first, own?.name as string], { cwd: root });
    expect([tried.exitCode, tried.stdout.toString()]).toEqual([0, expect.stringContaining('answers and is healthy')]);

    const sums = readFileSync(join(first, 'SHA256SUMS'), 'utf8');
    expect(sums.trim().split('\n')).toHaveLength(5);
    if (isLong) {
      expect(runRelease('--out', second, '--dry-run', '--only-this-machine').exitCode).toBe(0);
      expect(readFileSync(join(second, 'SHA256SUMS'), 'utf8')).toBe(sums);
    }
    for (const line of sums.trim().split('\n')) {
      const [sum, file = ''] = line.split('  ');
      expect([file, new Bun.CryptoHasher('sha256').update(readFileSync(join(first, file))).digest('hex')]).toEqual([file, sum as string]);
    }
  });
});
