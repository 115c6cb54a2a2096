import type { Check } from '../../base/health/result.ts';
import { createDisagreements } from '../../chain/follow/disagreements.ts';
import { createMajorityRemote, type ForeignReads } from '../../chain/follow/majority-remote.ts';
import type { Remote } from '../../chain/follow/remote.ts';
import { withRetries } from '../../chain/follow/retrying-remote.ts';
import { createRemote, createTiming } from '../followed/follow.ts';
import type { NetworkEnv, TimeEnv } from '../platform/env.ts';
import { maxSilence } from './joined-validators.ts';

/** The nodes of `--validators-from`, asked about exports between chains as one: most of them must agree. */
type TrustedRemotes = {
  readonly reads: ForeignReads;
  /** The same, where a request to a node is repeated if it fails. */
  readonly retriedReads: ForeignReads;
  /** Adds to a check that it fails while the nodes disagree about exports. */
  readonly withDisagreement: (check: Check) => Check;
  readonly close: () => void;
};

export function openTrustedRemotes(urls: readonly string[], env: NetworkEnv & TimeEnv, hrp: string): TrustedRemotes {
  const abort = new AbortController();
  const timing = createTiming(env);
  const { now, after } = timing;
  const remotes = urls.map((url) => createRemote(url, env, hrp)) as [Remote, ...Remote[]];
  const disagreements = createDisagreements({ now, after });
  const joinRemotes = (nodes: readonly Remote[]): ForeignReads =>
    createMajorityRemote(nodes as [Remote, ...Remote[]], { after, disagreements });
  return {
    reads: joinRemotes(remotes),
    retriedReads: joinRemotes(remotes.map((remote) => withRetries(remote, { timing, signal: abort.signal }))),
    withDisagreement: (check) => async () => {
      const outcome = await check();
      const open = disagreements.oldest();
      if (outcome.error !== undefined || open === undefined || now() - open.since <= maxSilence) return outcome;
      const seconds = Math.round((now() - open.since) / 1000);
      return { ...outcome, error: `for ${seconds} s the nodes of --validators-from do not agree about ${open.what}` };
    },
    close: () => {
      abort.abort();
      disagreements.close();
      for (const remote of remotes) remote.close();
    },
  };
}
