import type { Channel, ProcessActivity, ReaderProcess, WriterHost, WriterStart } from '../platform/node-processes.ts';
import { pingInterval } from './heartbeat.ts';
import type { MessageFromWriter, MessageToWriter } from './writer-messages.ts';

/** What changes in the environment of a writer process that has a supervisor. */
type HostedWriter<Progress> = ProgressOutput<Progress> & {
  readonly parent: undefined;
  readonly supervisor: WriterHost;
  readonly spawnReader: () => ReaderProcess;
};

type ProgressOutput<Progress> = { readonly showProgress: (progress: Progress | undefined) => void };

type HostedReader = {
  readonly listeners: ((message: unknown) => void)[];
  readonly exit: (code: number) => void;
  pid: number | undefined;
};

/**
 * Connects a writer process with its supervisor: answers pings, and starts readers through it. `stop` is called when the supervisor is gone.
 * Long work at the start is synchronous and lets no ping be answered, so each step of it that shows progress is an answer too: Bun and Node write
 * a message to the pipe at once.
 */
export function connectToSupervisor<Progress>(
  channel: Channel & { readonly onClose: (listener: () => void) => void },
  start: WriterStart,
  stop: () => void,
  own: ProgressOutput<Progress> & {
    readonly clock: { readonly monotonic: () => number };
    readonly readActivity: (pid: number) => ProcessActivity | undefined;
  },
): HostedWriter<Progress> {
  const send = (message: MessageFromWriter): void => channel.send(message);
  const sendPong = (): void => send({ writer: 'pong' });
  let progressSentAt = Number.NEGATIVE_INFINITY;
  const readers = new Map<number, HostedReader>();
  let lastReader = 0;
  channel.onMessage((received) => {
    const message = received as MessageToWriter;
    if (message.writer === 'ping') return sendPong();
    const reader = readers.get(message.reader);
    if (message.writer === 'readerTaken' && reader !== undefined) reader.pid = message.pid;
    if (message.writer === 'fromReader') for (const listener of reader?.listeners ?? []) listener(message.message);
    if (message.writer !== 'readerExited') return;
    readers.delete(message.reader);
    reader?.exit(message.code);
  });
  channel.onClose(() => {
    // The readers end with the supervisor too, but nobody tells.
    for (const { exit } of readers.values()) exit(1);
    stop();
  });
  return {
    parent: undefined,
    showProgress: (progress) => {
      const now = own.clock.monotonic();
      if (progress !== undefined && now - progressSentAt >= pingInterval) {
        progressSentAt = now;
        sendPong();
      }
      own.showProgress(progress);
    },
    supervisor: { ...start, ready: (port) => send({ writer: 'ready', port }) },
    spawnReader: () => {
      const reader = ++lastReader;
      const { promise: exited, resolve: exit } = Promise.withResolvers<number>();
      const hosted: HostedReader = { listeners: [], exit, pid: undefined };
      readers.set(reader, hosted);
      send({ writer: 'takeReader', reader });
      return {
        exited,
        activity: () => (hosted.pid === undefined ? undefined : own.readActivity(hosted.pid)),
        kill: (signal) => send({ writer: 'killReader', reader, signal }),
        send: (message) => send({ writer: 'toReader', reader, message }),
        onMessage: (listener) => void hosted.listeners.push(listener),
      };
    },
  };
}
