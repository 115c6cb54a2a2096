import { maxLoggedCalls } from '../contract/dev-call-methods.ts';
import type { CallRecord } from './call-record.ts';

/** Bytes in memory of all calls of the log, about. */
export const maxLogBytes = 4 * 1024 * 1024;
/** Milliseconds that calls are still kept after the log was read. */
export const keptAfterRead = 300_000;
/** Milliseconds between two announcements of new calls. */
const newsInterval = 250;
/** Bytes of a call beside its texts, about. */
const callBytes = 500;

export type CallLog = ReturnType<typeof createCallLog>;
export type LoggedCall = CallRecord & { readonly number: number };

/**
 * The last calls to this node, for the developer who looks at them. Keeping begins when the log is read, and ends some time after it was read
 * for the last time: then all calls are dropped.
 */
export function createCallLog({
  now,
  after,
  onSwitch,
  onNews,
}: {
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** Called when keeping begins and ends. Resolves when all processes record calls. */
  readonly onSwitch: (isOn: boolean) => Promise<void>;
  /** Called after calls were added, a few times a second at most, with the number of the last. */
  readonly onNews: (last: number) => void;
}) {
  /** Oldest first. */
  let calls: LoggedCall[] = [];
  let [last, bytes, skipped, since] = [0, 0, 0, 0];
  let cancelEnd: (() => void) | undefined;
  let isAnnouncing = false;

  const end = (): void => {
    cancelEnd = undefined;
    [calls, bytes, skipped] = [[], 0, 0];
    void onSwitch(false);
  };
  const announce = (): void => {
    if (isAnnouncing) return;
    isAnnouncing = true;
    onNews(last);
    const announced = last;
    after(newsInterval, () => {
      isAnnouncing = false;
      if (last > announced && cancelEnd !== undefined) announce();
    });
  };

  return {
    /** Notes that somebody reads the log: calls are kept from now on, in all processes when this resolves. */
    ask: async (): Promise<void> => {
      const wasOn = cancelEnd !== undefined;
      cancelEnd?.();
      cancelEnd = after(keptAfterRead, end);
      if (wasOn) return;
      since = now();
      await onSwitch(true);
    },
    add: (added: readonly CallRecord[], missed: number): void => {
      // A reader process may send some after the end.
      if (cancelEnd === undefined) return;
      skipped += missed;
      for (const call of added) {
        calls.push({ ...call, number: ++last });
        bytes += sizeOf(call);
      }
      let dropped = 0;
      for (; calls.length - dropped > maxLoggedCalls || bytes > maxLogBytes; dropped++) bytes -= sizeOf(calls[dropped] as LoggedCall);
      if (dropped > 0) calls = calls.slice(dropped);
      if (added.length > 0 || missed > 0) announce();
    },
    /** Newest first: calls after a number, with a text in a method or in the path, with an error. */
    list: (wanted: { readonly after: number; readonly limit: number; readonly text: string; readonly onlyErrors: boolean }) => {
      const found = calls.filter(
        (call) =>
          call.number > wanted.after && (!wanted.onlyErrors || call.error !== undefined) && hasText(call, wanted.text.toLowerCase()),
      );
      return found.slice(-wanted.limit).reverse();
    },
    find: (number: number): LoggedCall | undefined => calls.find((call) => call.number === number),
    isOn: (): boolean => cancelEnd !== undefined,
    read: () => ({ last, kept: calls.length, skipped, since }),
    /** Stops the timer. */
    close: (): void => cancelEnd?.(),
  };
}

const hasText = ({ methods, path }: LoggedCall, text: string): boolean =>
  text === '' || [...methods, path].some((name) => name.toLowerCase().includes(text));

const sizeOf = ({ path, userAgent = '', error, request, answer }: CallRecord): number =>
  callBytes +
  2 * (path.length + userAgent.length + (error?.message.length ?? 0) + (request.text?.length ?? 0) + (answer.text?.length ?? 0));
