import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { parseFlags } from '../src/cli/flags.ts';
import { configFrom } from '../src/config.ts';
import { openDatabase } from '../src/platform/database-bun.ts';
import { openFile } from '../src/platform/offset-file.ts';
import type { Env } from '../src/wiring/env.ts';
import { createNetworkContext } from '../src/wiring/network-context.ts';
import { type OpenedChain, openNodeStore } from '../src/wiring/node-store.ts';
import { BenchError } from './fault.ts';

/** The X-Chain of a data directory, opened in this process through the store the program itself uses. */
export type ChainStore = OpenedChain & {
  /** What page tokens of this directory are sealed with. */
  readonly secret: () => Uint8Array;
  readonly close: () => void;
};

/** `hasty`: keeps everything in memory and never waits for the disk, for what can as well be made again. */
export function openChainStore(dir: string, access: 'write' | 'read', hasty = false): ChainStore {
  const flags = parseFlags([`--data-dir=${dir}`, '--network-id=local'], { vars: {}, readFile: String });
  if (flags.kind !== 'run') throw new BenchError('the flags of a data directory have changed');
  const config = configFrom(flags.options);
  const context = createNetworkContext(config, world);
  let database: ReturnType<typeof openDatabase> | undefined;
  const open: Env['openDatabase'] = (path, options) => {
    const opened = openDatabase(path, options);
    if (path.endsWith('/serac.sqlite')) database = opened;
    return opened;
  };
  const store = openNodeStore(config, { ...world, openDatabase: open }, context, access);
  try {
    if (hasty) database?.exec('PRAGMA cache_size = -4194304; PRAGMA synchronous = OFF');
    return { ...store.openChain(context.specs[0]), secret: store.pageSecret, close: store.close };
  } catch (error) {
    store.close();
    throw error;
  }
}

/** Opening a store takes no more of the world than this. */
const world = {
  clock: { unixSeconds: () => BigInt(Math.floor(Date.now() / 1000)), monotonic: () => performance.now() },
  random: (length: number) => randomBytes(length),
  readData: (file: string) => readFileSync(new URL(`../src/genesis/data/${file}`, import.meta.url)),
  openFile,
  showProgress: () => {},
  makeFolder: (path: string) => void mkdirSync(path, { recursive: true }),
} as unknown as Env;
