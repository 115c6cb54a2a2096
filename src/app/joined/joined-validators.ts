import type { GenesisValidator } from '../../avm/genesis/platform-genesis.ts';
import { isPublicNetwork } from '../../avm/network.ts';
import { type NodeId, nodeIdText } from '../../base/bytes/node-id.ts';
import { rfc3339 } from '../../base/bytes/rfc3339.ts';
import { openTogether } from '../../base/closing.ts';
import { Fault } from '../../base/fault.ts';
import type { Check, Details } from '../../base/health/result.ts';
import { stripCredentials } from '../../base/log/log.ts';
import { createRpc } from '../../chain/follow/rpc.ts';
import { fetchTransport } from '../../chain/follow/transport.ts';
import type { Store } from '../../ledger/store/store.ts';
import { countConnected } from '../../network/bootstrap/beacon-majority.ts';
import type { ValidatorSet, Validators } from '../../network/protocol/validators.ts';
import { createMajorityReads, type SourceReading, type TrustedNode } from '../../network/validators/majority-reads.ts';
import { createNamedValidators, createPeerValidators } from '../../network/validators/peer-validators.ts';
import { createPlatformReads, type KeyedValidators } from '../../network/validators/platform-reads.ts';
import { createTrustedValidators, type TrustedValidators } from '../../network/validators/trusted-validators.ts';
import { openValidatorStore } from '../../network/validators/validator-store.ts';
import type { JoinConfig } from '../config/join-config.ts';
import type { Env } from '../platform/env.ts';

/** The validators of a joined network, and what depends on where they come from. */
export type JoinedValidators = {
  readonly validators: Validators;
  /** The registered BLS key of a validator. */
  readonly publicKeyOf: (node: NodeId) => Uint8Array | undefined;
  /** Nodes whose majority decides where bootstrapping ends; undefined while they are not known. */
  readonly beacons: () => ValidatorSet | undefined;
  /** Why no validators are known yet; undefined once they are. */
  readonly missingReason: () => string | undefined;
  /** How many of the beacons are connected and how many bootstrapping waits for; undefined if enough are, or if they are not known. */
  readonly describeMissingPeers: (isConnected: (node: NodeId) => boolean) => string | undefined;
  /** Validators of the P-Chain, who may pull transactions. */
  readonly stakers: () => ValidatorSet;
  /**
   * Creates a check that fails while trusted nodes do not answer or are stale; undefined without trusted nodes. `referredPChainHeight`: the
   * P-Chain height to which blocks of the network refer.
   */
  readonly createCheck?: (referredPChainHeight: () => bigint | undefined) => Check;
  /** Told of peers, where they are the validators. */
  readonly membership?: { readonly add: (node: NodeId) => void; readonly remove: (node: NodeId) => void };
  readonly close: () => void;
};

/** Opens the validators of a network. Waits half a second for silent trusted nodes; then goes on with the validators that are stored, if there are any. */
export async function openValidators(
  join: JoinConfig,
  self: NodeId,
  {
    networkID,
    env,
    store,
    genesis,
    onFatal,
  }: {
    readonly networkID: number;
    readonly env: Env;
    readonly store: Store;
    /** The validators at height 0 of the P-Chain, if they are known. */
    readonly genesis: () => readonly GenesisValidator[];
    /** This node turns out to be a validator that must not join; see `findStakeError`. */
    readonly onFatal: (error: JoinError) => void;
  },
): Promise<JoinedValidators> {
  if ('weight' in join.validators) return openPeerValidators(join, self, join.validators);
  const rpcs = join.validators.from.map((url) => ({
    url: stripCredentials(url),
    rpc: createRpc(url, { transport: fetchTransport(env.fetch), timing: env.timers }),
  }));
  const nodes = rpcs.map(({ url, rpc }) => ({ url, reads: createPlatformReads(url, rpc) }));
  const stored = openValidatorStore(store);
  const known = stored.list();
  const url = nodes.map((node) => node.url).join(', ');
  const validators = createTrustedValidators({
    url,
    reads: createMajorityReads(nodes as [TrustedNode, ...TrustedNode[]], env.timers.after),
    networkID,
    known: known.length > 0 ? known : genesisSet(genesis()),
    save: stored.save,
    timers: {
      now: env.clock.monotonic,
      after: env.timers.after,
    },
    onUnreachable: (error) =>
      env.log(`${reasonOf(error)}; ${missingReason() === undefined ? 'the validators known so far still hold' : waiting}`, 'warn'),
    // At the start, this node does not run yet: the error is thrown below.
    onFirstSet: (set) => {
      const error = isStarted ? findStakeError(join, self, set, networkID) : undefined;
      if (error !== undefined) onFatal(error);
    },
  });
  let isStarted = false;
  const missingReason = (): string | undefined => {
    if (validators.current().size > 0) return undefined;
    const { error } = validators.lastRead();
    return error === undefined ? `${url} has not answered yet` : reasonOf(error);
  };
  const close = (): void => {
    validators.stop();
    for (const { rpc } of rpcs) rpc.close();
  };
  return openTogether(env, async (opened) => {
    opened.add({ close });
    await validators.start();
    const error = findStakeError(join, self, validators.current(), networkID);
    if (error !== undefined) throw error;
    isStarted = true;
    return {
      validators,
      publicKeyOf: validators.publicKeyOf,
      beacons: () => (validators.current().size === 0 ? undefined : validators.current()),
      missingReason,
      describeMissingPeers: (isConnected) => {
        const { connected, required, total } = countConnected(validators.current(), isConnected);
        if (connected >= required) return undefined;
        return `connected validators have ${Number((1000n * connected) / total) / 10} % of the stake, 75 % are needed`;
      },
      stakers: validators.current,
      createCheck: (referredPChainHeight) => createTrustedCheck(url, validators, referredPChainHeight, env.clock.monotonic),
      close,
    };
  });
}

