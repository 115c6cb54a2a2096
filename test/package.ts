import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dir, '..');

/** A folder that contains nothing but the packed package and its dependencies, as `npm install serac` would leave it. */
export type InstalledPackage = {
  readonly folder: string;
  /** Paths of the package's files, relative to it. */
  readonly files: readonly string[];
  readonly tarballBytes: number;
  readonly remove: () => void;
};

/** Packs this repository, which builds it if the sources have changed. Returns the path of the tarball. */
export function packRepository(folder: string): string {
  const packed = runSync(['npm', 'pack', '--silent', '--pack-destination', folder], root);
  return join(folder, packed.trim().split('\n').at(-1) ?? '');
}

/**
 * Packs this repository and installs the tarball without a registry: dependencies are links to those of the repository. `npm test` packs once for
 * all files (tools/run-tests.ts).
 */
export function installPackage(): InstalledPackage {
  const folder = mkdtempSync(join(tmpdir(), 'serac-package-'));
  const shared = process.env.SERAC_TEST_TARBALL;
  const tarball = shared ?? packRepository(folder);
  const home = join(folder, 'node_modules/serac');
  mkdirSync(home, { recursive: true });
  runSync(['tar', '-xzf', tarball, '--strip-components=1', '-C', home], folder);
  const tarballBytes = Bun.file(tarball).size;
  if (shared === undefined) rmSync(tarball);
  for (const name of ['secp256k1', ...bunPackages]) symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  mkdirSync(join(folder, 'node_modules/.bin'));
  symlinkSync('../serac/bin/serac', join(folder, 'node_modules/.bin/serac'));
  return {
    folder,
    files: readdirSync(home, { recursive: true, encoding: 'utf8' }),
    tarballBytes,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A copy of an installed package, as it is where the package manager could not install Bun. */
export function copyWithoutBun({ folder, files, tarballBytes }: InstalledPackage): InstalledPackage {
  const copy = mkdtempSync(join(tmpdir(), 'serac-package-'));
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
  for (const name of bunPackages) rmSync(join(copy, 'node_modules', name));
  return { folder: copy, files, tarballBytes, remove: () => rmSync(copy, { recursive: true, force: true }) };
}

/** Bun, and its program for this system. */
const bunPackages = ['bun', '@oven'];

function runSync(command: string[], cwd: string): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd, stdout: 'pipe', stderr: 'pipe' });
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
  return stdout.toString();
}
