import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './run-command.ts';
import type { TarEntry } from './tar.ts';

/** What `docker build - < FILE` needs: the Dockerfile, and the files of the repository that it copies; nothing that git does not have. */
export function listImageContext(root: string): TarEntry[] {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const copied = [...dockerfile.matchAll(/^COPY (?!--)(.*) \S+$/gm)].flatMap(([, names = '']) => names.split(' '));
  const listed = runCommand(['git', 'ls-files', '-z', '--', 'Dockerfile', '.dockerignore', ...copied], root);
  const paths = listed.split('\0').filter((path) => path !== '');
  return paths.sort().map((path) => ({
    path,
    bytes: readFileSync(join(root, path)),
    isExecutable: (statSync(join(root, path)).mode & 0o100) !== 0,
  }));
}
