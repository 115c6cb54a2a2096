import { mkdtempSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from './http.ts';

/** A node on a file system of its own that is small enough to run full: Linux lends one to a process in a name space of its own. */
export type SmallDisk = {
  readonly client: Client;
  /** Fills the file system until so many per cent of it are free. */
  readonly leave: (percent: number) => void;
  readonly exited: Promise<number>;
  readonly stop: () => Promise<number>;
};

const bin = fileURLToPath(new URL('../bin/serac', import.meta.url));
const inside = (dir: string, command: readonly string[]) => [
  'unshare',
  '--map-root-user',
  '--mount',
  'sh',
  '-c',
  'mount -t tmpfs -o size=32m none "$1" && shift && exec "$@"',
  'sh',
  dir,
  ...command,
];

/** Not every system lets a process have its own mounts. */
export function hasSmallDisks(): boolean {
  const dir = mkdtempSync(join(tmpdir(), 'serac-disk-'));
  try {
    return Bun.spawnSync(inside(dir, ['true'])).success;
  } catch {
    return false;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** A start on such a file system of which 20 per cent are left. */
export async function runOnFilledDisk(...flags: string[]): Promise<{ readonly code: number; readonly err: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'serac-disk-'));
  const fill = ['sh', '-c', 'head -c 26843546 /dev/zero > "$1/ballast" && shift && exec "$@"', 'sh', dir];
  const child = Bun.spawn(inside(dir, [...fill, bin, '--http-port=0', '--silent', `--data-dir=${dir}/data`, ...flags]), { stderr: 'pipe' });
  const [err, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  rmSync(dir, { recursive: true, force: true });
  return { code, err };
}

/** A command and its words, if there is one, come before the flags. */
export async function startOnSmallDisk(...told: string[]): Promise<SmallDisk> {
  const dir = mkdtempSync(join(tmpdir(), 'serac-disk-'));
  const words = told.filter((one) => !one.startsWith('-'));
  const flags = ['--http-port=0', '--json', `--data-dir=${dir}/data`, ...told.filter((one) => one.startsWith('-'))];
  const child = Bun.spawn(inside(dir, [bin, ...words, ...flags]), { stdout: 'pipe' });
  let banner = '';
  for await (const chunk of child.stdout) {
    banner += Buffer.from(chunk).toString('utf8');
    if (banner.includes('\n')) break;
  }
  const client = createClient(Number(new URL((JSON.parse(banner) as { url: string }).url).port));
  // The mount is in the process's own name space, where its root leads to.
  const disk = `/proc/${child.pid}/root${dir}`;
  const ballast = join(disk, 'ballast');
  writeFileSync(ballast, '');
  return {
    client,
    exited: child.exited,
    leave: (percent) => {
      truncateSync(ballast, 0);
      const { blocks, bavail, bsize } = statfsSync(disk);
      const size = Math.max(0, bavail - Math.floor((blocks * percent) / 100)) * bsize;
      writeFileSync(ballast, Buffer.alloc(size));
    },
    stop: async () => {
      client.close();
      child.kill('SIGTERM');
      const code = await child.exited;
      rmSync(dir, { recursive: true, force: true });
      return code;
    },
  };
}
