import { every } from '../../base/timing/timers.ts';
import type { createAddressBook } from './address-book.ts';
import type { createConnections } from './connections.ts';
import type { NetworkOptions } from './network-flags.ts';
import type { RegisteredStakes } from './stake.ts';
import { type PeerTiming, sample } from './timing.ts';

type UpkeepDeps = {
  readonly connections: Pick<ReturnType<typeof createConnections>, 'all' | 'connected' | 'uptimes'>;
  readonly addresses: Pick<ReturnType<typeof createAddressBook>, 'reset'>;
  readonly stakes: Pick<RegisteredStakes, 'of'>;
  readonly options: NetworkOptions;
  readonly timing: PeerTiming;
};

/** What a network does from time to time: pings and timeouts, asking for addresses, forgetting. Returns a function that stops it. */
export function startUpkeep({ connections, addresses, stakes, options, timing }: UpkeepDeps): () => void {
  const tick = (): void => {
    const now = timing.now();
    for (const peer of connections.all()) peer.tick(now);
  };
  const pullAddresses = (): void => {
    const validators = [...connections.connected()].filter(({ node }) => stakes.of(node) > 0n);
    for (const peer of sample(validators, 1, timing)) peer.requestAddresses();
  };
  const forget = (): void => {
    addresses.reset();
    connections.uptimes.prune((node) => stakes.of(node) > 0n);
  };
  const cancels = [
    every(timing, Math.min(1000, Math.max(10, options.pingFrequency / 8)), tick),
    every(timing, options.peerListFrequency, pullAddresses),
    every(timing, options.bloomResetFrequency, forget),
  ];
  return () => {
    for (const cancel of cancels) cancel();
  };
}
