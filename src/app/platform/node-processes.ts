/** A message channel to another process of the node. Messages may be any values that can be cloned. */
export type Channel = {
  readonly send: (message: unknown) => void;
  readonly onMessage: (listener: (message: unknown) => void) => void;
};

/** What the main thread of a process has done and does. */
export type ProcessActivity = {
  /** Milliseconds so far in which it ran. */
  readonly cpuTime: number;
  /** Milliseconds so far in which it could have run but had no CPU: other processes had it, or the quota of its container was used up. */
  readonly cpuWait: number;
  /** Whether it runs, or waits for a CPU or a disk, at this moment. */
  readonly isBusy: boolean;
};

/** Another process of the node. */
export type WatchedProcess = Channel & {
  /** Missing, or undefined, where that is not known. */
  readonly activity?: () => ProcessActivity | undefined;
};

/** A reader process, seen from the writer process. */
export type ReaderProcess = WatchedProcess & {
  /** Missing in a writer process that has a supervisor, whose children the readers are. */
  readonly pid?: number;
  readonly exited: Promise<number>;
  readonly kill: (signal: 'SIGTERM' | 'SIGKILL') => void;
};

/** What a writer process is told when it is started. */
export type WriterStart = {
  /** The port of the writers before; undefined for the first. Readers may still serve on it. */
  readonly port?: number | undefined;
  /** How often the writer was restarted, and why the last time. */
  readonly restarts: number;
  readonly reason?: string | undefined;
};

/** The supervisor process, seen from the writer process that it started. */
export type WriterHost = WriterStart & {
  /** Tells the supervisor that the node serves on a port. */
  readonly ready: (port: number) => void;
};
