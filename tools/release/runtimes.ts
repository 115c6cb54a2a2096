import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Runtime } from '../build-executable.ts';
import type { LockedPackage } from './lock-file.ts';
import { runCommand } from './run-command.ts';

/** A system that executables are published for, and the package that has Bun for it. */
export type Target = { readonly name: string; readonly platform: string; readonly arch: string; readonly bunPackage: string };

export const targets: readonly Target[] = [
  { name: 'linux-x64', platform: 'linux', arch: 'x64', bunPackage: '@oven/bun-linux-x64' },
  { name: 'linux-arm64', platform: 'linux', arch: 'arm64', bunPackage: '@oven/bun-linux-aarch64' },
  { name: 'macos-x64', platform: 'darwin', arch: 'x64', bunPackage: '@oven/bun-darwin-x64' },
  { name: 'macos-arm64', platform: 'darwin', arch: 'arm64', bunPackage: '@oven/bun-darwin-aarch64' },
];

export const isThisMachine = ({ platform, arch }: Target): boolean => platform === process.platform && arch === process.arch;

/**
 * Bun for a target. That of this machine is running; others are downloaded from the registry and compared with the hash in the lock file, so
 * that an executable contains exactly what `npm ci` installs on that system.
 */
export function fetchRuntime(target: Target, lock: ReadonlyMap<string, LockedPackage>, folder: string): Runtime {
  const { platform, arch, bunPackage } = target;
  if (isThisMachine(target)) return { platform, arch, program: process.execPath };
  const locked = lock.get(`node_modules/${bunPackage}`);
  if (locked === undefined) throw new Error(`package-lock.json does not have ${bunPackage}`);
  const home = join(folder, target.name);
  mkdirSync(home, { recursive: true });
  const packed = runCommand(['npm', 'pack', `${bunPackage}@${locked.version}`, '--silent', '--pack-destination', home], folder);
  const tarball = join(home, packed.trim().split('\n').at(-1) ?? '');
  checkIntegrity(readFileSync(tarball), locked);
  runCommand(['tar', '-xzf', tarball, '-C', home, 'package/bin/bun'], home);
  return { platform, arch, program: join(home, 'package/bin/bun') };
}

/** Throws unless the bytes of a package's tarball have the hash that the lock file says. */
export function checkIntegrity(
  tarball: Uint8Array,
  { name, version, integrity }: Pick<LockedPackage, 'name' | 'version' | 'integrity'>,
): void {
  const found = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  if (found !== integrity) throw new Error(`${name} ${version} has the hash ${found}, package-lock.json says ${integrity}`);
}