/** Milliseconds of silence, disagreement or staleness after which the check fails: one missed reading is no failure. */
export const maxSilence = 10_000;

const waiting = 'no validators are known yet, and the X-Chain waits for them';

const reasonOf = (error: unknown): string => (error as { message?: string }).message ?? String(error);

/** Fails `maxSilence` after the last answer, also while a request is open, or after an answer became stale; at once if no validators are known. */
export const createTrustedCheck =
  (
    url: string,
    trusted: Pick<TrustedValidators, 'lastRead' | 'knownHeight' | 'current' | 'sources' | 'heightSince' | 'timesApart'>,
    referredPChainHeight: () => bigint | undefined,
    now: () => number,
  ): Check =>
  () => {
    const { at, error } = trusted.lastRead();
    const details = { url, pChainHeight: trusted.knownHeight(), sources: trusted.sources().map(describeSource) };
    const silence = now() - at;
    const isKnown = trusted.current().size > 0;
    if (isKnown && silence <= maxSilence) return { details, error: findStaleness(trusted, referredPChainHeight(), now()) };
    const reason = error === undefined ? `${url} has not answered` : reasonOf(error);
    const consequence = isKnown ? 'the last known validators hold, but blocks that refer to later ones are refused' : waiting;
    return { details, error: `for ${Math.round(silence / 1000)} s: ${reason}; ${consequence}` };
  };

/** The height and time of the P-Chain of a trusted node. */
const describeSource = ({ url, heights }: SourceReading): Details =>
  heights === undefined
    ? { url, error: 'the last reading failed' }
    : { url, pChainHeight: heights.current, pChainTime: rfc3339(1_000_000_000n * heights.time) };

/** Why the trusted nodes are stale, for longer than `maxSilence`; undefined if they are not. */
function findStaleness(
  { knownHeight, heightSince, timesApart }: Pick<TrustedValidators, 'knownHeight' | 'heightSince' | 'timesApart'>,
  referred: bigint | undefined,
  now: number,
): string | undefined {
  const known = knownHeight();
  const stood = now - heightSince();
  if (referred !== undefined && referred > known && stood > maxSilence)
    return (
      `the P-Chain height of the nodes of --validators-from has stood at ${known} for ${Math.round(stood / 1000)} s, but blocks refer to ` +
      `height ${referred}: these nodes are stale, and blocks are refused until they have that height`
    );
  const apart = timesApart();
  if (apart !== undefined && now - apart.since > maxSilence)
    return `the P-Chain times of the nodes of --validators-from are ${apart.seconds} s apart: the node with the earlier time is stale`;
  return undefined;
}

function genesisSet(validators: readonly GenesisValidator[]): readonly { readonly height: bigint; readonly set: KeyedValidators }[] {
  if (validators.length === 0) return [];
  const weights = new Map(validators.map(({ nodeID, weight }) => [nodeID, weight]));
  const keys = new Map(validators.flatMap(({ nodeID, publicKey }) => (publicKey === undefined ? [] : [[nodeID, publicKey] as const])));
  return [{ height: 0n, set: { weights, keys } }];
}

/** Without sybil protection: bootstrapping ends where most of the first peers are. AvalancheGo asks them about the P-Chain. */
function openPeerValidators(
  { beacons }: JoinConfig,
  self: NodeId,
  { weight, named }: Extract<JoinConfig['validators'], { weight: bigint }>,
): JoinedValidators {
  const peers = named === undefined ? createPeerValidators(self, weight) : undefined;
  const firstPeers: ValidatorSet = new Map(beacons.filter(({ node }) => node !== self).map(({ node }) => [node, 1n]));
  const none: ValidatorSet = new Map();
  return {
    validators: peers ?? createNamedValidators(named ?? [], weight),
    publicKeyOf: () => undefined,
    beacons: () => firstPeers,
    missingReason: () => undefined,
    describeMissingPeers: (isConnected) => {
      const { connected, required, total } = countConnected(firstPeers, isConnected);
      return connected >= required ? undefined : `connected to ${connected} of ${total} first peers, ${required} are needed`;
    },
    stakers: () => none,
    membership: peers && { add: peers.connected, remove: peers.disconnected },
    close: () => {},
  };
}

/** The share of the stake, in percent, above which the silence of one validator can be noticed on the P- and C-Chain. */
const noticeablePercent = 5n;

/** The error of a node that has noticeable stake and would not answer for the P- and C-Chain: being silent harms a network more than being absent. */
function findStakeError({ echoOtherChains, force }: JoinConfig, self: NodeId, set: ValidatorSet, networkID: number): JoinError | undefined {
  const own = set.get(self) ?? 0n;
  const total = [...set.values()].reduce((sum, weight) => sum + weight, 0n);
  // On a public network a node only follows: there, any stake belongs to a node that runs all chains.
  if (echoOtherChains || force || own * 100n <= total * (isPublicNetwork(networkID) ? 0n : noticeablePercent)) return undefined;
  const percent = (Number((own * 10_000n) / total) / 100).toFixed(2);
  return new JoinError(
    `${nodeIdText(self)} is a validator with ${percent} % of the stake, but Serac does not run the P- and C-Chain: its silence there would delay ` +
      `these chains for all validators; join with another key, or give --force, or on a throw-away network --echo-other-chains`,
    { code: 'JOIN_NOTICEABLE_STAKE', percent },
  );
}

type JoinFault =
  | { code: 'JOIN_NOTICEABLE_STAKE'; percent: string }
  | { code: 'JOIN_PORT_TAKEN'; port: number }
  | { code: 'JOIN_CANNOT_LISTEN'; port: number };
export class JoinError extends Fault<JoinFault> {}
