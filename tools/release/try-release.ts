import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { runCommand } from './run-command.ts';
import { tryExecutable } from './running-executable.ts';

/**
 * Tries a published executable on the system that it is for: unpacks its archive in an empty folder and runs it.
 * Usage: bun tools/release/try-release.ts DIR TARGET, where DIR has the files of the release and TARGET is a name such as macos-arm64.
 */

const [folder, target] = process.argv.slice(2);
if (folder === undefined || target === undefined) throw new Error('usage: npm run release:try -- DIR TARGET');
const { name, version } = packageJson;
const empty = mkdtempSync(join(tmpdir(), 'serac-try-'));
try {
  runCommand(['tar', '-xzf', join(resolve(folder), `${name}-${version}-${target}.tar.gz`)], empty);
  await tryExecutable(join(empty, name), version);
  process.stdout.write(`${target}: the executable answers and is healthy\n`);
} finally {
  rmSync(empty, { recursive: true, force: true });
}
