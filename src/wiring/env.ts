import type { Redis } from '../access/redis.ts';
import type { Log } from '../cli/log.ts';
import type { Progress } from '../cli/progress-bar.ts';
import type { RecoverKey } from '../crypto/curve.ts';
import type { SoloTimers } from '../engine/solo.ts';
import type { Fetch } from '../follow/transport.ts';
import type { DataFile } from '../genesis/network-genesis.ts';
import type { FileSystem } from '../health/checks.ts';
import type { Files } from '../identity/key-source.ts';
import type { Postgres } from '../platform/postgres-bun.ts';
import type { PostgresLock } from '../platform/postgres-lock-bun.ts';
import type { Serve } from '../platform/serve.ts';
import type { OpenDatabase } from '../store/database.ts';
import type { OpenFile } from '../store/file.ts';
import type { Channel } from '../workers/relay.ts';
import type { Child } from '../workers/supervisor.ts';

/** Everything a node needs from the world: clock, randomness, disk, sockets, processes. Tests hand in their own. */
export type Env = {
  readonly version: string;
  readonly gitCommit: string;
  readonly clock: {
    readonly unixSeconds: () => bigint;
    readonly unixNanos: () => bigint;
    /** Milliseconds that only go forward. */
    readonly monotonic: () => number;
  };
  readonly timers: Pick<SoloTimers, 'soon' | 'after'>;
  readonly random: (length: number) => Uint8Array;
  readonly recoverKey: RecoverKey;
  readonly openRecoveryThread: () => { readonly ask: (message: Uint8Array) => Promise<Uint8Array>; readonly close: () => void };
  readonly files: Files;
  readonly readText: (path: string) => string;
  readonly readData: (file: DataFile) => Uint8Array;
  readonly fileSystem: (path: string) => FileSystem;
  readonly openDatabase: OpenDatabase;
  readonly openFile: OpenFile;
  readonly openRedis: (url: string) => Promise<Redis>;
  readonly tryPostgresLock: (options: { readonly url: string }, name: string) => Promise<PostgresLock | undefined>;
  readonly openPostgres: (options: { readonly url: string; readonly onLost?: () => void }) => Postgres;
  readonly fetch: Fetch;
  readonly makeFolder: (path: string) => void;
  /** Nothing happens if it is not there. */
  readonly removeFile: (path: string) => void;
  readonly serve: Serve;
  /** Set in a process that another one of this node has started. */
  readonly parent: (Channel & { readonly onClose: (listener: () => void) => void; readonly kill: () => void }) | undefined;
  readonly spawnReader: () => Child;
  readonly cores: number;
  readonly process: () => { readonly residentBytes: number; readonly cpuSeconds: number };
  /** Ends this process. */
  readonly exit: (code: number) => void;
  readonly log: Log;
  /** Draws how long work goes, or takes the drawing away. */
  readonly showProgress: (progress: Progress | undefined) => void;
};
