import type { ReaderProcess } from '../platform/node-processes.ts';
import type { MessageToReader } from './messages.ts';
import { stopReader } from './reader-pool.ts';
import type { RelayTimers } from './relay.ts';
import type { MessageFromWriter, MessageToWriter } from './writer-messages.ts';

/** The reader processes of a supervised node: children of the supervisor, used by one writer process after the other. */
type ReaderSwitch = {
  /** Passes messages between the readers and a writer. Returns the function to call with each message of the writer. */
  readonly connect: (writer: Pick<ReaderProcess, 'send'>) => (message: MessageFromWriter) => void;
  /** The writer is gone: its readers wait for the next one. */
  readonly disconnect: () => void;
  readonly sendToAll: (message: MessageToReader) => void;
  /** Stops all readers; kills those that still run after `timeout` milliseconds. */
  readonly stop: (timeout: number) => Promise<void>;
};

export function createReaderSwitch({
  spawnReader,
  timers,
}: {
  readonly spawnReader: () => ReaderProcess;
  readonly timers: RelayTimers;
}): ReaderSwitch {
  /** All readers that run, and the number that the writer gave each; undefined: it waits for a writer. */
  const running = new Map<ReaderProcess, number | undefined>();
  let sendToWriter: ((message: MessageToWriter) => void) | undefined;

  const find = (number: number): ReaderProcess | undefined => [...running].find(([, one]) => one === number)?.[0];

  const spawn = (number: number): void => {
    const reader = spawnReader();
    running.set(reader, number);
    reader.onMessage((message) => {
      const at = running.get(reader);
      if (at !== undefined) sendToWriter?.({ writer: 'fromReader', reader: at, message });
    });
    void reader.exited.then((code) => {
      const at = running.get(reader);
      running.delete(reader);
      if (at !== undefined) sendToWriter?.({ writer: 'readerExited', reader: at, code });
    });
  };

  const take = (number: number): void => {
    const [waiting] = [...running].find(([, one]) => one === undefined) ?? [];
    try {
      if (waiting === undefined) spawn(number);
      else running.set(waiting, number);
    } catch {
      sendToWriter?.({ writer: 'readerExited', reader: number, code: 1 });
      return;
    }
    const { pid } = find(number) ?? {};
    if (pid !== undefined) sendToWriter?.({ writer: 'readerTaken', reader: number, pid });
  };

  return {
    connect: (writer) => {
      sendToWriter = (message) => writer.send(message);
      return (message) => {
        if (message.writer === 'takeReader') take(message.reader);
        if (message.writer === 'killReader') find(message.reader)?.kill(message.signal);
        if (message.writer === 'toReader') find(message.reader)?.send(message.message);
      };
    },
    disconnect: () => {
      sendToWriter = undefined;
      for (const reader of running.keys()) running.set(reader, undefined);
    },
    sendToAll: (message) => {
      for (const reader of running.keys()) reader.send(message);
    },
    stop: async (timeout) => void (await Promise.all([...running.keys()].map((reader) => stopReader(reader, timers, timeout)))),
  };
}
