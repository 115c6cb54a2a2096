import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import packageJson from '../../package.json' with { type: 'json' };
import { buildExecutable } from '../build-executable.ts';
import { listImageContext } from './image-context.ts';
import { collectLicenseTexts, findLicenseProblems } from './licenses.ts';
import { readLockFile } from './lock-file.ts';
import { findReleaseDate, type ReleaseFile, renderReleaseNotes } from './release-notes.ts';
import { runCommand } from './run-command.ts';
import { tryExecutable } from './running-executable.ts';
import { fetchRuntime, isThisMachine, type Target, targets } from './runtimes.ts';
import { renderSbom } from './sbom.ts';
import { writeTar } from './tar.ts';

/**
 * Makes everything that a release publishes: npm tarball, executables, build context of the container image, SBOM, notes and checksums.
 * Usage: bun tools/release/release.ts --out DIR [--tag TAG] [--dry-run] [--only-this-machine]. docs/understand/releasing.md describes it.
 */

const root = resolve(import.meta.dir, '../..');
const { name, version } = packageJson;
/** Set before the first publication: npm and the notes need it. */
const { repository } = packageJson as { readonly repository?: { readonly url: string } };

type Options = {
  readonly out: string;
  readonly tag?: string | undefined;
  /** Makes the files of a version that is not ready to be published. */
  readonly isDryRun: boolean;
  readonly isOnlyThisMachine: boolean;
};

const usage = 'usage: npm run release -- --out DIR [--tag TAG] [--dry-run] [--only-this-machine]';

function parseOptions(args: readonly string[]): Options {
  const values: Record<string, string | undefined> = {};
  const switches = new Set<string>();
  for (let at = 0; at < args.length; at++) {
    const [flag = '', inline] = (args[at] as string).split('=', 2);
    if (flag === '--out' || flag === '--tag') values[flag] = inline ?? args[++at];
    else if (flag === '--dry-run' || flag === '--only-this-machine') switches.add(flag);
    else throw new Error(`unexpected argument ${args[at]}; ${usage}`);
  }
  if (values['--out'] === undefined) throw new Error(`--out is missing; ${usage}`);
  return {
    out: resolve(values['--out']),
    tag: values['--tag'],
    isDryRun: switches.has('--dry-run'),
    isOnlyThisMachine: switches.has('--only-this-machine'),
  };
}

/** Reasons for which this version cannot be published. */
export function findObstacles(changelog: string, { tag, isDryRun }: Pick<Options, 'tag' | 'isDryRun'>): string[] {
  const lock = readLockFile(root);
  const bun = lock.get('node_modules/bun')?.version;
  const changed = isDryRun ? '' : runCommand(['git', 'status', '--porcelain'], root).trim();
  const reasons: [boolean, string][] = [
    [Bun.version !== bun, `this is Bun ${Bun.version}, package-lock.json has ${bun}; use npm run release`],
    [tag !== undefined && tag !== `v${version}`, `the tag is ${tag}, package.json says v${version}`],
    [!isDryRun && findReleaseDate(changelog, version) === undefined, `CHANGELOG.md has no date for ${version}`],
    [!isDryRun && repository === undefined, 'package.json has no repository, which npm compares with the provenance'],
    [changed !== '', `the clone has changes that are not committed:\n${changed}`],
  ];
  return [...reasons.filter(([isTrue]) => isTrue).map(([, reason]) => reason), ...findLicenseProblems(lock)];
}

async function release(options: Options): Promise<void> {
  const { out, tag, isOnlyThisMachine } = options;
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const obstacles = findObstacles(changelog, options);
  if (obstacles.length > 0) throw new Error(obstacles.join('\n'));
  if (existsSync(out) && readdirSync(out).length > 0) throw new Error(`${out} is not empty`);
  mkdirSync(out, { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), 'serac-release-'));
  try {
    const add = (file: string, bytes: Uint8Array | string): void => {
      writeFileSync(join(out, file), bytes);
      report(`${file}: ${statSync(join(out, file)).size.toLocaleString('en-US')} bytes`);
    };
    packTarball(out);
    const wanted = targets.filter((target) => !isOnlyThisMachine || isThisMachine(target));
    const leftOut: string[] = [];
    for (const target of wanted)
      try {
        add(`${name}-${version}-${target.name}.tar.gz`, await archiveExecutable(target, scratch));
      } catch (error) {
        leftOut.push(`${target.name}: ${(error as Error).message}`);
      }
    add(`${name}-${version}-image-context.tar.gz`, gzipSync(writeTar(listImageContext(root))));
    add(`${name}-${version}.cdx.json`, renderSbom(readLockFile(root)));
    const files = describeFiles(out);
    const linkBase = repository === undefined ? undefined : `${browserUrl(repository.url)}/blob/${tag ?? `v${version}`}`;
    add('release-notes.md', renderReleaseNotes({ version, changelog, files, linkBase }));
    add(
      'SHA256SUMS',
      describeFiles(out)
        .map(({ name, sha256 }) => `${sha256}  ${name}\n`)
        .join(''),
    );
    if (leftOut.length > 0) throw new Error(`left out, so this is not the whole release:\n${leftOut.join('\n')}`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** npm runs the script `prepare`, which builds dist/ unless it was built from the same files. */
function packTarball(out: string): void {
  const file = runCommand(['npm', 'pack', '--silent', '--pack-destination', out], root).trim().split('\n').at(-1) ?? '';
  report(`${file}: ${statSync(join(out, file)).size.toLocaleString('en-US')} bytes`);
}

/** Builds an executable, tries it if this machine can run it, and returns its archive. */
async function archiveExecutable(target: Target, scratch: string): Promise<Buffer> {
  const folder = join(scratch, 'executables', target.name);
  mkdirSync(folder, { recursive: true });
  // Bun writes the file's name into it, so it must be the same in all runs.
  const file = join(folder, name);
  const { isNative } = await buildExecutable(file, fetchRuntime(target, readLockFile(root), scratch));
  const isTried = isThisMachine(target);
  if (isTried) await tryExecutable(file, version);
  report(
    `${target.name}: key recovery ${isNative ? 'native' : 'in JavaScript'}, ${isTried ? 'tried' : 'not tried: it is for another system'}`,
  );
  const archive = writeTar([
    { path: name, bytes: readFileSync(file), isExecutable: true },
    { path: 'LICENSE', bytes: readFileSync(join(root, 'LICENSE')) },
    { path: 'third-party-licenses.txt', bytes: Buffer.from(collectLicenseTexts(root, ['installed', 'bundled'])) },
  ]);
  rmSync(folder, { recursive: true });
  return gzipSync(archive);
}

const describeFiles = (folder: string): ReleaseFile[] =>
  readdirSync(folder)
    .sort()
    .map((file) => {
      const bytes = readFileSync(join(folder, file));
      return { name: file, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
    });

const browserUrl = (url: string): string => url.replace(/^git\+/, '').replace(/\.git$/, '');

const report = (line: string): void => void process.stdout.write(`${line}\n`);

if (import.meta.main)
  try {
    await release(parseOptions(process.argv.slice(2)));
  } catch (error) {
    process.stderr.write(`release: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
