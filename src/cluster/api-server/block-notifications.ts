import { coalesce } from '../../api/rest/coalesce.ts';
import { blocksChannel } from '../chain/postgres-chain.ts';
import type { DatabaseHosts } from '../hosts/database-hosts.ts';
import { isAtLeast, joinPositions, type ReadPosition, startPosition } from '../hosts/read-position.ts';

/** Milliseconds that a replica is waited for after a notification. */
const replicaWait = 1000;

/**
 * Listens for notifications of new blocks, which PostgreSQL sends from the primary when the indexer commits. If a replica is read, it gets the blocks a
 * little later: `onReached` is called when the replica has them. Used by `watchIndexVersion`.
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
  /** Called when everything that was read before may be outdated. */
  readonly onOutdated: () => void;
  /** Called when the host that is read has the announced blocks, or did not get them in time. */
  readonly onReached: () => void;
}) {
  /** The position of the primary at the last notification; only read from it while a replica is read. */
  let announced = startPosition;
  let isListening = false;
  /** Number of notifications whose blocks the replica may not have yet. */
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
    /** Whether a state at this position is the newest one until the next notification: notifications arrive, and it has all that they have announced. */
    covers: (position: ReadPosition): boolean => isListening && unfinished === 0 && isAtLeast(position, announced),
    stop,
  };
}
