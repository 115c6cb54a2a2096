import { randomBytes } from 'node:crypto';
import { openPeerSockets } from '../../app/platform/bun/peer-sockets.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { nodeIdOfCertificate } from '../../base/bytes/node-id.ts';
import { blsSigner, newSecret } from '../identity/bls.ts';
import { certificatePem, newKeyPair, privateKeyPem } from '../identity/certificate.ts';
import type { MessageOfKind } from '../messages/message.ts';
import type { ChainHandler, ChainMessage } from '../protocol/transport.ts';
import type { ValidatorSet } from '../protocol/validators.ts';
import { stakesOf } from '../protocol/validators.ts';
import { createPeerValidators } from '../validators/peer-validators.ts';
import type { Beacon } from './beacons.ts';
import { defaultNetworkOptions, type NetworkOptions } from './network-flags.ts';
import type { SignedAddress } from './peer-handshake.ts';
import { createPeers, type Peers } from './peers.ts';
import type { PeerSockets } from './socket.ts';
import type { PeerTiming } from './timing.ts';

export type TestIdentity = ReturnType<typeof createTestIdentity>;

export function createTestIdentity() {
  const pair = newKeyPair(1_700_000_000n);
  const signer = blsSigner(newSecret((length) => randomBytes(length)));
  return { ...pair, signer, node: nodeIdOfCertificate(pair.certificate) };
}

export const realTiming: PeerTiming = {
  now: () => performance.now(),
  cpuTime: () => performance.now(),
  unixSeconds: () => BigInt(Math.floor(performance.timeOrigin / 1000 + performance.now() / 1000)),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  soon: (run) => void setImmediate(run),
  randomBytes: (length) => randomBytes(length),
};

export const tlsSocketsOf = (identity: TestIdentity): PeerSockets => openPeerSockets(certificatePem(identity), privateKeyPem(identity));

export const compatibility = {
  version: { name: 'avalanchego', major: 1, minor: 14, patch: 2 },
  minimum: { major: 1, minor: 13, patch: 0 },
  minimumAfterUpgrade: { major: 1, minor: 14, patch: 0 },
  upgradeTime: 1_607_144_400n,
} as const;

/** The first message of a peer on the `local` network. */
export const createTestHandshake = (
  address: SignedAddress,
  change: Partial<MessageOfKind<'handshake'>> = {},
): MessageOfKind<'handshake'> => ({
  kind: 'handshake',
  networkId: 12345,
  myTime: realTiming.unixSeconds(),
  ip: address.ip,
  port: address.port,
  upgradeTime: compatibility.upgradeTime,
  ipSigningTime: address.timestamp,
  ipTlsSignature: address.tlsSignature,
  trackedSubnets: [],
  client: compatibility.version,
  supportedAcps: [],
  objectedAcps: [],
  knownPeers: undefined,
  ipBlsSignature: address.blsSignature,
  allSubnets: false,
  ...change,
});

export type TestPeersOptions = {
  readonly identity?: TestIdentity;
  readonly sockets?: (identity: TestIdentity) => PeerSockets;
  readonly options?: Partial<NetworkOptions>;
  readonly beacons?: readonly Beacon[];
  readonly spareBeacons?: readonly Beacon[];
  readonly timing?: PeerTiming;
  readonly networkId?: number;
  /** Whether peers count as validators; true unless given. */
  readonly haveStake?: boolean;
  /** BLS keys that validators registered. */
  readonly registeredKeys?: ReadonlyMap<NodeId, Uint8Array>;
};

const noStake: ValidatorSet = new Map();

/** The network layer of a node on loopback, without sybil protection, on the `local` network. */
export function createTestPeers(given: TestPeersOptions = {}): Peers & { readonly identity: TestIdentity; readonly log: string[] } {
  const identity = given.identity ?? createTestIdentity();
  const validators = createPeerValidators(identity.node);
  const log: string[] = [];
  const peers = createPeers({
    identity,
    publicIp: Uint8Array.of(127, 0, 0, 1),
    rules: { networkId: given.networkId ?? 12345, compatibility, currentAcps: new Set() },
    options: { ...defaultNetworkOptions, stakingHost: '127.0.0.1', stakingPort: 0, ...given.options },
    sockets: (given.sockets ?? tlsSocketsOf)(identity),
    timing: given.timing ?? realTiming,
    stakes: stakesOf(given.haveStake === false ? () => noStake : validators.current, (node) => given.registeredKeys?.get(node)),
    log: (line) => void log.push(line),
    firstPeers: { dialled: given.beacons ?? [], spare: given.spareBeacons ?? [] },
    sybilProtection: false,
    membership: { add: validators.connected, remove: validators.disconnected },
  });
  return { ...peers, identity, log };
}

/** A chain that records what it gets. */
export function createRecorder() {
  const received: { from: NodeId; message: ChainMessage }[] = [];
  const failures: { from: NodeId; requestId: number; cause: string }[] = [];
  const connected = new Set<NodeId>();
  const handler: ChainHandler = {
    receive: (from, message) => void received.push({ from, message }),
    failed: (from, requestId, _, cause) => void failures.push({ from, requestId, cause }),
    connected: (node) => void connected.add(node),
    disconnected: (node) => void connected.delete(node),
  };
  return { received, failures, connected, handler };
}

export const testChain = 'ab'.repeat(32) as Id;

/** Waits until a condition holds. Returns whether it did in time. */
export async function waitUntil(condition: () => boolean, milliseconds = 10_000): Promise<boolean> {
  const end = performance.now() + milliseconds;
  while (!condition()) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return true;
}
