import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isLong } from './random.ts';

/** A program `node` to run tests with. */
type TestNode = { readonly name: string; readonly path: string; readonly version: string; readonly hasExecve: boolean };

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

function numbersOf({ version }: TestNode): [major: number, minor: number] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return [major, minor];
}

/** Whether Serac runs on this Node: node:sqlite needs no flag. */
export function runsSerac(node: TestNode): boolean {
  const [major, minor] = numbersOf(node);
  return major > 22 || (major === 22 && minor >= 13);
}

/** Those that Serac runs on: all in `.ci/run`, the oldest in `npm test`. */
export const seracNodes: readonly TestNode[] = nodes
  .filter(runsSerac)
  .toSorted((a, b) => numbersOf(a)[0] - numbersOf(b)[0] || numbersOf(a)[1] - numbersOf(b)[1])
  .slice(0, isLong ? undefined : 1);
