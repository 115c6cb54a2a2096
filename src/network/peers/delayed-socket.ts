import type { NodeId } from '../../base/bytes/node-id.ts';
import type { PeerSocket } from './socket.ts';
import type { PeerTiming } from './timing.ts';

/**
 * Connections on which what this node sends arrives later, to try a slow network. A peer whose delay was never set has its socket unchanged. The
 * outbound queue bounds the bytes that wait here, as the window of a real connection would: 64 kB for each delay.
 */
export function createDelays(timing: Pick<PeerTiming, 'now' | 'after'>) {
  const peerDelays = new Map<NodeId, number>();

  const delayWrites = (node: NodeId, socket: PeerSocket): PeerSocket => {
    /** Writes in their order: each timer sends the first, so that a shorter delay does not let later bytes overtake earlier ones. */
    const waitingWrites: (() => void)[] = [];
    let lastDue = 0;
    const write = (bytes: Uint8Array, written: () => void): void => {
      const now = timing.now();
      const due = Math.max(now + (peerDelays.get(node) ?? 0), lastDue);
      if (due <= now && waitingWrites.length === 0) return void socket.write(bytes, written);
      lastDue = due;
      waitingWrites.push(() => socket.write(bytes, written));
      timing.after(due - now, () => waitingWrites.shift()?.());
    };
    const close = (): void => {
      waitingWrites.length = 0;
      socket.close();
    };
    return { ...socket, write, close };
  };

  return {
    /** Sets the delay to these nodes in milliseconds, for open connections too; 0 ends it. */
    set: (nodes: Iterable<NodeId>, milliseconds: number): void => {
      for (const node of nodes)
        if (milliseconds > 0) peerDelays.set(node, milliseconds);
        else peerDelays.delete(node);
    },
    wrap: delayWrites,
  };
}
