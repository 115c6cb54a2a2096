import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** A program `node` to run tests with. */
export type TestNode = { readonly name: string; readonly path: string; readonly version: string; readonly hasExecve: boolean };

/** The Node in the PATH and those of test/nodes, if they are installed (`npm ci` there). */
export const nodes: readonly TestNode[] = [Bun.which('node'), installed('node-22'), installed('node-24')].flatMap(describeNode);

function installed(name: string): string | null {
  const path = join(import.meta.dir, 'nodes/node_modules', name, 'bin/node');
  return existsSync(path) ? path : null;
}

function describeNode(path: string | null): TestNode[] {
  if (path === null) return [];
  const { stdout } = Bun.spawnSync([path, '-p', 'process.versions.node + " " + (typeof process.execve === "function")']);
  const [version = '', execve] = stdout.toString().trim().split(' ');
  return [{ name: `Node ${version}`, path, version, hasExecve: execve === 'true' }];
}

/** Whether Serac runs on this Node: node:sqlite needs no flag. */
export const runsSerac = ({ version }: TestNode): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 13);
};
