import { coalesce } from '../../api/rest/coalesce.ts';
import { blocksChannel } from '../chain/postgres-chain.ts';
import type { DatabaseHosts } from '../hosts/database-hosts.ts';
import { isAtLeast, joinPositions, type ReadPosition, startPosition } from '../hosts/read-position.ts';

/** Milliseconds that a replica is waited for after a notification. */
const replicaWait = 1000;

/**
 * Listens for notifications of new blocks, which the primary sends. A replica that is read gets the blocks a little later, so it is waited for
 * before `onReached` is called. Used by `watchIndexVersion`.
 */
export function listenForBlocks({
  hosts,
  listen,
  waitForHost,
  onOutdated,
  onReached,
}: {
  readonly hosts: Pick<DatabaseHosts, 'readsPrimary' | 'primaryPosition'>;
  readonly listen: DatabaseHosts['listen'];
  /** Waits until the host that is read has a position, for a number of milliseconds at most. */
  readonly waitForHost: (wanted: ReadPosition, milliseconds: number) => Promise<unknown>;
  /** What was read before may be outdated. */
  readonly onOutdated: () => void;
  /** The host that is read has what was announced, or did not get it in time. */
  readonly onReached: () => void;
}) {
  /** What the primary had at the last notification. */
  let announced = startPosition;
  let isListening = false;
  /** Notifications that a replica is waited for. */
  let unfinished = 0;
  const waitForReplica = coalesce(async () => {
    announced = joinPositions(announced, await hosts.primaryPosition());
    await waitForHost(announced, replicaWait);
  });
  const stop = listen(blocksChannel, {
    onNotify: () => {
      isListening = true;
      onOutdated();
      if (hosts.readsPrimary()) return onReached();
      unfinished++;
      void waitForReplica()
        .catch(() => undefined)
        .then(() => {
          unfinished--;
          onOutdated();
          onReached();
        });
    },
    onLost: () => {
      isListening = false;
      onOutdated();
    },
  });
  return {
    /** Whether notifications arrive: not while the connection is lost, nor behind a pooler. */
    isListening: (): boolean => isListening,
    /** Whether a state at this position stays the newest one until the next notification: it has all that was announced. */
    covers: (position: ReadPosition): boolean => isListening && unfinished === 0 && isAtLeast(position, announced),
    stop,
  };
}
