/**
 * Messages between the supervisor process (`--supervise`) and the writer process. The reader processes are children of the supervisor, so that
 * they outlive a writer; the writer names them by numbers, and its messages to and from them pass through the supervisor.
 */
export type MessageToWriter =
  | { readonly writer: 'ping' }
  | { readonly writer: 'fromReader'; readonly reader: number; readonly message: unknown }
  /** The answer to `takeReader`, so that the writer can look at the process itself. */
  | { readonly writer: 'readerTaken'; readonly reader: number; readonly pid: number }
  | { readonly writer: 'readerExited'; readonly reader: number; readonly code: number };

export type MessageFromWriter =
  /** The answer to a ping, also sent for the progress of long work that lets none be answered. */
  | { readonly writer: 'pong' }
  /** The node serves on this port. */
  | { readonly writer: 'ready'; readonly port: number }
  /** Gives the writer a reader process: one that outlived the last writer, or a new one. */
  | { readonly writer: 'takeReader'; readonly reader: number }
  | { readonly writer: 'killReader'; readonly reader: number; readonly signal: 'SIGTERM' | 'SIGKILL' }
  | { readonly writer: 'toReader'; readonly reader: number; readonly message: unknown };
