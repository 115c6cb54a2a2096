import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { childProcess } from '../../base/bytes/runtime-modules.ts';
import { home } from '../home.ts';

/** A line of `serac testnet --json` about a node. */
export type NodeLine = {
  readonly event: 'node';
  readonly node: number;
  readonly state: 'waiting' | 'starting' | 'killed' | 'frozen' | 'running' | 'down';
  /** Of a running node. */
  readonly height?: string;
  readonly peers?: number;
  readonly health?: string;
};

type FirstLine<N> = { readonly event: 'started'; readonly folder: string; readonly nodes: readonly N[] };

/** Bytes of the end of stderr that an error shows. */
const maxShownError = 2000;
/** Milliseconds that `serac testnet` may take to stop: longer than it gives its nodes. */
const stopTimeout = 25_000;

/**
 * Runs `serac testnet`, which runs the nodes: a process of its own can kill and freeze them, and ends them when this process is gone, however it
 * ended. Resolves with what it prints first. `isKept`: the folder stays.
 */
export async function startTestnetProcess<N>(
  args: readonly string[],
  isKept: boolean,
  onLine: (line: NodeLine) => void,
  failed: (reason: string) => Error,
) {
  const program = fileURLToPath(new URL('../bin/serac', home));
  const child = childProcess().spawn(process.execPath, [program, 'testnet', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, SERAC_OWNERS: `${process.pid}` },
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()));
  let errorText = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorText = (errorText + text).slice(-maxShownError);
  });
  const first = Promise.withResolvers<FirstLine<N>>();
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) {
      const parsed = JSON.parse(line) as FirstLine<N> | NodeLine;
      if (parsed.event === 'started') first.resolve(parsed);
      else if (parsed.event === 'node') onLine(parsed);
    }
  });
  void exited.then(() => {
    first.reject(failed(errorText.trim()));
  });
  const { folder, nodes } = await first.promise;
  // A program that forgets to close its testnet can end; the testnet then ends too.
  child.unref();
  for (const stream of [child.stdout, child.stderr] as { unref?: () => void }[]) stream.unref?.();
  const close = async (): Promise<void> => {
    child.ref();
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeout);
    await exited;
    clearTimeout(timer);
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  };
  return { folder, nodes, exited, close };
}
