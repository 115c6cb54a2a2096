import { mkdtempSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from './http.ts';
import { programCommand } from './program.ts';

/** A node whose data directory is on a file system of 32 MB, which tests can fill: a tmpfs in a mount namespace of its own. */
type SmallDisk = {
  readonly client: Client;
  /** Fills the file system until `percent` of it are free. */
  readonly leaveFree: (percent: number) => void;
  readonly exited: Promise<number>;
  readonly stop: () => Promise<number>;
};

const inMountNamespace = (dir: string, command: readonly string[]) => [
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

/** Whether this system allows a process its own mounts. */
export function hasSmallDisks(): boolean {
  const dir = mkdtempSync(join(tmpdir(), 'serac-disk-'));
  try {
    return Bun.spawnSync(inMountNamespace(dir, ['true'])).success;
  } catch {
    return false;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Starts Serac on such a file system with 20 % free space, and waits until it exits. */
export async function runOnFilledDisk(...flags: string[]): Promise<{ readonly code: number; readonly err: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'serac-disk-'));
  const fill = ['sh', '-c', 'head -c 26843546 /dev/zero > "$1/ballast" && shift && exec "$@"', 'sh', dir];
  const child = Bun.spawn(
    inMountNamespace(dir, [...fill, ...programCommand, '--accounts=0', '--http-port=0', '--silent', `--data-dir=${dir}/data`, ...flags]),
    {
      stderr: 'pipe',
    },
  );
  const [err, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  rmSync(dir, { recursive: true, force: true });
  return { code, err };
}

/** Makes a chain on such a file system and runs `serac check` with each number of free kilobytes. */
export async function checkOnFilledDisk(
  freeKilobytes: readonly number[],
): Promise<readonly { readonly code: number; readonly text: string }[]> {
  const dir = mkdtempSync(join(tmpdir(), 'serac-disk-'));
  const script = `
    dir=$1; shift; free=$1; shift
    "$@" --http-port=0 --silent --workers=0 --data-dir="$dir/data" --process-context-file="$dir/context" & node=$!
    until [ -s "$dir/context" ]; do sleep 0.1; done
    kill $node; wait $node
    for left in $free; do
      rm -f "$dir/ballast"
      available=$(df --output=avail -k "$dir" | tail -1)
      head -c $(((available - left) * 1024)) /dev/zero > "$dir/ballast"
      "$@" check --data-dir="$dir/data" 2>&1 | tr '\\n' ' '
      echo "exit \${PIPESTATUS[0]}"
    done`;
  const command = ['bash', '-c', script, 'bash', dir, freeKilobytes.join(' '), ...programCommand];
  const child = Bun.spawn(inMountNamespace(dir, command), { stdout: 'pipe', stderr: 'inherit' });
  const out = await new Response(child.stdout).text();
  rmSync(dir, { recursive: true, force: true });
  return out
    .trim()
    .split('\n')
    .map((text) => ({ code: Number(/exit (\d+)$/.exec(text)?.[1]), text }));
}

/** Starts a node. A command and its arguments, if any, come before the flags. */
export async function startOnSmallDisk(...args: string[]): Promise<SmallDisk> {
  const dir = mkdtempSync(join(tmpdir(), 'serac-disk-'));
  const command = args.filter((one) => !one.startsWith('-'));
  const flags = [
    ...(command.length === 0 ? ['--accounts=0'] : []),
    '--http-port=0',
    '--json',
    `--data-dir=${dir}/data`,
    ...args.filter((one) => one.startsWith('-')),
  ];
  const child = Bun.spawn(inMountNamespace(dir, [...programCommand, ...command, ...flags]), { stdout: 'pipe' });
  let banner = '';
  for await (const chunk of child.stdout) {
    banner += Buffer.from(chunk).toString('utf8');
    if (banner.includes('\n')) break;
  }
  const client = createClient(Number(new URL((JSON.parse(banner) as { url: string }).url).port));
  // The mount is visible only in the process's own namespace, through /proc/PID/root.
  const disk = `/proc/${child.pid}/root${dir}`;
  const ballast = join(disk, 'ballast');
  writeFileSync(ballast, '');
  return {
    client,
    exited: child.exited,
    leaveFree: (percent) => {
      truncateSync(ballast, 0);
      const { blocks, bavail, bsize } = statfsSync(disk);
      const size = Math.max(0, bavail - Math.floor((blocks * percent) / 100)) * bsize;
      try {
        writeFileSync(ballast, Buffer.alloc(size));
      } catch (error) {
        // The node may write meanwhile; then the disk is full before all is written.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
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
