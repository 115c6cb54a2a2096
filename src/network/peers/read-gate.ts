import type { PeerSocket } from './socket.ts';
import type { PeerTiming } from './timing.ts';
import type { UnreadMeter } from './unread-bytes.ts';

type ReadGateDeps = {
  readonly socket: Pick<PeerSocket, 'pause' | 'resume' | 'buffered'>;
  readonly timing: Pick<PeerTiming, 'after' | 'soon'>;
};

/** Whether the socket of a peer is read: not while a message of the peer waits, nor while too much of all peers is unread. `run` handles messages. */
export function createReadGate({ socket, timing }: ReadGateDeps, unread: Pick<UnreadMeter, 'isHeldBack'>, run: () => void) {
  let isPaused = false;
  let isSuspended = false;
  let isHeldBack = false;
  let isClosed = false;
  let cancelWait: (() => void) | undefined;

  const setPaused = (value: boolean): void => {
    if (isPaused === value) return;
    isPaused = value;
    if (value) socket.pause();
    else socket.resume();
  };
  const suspend = (): void => {
    isSuspended = true;
    setPaused(true);
  };
  const proceed = (next: () => void = run): void => {
    cancelWait = undefined;
    isSuspended = false;
    if (!isClosed) next();
  };
  const proceedSoon = (): void => {
    cancelWait = undefined;
    timing.soon(() => proceed());
  };
  return {
    /** Stops reading until `proceed`. */
    suspend,
    proceed,
    /** Goes on in the next turn of the event loop. */
    proceedSoon,
    waitFor: (milliseconds: number, next?: () => void): undefined => {
      suspend();
      cancelWait = timing.after(milliseconds, () => proceed(next));
    },
    /** Waits for what `wait` is called back for. It returns a function that cancels the wait. */
    waitUntil: (wait: (then: () => void) => () => void): undefined => {
      suspend();
      cancelWait = wait(proceedSoon);
    },
    /** Waits for bytes: for the rest of a message, or for the next one, if it may be read. */
    awaitMore: (isBetweenMessages: boolean): undefined => {
      // What the socket has read counts already: it is less if it is handled.
      isHeldBack = isBetweenMessages && socket.buffered() === 0 && unread.isHeldBack();
      setPaused(isHeldBack);
    },
    isSuspended: () => isSuspended,
    /** Whether the peer is not read although nothing of it waits. */
    isHeldBack: () => isHeldBack,
    close: (): void => {
      isClosed = true;
      cancelWait?.();
    },
  };
}
