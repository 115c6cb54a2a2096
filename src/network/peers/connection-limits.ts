import { isLoopbackHost } from '../../base/bytes/ip-address.ts';
import { createTokenBucket } from './token-bucket.ts';

/** Decides which inbound connections may begin a TLS handshake. The clock is an argument, in milliseconds. */
export type ConnectionLimits = {
  readonly mayConnect: (ip: string, now: number) => boolean;
  readonly allowed: () => number;
  readonly rejected: () => number;
};

type ConnectionRules = {
  readonly perSecond: number;
  /** An IP address may connect once in this time; 0: no limit. Loopback is exempt. */
  readonly cooldown: number;
};

/** AvalancheGo: network/throttling/inbound_conn_throttler.go, inbound_conn_upgrade_throttler.go. */
export function createConnectionLimits({ perSecond, cooldown }: ConnectionRules, start: number): ConnectionLimits {
  const bucket = createTokenBucket(perSecond, Math.floor(perSecond) + 1, start);
  /** Until when an address has to wait; all wait equally long, so the first ends first. */
  const recent = new Map<string, number>();
  const maxRecent = Math.ceil((perSecond * cooldown) / 1000);
  let allowed = 0;
  let rejected = 0;

  const isFirst = (ip: string, now: number): boolean => {
    if (cooldown <= 0 || isLoopbackHost(ip)) return true;
    for (const [other, until] of recent) {
      if (until > now) break;
      recent.delete(other);
    }
    if (recent.has(ip) || recent.size >= maxRecent) return false;
    recent.set(ip, now + cooldown);
    return true;
  };

  return {
    mayConnect: (ip, now) => {
      const isAllowed = bucket.take(1, now) && isFirst(ip, now);
      if (isAllowed) allowed++;
      else rejected++;
      return isAllowed;
    },
    allowed: () => allowed,
    rejected: () => rejected,
  };
}
