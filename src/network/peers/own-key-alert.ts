import type { PeerTiming } from './timing.ts';

/** Another node on the network that has the staking key of this node. */
type KeySighting = { readonly address: string; readonly unixSeconds: bigint };

/**
 * Notices another node with this node's staking key: both would vote, sign and be counted as one. A connection of this node to itself, which an
 * address in a list can cause, is told apart: both of its ends are here and have the same channel ID.
 */
export type OwnKeyAlert = ReturnType<typeof createOwnKeyAlert>;

/** How long the second end of a connection of this node to itself may take to appear. Milliseconds. */
const matchTime = 5000;
/** More unmatched ends than this are not tracked: one sighting is enough. */
const maxEnds = 64;

export function createOwnKeyAlert(timing: PeerTiming, seen: (sighting: KeySighting) => void) {
  const ends = new Map<string, () => void>();
  let last: KeySighting | undefined;
  const note = (address: string): void => {
    const isNew = last?.address !== address;
    last = { address, unixSeconds: timing.unixSeconds() };
    if (isNew) seen(last);
  };
  return {
    /** One end of a connection between two holders of this node's key. */
    connection: (channelId: string, address: string): void => {
      const cancel = ends.get(channelId);
      if (cancel !== undefined) {
        cancel();
        ends.delete(channelId);
        return;
      }
      if (ends.size >= maxEnds) return;
      ends.set(
        channelId,
        timing.after(matchTime, () => {
          ends.delete(channelId);
          note(address);
        }),
      );
    },
    /** An address, signed with this node's key, that this node did not sign. */
    claim: note,
    last: (): KeySighting | undefined => last,
  };
}

/** How long a sighting keeps the health check failing, in seconds. */
const alarmSeconds = 600n;

/** The outcome of a health check that AvalancheGo does not have: it fails for ten minutes after another node with this key was seen. */
export function ownKeyOutcome(sighting: KeySighting | undefined, now: bigint): { readonly details?: string; readonly error?: string } {
  if (sighting === undefined || now - sighting.unixSeconds > alarmSeconds)
    return { details: 'no other node with this staking key was seen' };
  return { error: `another node with this node's staking key is at ${sighting.address}; stop one of them or give it another key` };
}
