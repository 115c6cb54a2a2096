import type { FileSystem } from '../../api/health/checks.ts';
import type { Handler } from '../../api/http/message.ts';
import type { PostSockets } from '../../api/webhooks/send-message.ts';
import type { GenesisDataFile } from '../../avm/genesis/network-genesis.ts';
import type { KeyCrypto } from '../../avm/wallet/key.ts';
import type { RecoverKey } from '../../base/crypto/recover.ts';
import type { Log } from '../../base/log/log.ts';
import type { Progress } from '../../base/log/progress.ts';
import type { Fetch } from '../../chain/follow/transport.ts';
import type { SoloTimers } from '../../chain/solo/solo.ts';
import type { OpenPostgres } from '../../cluster/postgres/postgres.ts';
import type { OpenRedis } from '../../cluster/redis/redis.ts';
import type { DocsFiles } from '../../explorer/pages/docs-handler.ts';
import type { BuiltAssets } from '../../explorer/pages/page-assets.ts';
import type { OpenDatabase } from '../../ledger/store/database.ts';
import type { OpenFile } from '../../ledger/store/offset-file.ts';
import type { KeyFiles } from '../../network/identity/key-source.ts';
import type { PeerSockets } from '../../network/peers/socket.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import type { ProcessActivity, ReaderProcess, WatchedProcess, WriterHost, WriterStart } from './node-processes.ts';
import type { Serve } from './serve.ts';

/** Clock, timers and randomness. */
export type TimeEnv = {
  readonly clock: {
    readonly unixSeconds: () => bigint;
    readonly unixNanos: () => bigint;
    /** Milliseconds of a clock that never goes back. */
    readonly monotonic: () => number;
  };
  readonly timers: Pick<SoloTimers, 'soon' | 'after'>;
  readonly random: (length: number) => Uint8Array;
};

/** Keys and signatures. */
type CryptoEnv = {
  readonly recoverKey: RecoverKey;
  readonly keyCrypto: KeyCrypto;
  readonly openRecoveryThread: () => { readonly request: (message: Uint8Array) => Promise<Uint8Array>; readonly close: () => void };
};

/** The disk, and the files that come with the program. */
export type FileEnv = {
  readonly files: KeyFiles;
  readonly readText: (path: string) => string;
  readonly readData: (file: GenesisDataFile) => Uint8Array;
  /** The built files of the explorer; in a clone they are built by the first call. */
  readonly loadPageAssets: () => Promise<BuiltAssets>;
  /** The files of the documentation site; in a clone they are built. */
  readonly loadDocs: () => Promise<DocsFiles>;
  readonly fileSystem: (path: string) => FileSystem;
  readonly openFile: OpenFile;
  readonly makeFolder: (path: string) => void;
  /** Does nothing if the file does not exist. */
  readonly removeFile: (path: string) => void;
  /** Replaces another file of the new name; survives a power failure. */
  readonly renameFile: (from: string, to: string) => void;
  /** A text that tells the file of a name from every other file; undefined if there is no such file. */
  readonly identifyFile: (path: string) => string | undefined;
  /** A folder for temporary files. */
  readonly tempFolder: () => string;
};

/** Databases, in this process and on servers. */
export type DatabaseEnv = {
  readonly openDatabase: OpenDatabase;
  readonly openRedis: OpenRedis;
  /** Loads the driver of PostgreSQL, which most programs do not need; see `loadClusterEnv`. */
  readonly loadPostgres: () => Promise<OpenPostgres>;
};

/** What this process listens on and connects to. */
export type NetworkEnv = {
  /** Uses no proxy for nodes on this machine. */
  readonly fetch: Fetch;
  readonly serve: Serve;
  /** The limit of the connections of this process; undefined where the system does not say how many files it may open. */
  readonly connections?: () => ConnectionLimit | undefined;
  /** Sends requests of webhooks. */
  readonly postSockets: PostSockets;
  /** Sockets for peers with the staking certificate and key of this node, both as PEM. */
  readonly openPeerSockets: (certificate: string, privateKey: string) => Promise<PeerSockets>;
  /** Returns a handler that sends a request to a port of this machine and streams both bodies. */
  readonly forwardRequest: (port: number) => Handler;
};

/** The processes of the node beside this one. */
export type WorkerEnv = {
  /**
   * The process of this node that started this one: the writer or supervisor process of a reader process, the supervisor process of a writer process.
   * Undefined in every other process, also in one that a program has started with a message channel.
   */
  readonly parent: (WatchedProcess & { readonly onClose: (listener: () => void) => void; readonly kill: () => void }) | undefined;
  readonly spawnReader: () => ReaderProcess;
  /** What a process of this machine does; undefined where that is not known. */
  readonly readActivity: (pid: number) => ProcessActivity | undefined;
  /** Starts this program again as a writer process that this process supervises. */
  readonly spawnWriter: (start: WriterStart) => ReaderProcess;
  /** The supervisor process, if this process is a writer process that it started. */
  readonly supervisor?: WriterHost | undefined;
  /** Whether the operating system distributes the connections of a port over the processes that listen on it. */
  readonly distributesConnections: boolean;
};

/** This process. */
export type ProcessEnv = {
  readonly version: string;
  /** For `info.getNodeVersion`, which has it in AvalancheGo; always empty. */
  readonly gitCommit: string;
  readonly cores: number;
  readonly process: () => { readonly residentBytes: number; readonly heapBytes: number; readonly cpuSeconds: number };
  /** Ends this process. */
  readonly exit: (code: number) => void;
  /** Ends this process at once, without closing files. Does nothing if the process is not Serac's own. */
  readonly abandon: () => void;
  /** Runs a synchronous function when this process exits, whatever the reason, except SIGKILL. Returns a function that cancels this. */
  readonly onExit: (run: () => void) => () => void;
  readonly log: Log;
  /** Shows or clears the progress bar. */
  readonly showProgress: (progress: Progress | undefined) => void;
};

/** Everything a node needs from its environment. Tests pass their own. */
export type Env = TimeEnv & CryptoEnv & FileEnv & DatabaseEnv & NetworkEnv & WorkerEnv & ProcessEnv;
