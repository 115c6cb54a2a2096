import { type NodeId, nodeIdOfCertificate, nodeIdText } from '../../base/bytes/node-id.ts';
import { every } from '../../base/timing/timers.ts';
import type { MessageOfKind } from '../messages/message.ts';
import type { ChainMessage } from '../protocol/transport.ts';
import { createAddressBook } from './address-book.ts';
import { type Admit, createAdmission } from './admission.ts';
import type { BlsFunctions } from './bls-checks.ts';
import { createConnectionLimits } from './connection-limits.ts';
import { createConnections } from './connections.ts';
import { createCounters } from './counters.ts';
import { createDialer } from './dialer.ts';
import { endpointText, remoteText } from './ip-address.ts';
import type { NetworkOptions } from './network-flags.ts';
import type { SignedAddress } from './own-address.ts';
import { createOwnKeyAlert } from './own-key-alert.ts';
import { startPeer } from './peer.ts';
import type { NetworkRules, Peer, PeerContext, PeerLog } from './peer-context.ts';
import { createPeerLimits } from './peer-limits.ts';
import type { Endpoint, PeerSockets, SocketListener } from './socket.ts';
import type { RegisteredStakes } from './stake.ts';
import { type PeerTiming, sample } from './timing.ts';

export type NetworkDeps = {
  readonly own: {
    readonly certificate: Uint8Array;
    /** Signs the address of this node when the port is known. */
    readonly signAddress: (port: number) => Promise<SignedAddress>;
  };
  readonly rules: NetworkRules;
  readonly options: NetworkOptions;
  readonly sockets: PeerSockets;
  readonly timing: PeerTiming;
  readonly stakes: RegisteredStakes;
  readonly bls: BlsFunctions;
  readonly log: PeerLog;
  /** `--bootstrap-ids` and `--bootstrap-ips`: connections to these nodes are always wanted. */
  readonly beacons: readonly Beacon[];
  /** Whether validators come from the P-Chain. Without it uptimes are not measured and the network check never fails. */
  readonly sybilProtection: boolean;
  /** Called before and after a peer takes part. */
  readonly events: NetworkEvents;
};

export type Beacon = { readonly node: NodeId; readonly endpoint: Endpoint };

type NetworkEvents = {
  readonly connected: (node: NodeId) => void;
  readonly disconnected: (node: NodeId) => void;
  /** Returns whether the time it took counts for the peer. */
  readonly receive: (node: NodeId, message: ChainMessage) => boolean;
};

/** The connections of a node. AvalancheGo: network/network.go. */
export type PeerNetwork = ReturnType<typeof createPeerNetwork>;

export function createPeerNetwork(deps: NetworkDeps) {
  const { options, timing, stakes, log } = deps;
  const self = nodeIdOfCertificate(deps.own.certificate);
  const counters = createCounters();
  const connections = createConnections(options, timing, counters);
  const beacons = new Set(deps.beacons.map(({ node }) => node));
  const limits = createConnectionLimits(
    { perSecond: options.inboundConnectionsPerSecond, cooldown: options.inboundCooldown },
    connections.startedAt,
  );
  const alert = createOwnKeyAlert(timing, ({ address }) =>
    log(
      `another node with this node's staking key (${nodeIdText(self)}) is at ${address}; stop one of them or give it another key`,
      'warn',
    ),
  );
  let own: SignedAddress | undefined;
  let listener: SocketListener | undefined;
  let isClosing = false;
  const cancels: (() => void)[] = [];
  /** Nodes that this one is cut off from, to try a partition. */
  let blocked: ReadonlySet<NodeId> = new Set();

  const isWanted = (node: NodeId): boolean => node !== self && !blocked.has(node) && (beacons.has(node) || stakes.of(node) > 0n);
  const requiresWanted = (): boolean => options.requireValidator && stakes.of(self) === 0n;
  const { isOpen, isConnected } = connections;

  const dialer = createDialer({ sockets: deps.sockets, timing, options, log, isWanted, isOpen, opened: (socket) => admit(socket, false) });
  const addresses = createAddressBook({
    self,
    timing,
    options,
    counters,
    isWanted,
    own: () => own,
    connected: connections.connected,
    dial: (node, endpoint) => void (isConnected(node) || dialer.track(node, endpoint)),
    foreignClaim: alert.claim,
  });

  const onConnected = (peer: Peer): void => {
    connections.markConnected(peer);
    dialer.stop(peer.node);
    deps.events.connected(peer.node);
    addresses.addConnected(peer);
    log(`connected to ${nodeIdText(peer.node)} at ${endpointText(remoteText(peer.remote.ip), peer.remote.port)}`, 'debug');
  };
  const onClosed = (peer: Peer): void => {
    const { node } = peer;
    const was = connections.remove(peer);
    if (was === 'connecting') {
      if (isWanted(node) && !isClosing) dialer.retry(node);
      else dialer.stop(node);
    }
    if (was !== 'connected') return;
    deps.events.disconnected(node);
    if (isClosing || !isWanted(node)) return;
    const address = addresses.endpointOf(node) ?? deps.beacons.find((beacon) => beacon.node === node)?.endpoint;
    if (address !== undefined) dialer.track(node, address);
  };

  const context: PeerContext = {
    rules: deps.rules,
    options,
    timing,
    stakes,
    limits: createPeerLimits(options, stakes, deps.bls, timing),
    addresses,
    counters,
    log,
    ownHandshake: () => createOwnHandshake(deps.rules, own as SignedAddress, timing.unixSeconds(), addresses.filter()),
    standing: {
      isRefused: (node) => requiresWanted() && !isWanted(node),
      uptimeOf: (node) => (deps.sybilProtection && stakes.of(node) > 0n ? connections.uptimes.read(node, timing.now()) : 0),
    },
    events: { connected: onConnected, receive: deps.events.receive, closed: onClosed },
  };

  const admit: Admit = createAdmission({
    self,
    timing,
    counters,
    alert,
    isWanted,
    requiresWanted,
    isBlocked: (node) => blocked.has(node),
    isOpen,
    isClosing: () => isClosing,
    inboundCount: connections.inboundCount,
    start: (...connection) => connections.add(startPeer(context, ...connection)),
  });

  /** Connects once to an address that a list names as this node's: if another node is there, it has the same key. */
  const dialOwnId = (endpoint: Endpoint): void =>
    void deps.sockets.dial(endpoint, options.dialTimeout).then(
      (socket) => void admit(socket, false),
      () => {},
    );

  const pullAddresses = (): void => {
    const validators = [...connections.connected()].filter(({ node }) => stakes.of(node) > 0n);
    for (const peer of sample(validators, 1, timing)) peer.requestAddresses();
  };

  /** Listens, signs the address of this node and begins to dial. */
  const listen = async (): Promise<Endpoint> => {
    listener = await deps.sockets.listen({
      host: options.stakingHost,
      port: options.stakingPort,
      handshakeTimeout: options.readHandshakeTimeout,
      mayConnect: (ip) => !isClosing && own !== undefined && limits.mayConnect(remoteText(ip), timing.now()),
      connected: (socket) => void admit(socket, true),
      rejected: (ip, reason) => {
        if (ip === undefined) counters.acceptFailed++;
        else counters.tlsRejected++;
        log(`rejected a connection from ${ip ?? 'an unknown address'}: ${reason}`, 'debug');
      },
    });
    own = await deps.own.signAddress(listener.endpoint.port);
    for (const { node, endpoint } of deps.beacons) node === self ? dialOwnId(endpoint) : dialer.track(node, endpoint);
    const tick = (): void => {
      const now = timing.now();
      for (const peer of connections.all()) peer.tick(now);
    };
    const forget = (): void => {
      addresses.reset();
      connections.uptimes.prune((node) => stakes.of(node) > 0n);
    };
    if (isClosing) return listener.endpoint;
    cancels.push(
      every(timing, Math.min(1000, Math.max(10, options.pingFrequency / 8)), tick),
      every(timing, options.peerListFrequency, pullAddresses),
      every(timing, options.bloomResetFrequency, forget),
    );
    return listener.endpoint;
  };

  const { uptimes, connectingCount, inboundCount, sendFailRate, startedAt, send } = connections;
  return {
    ...{ self, options, counters, limits, context, uptimes, listen, send },
    ...{ isConnected, connectingCount, inboundCount, sendFailRate, startedAt },
    /** Peers that finished the handshake. */
    peers: (): Peer[] => [...connections.connected()],
    trackedCount: (): number => dialer.count(),
    passedOnCount: (): number => addresses.passedOn(),
    knownAddressCount: (): number => addresses.count(),
    addressFilter: addresses.filterState,
    ownKeySighting: alert.last,
    /** Closes the connections to these nodes and refuses new ones; nodes of an earlier call are free again, and the first peers are dialled. */
    block: (nodes: ReadonlySet<NodeId>): void => {
      blocked = nodes;
      for (const peer of connections.all()) if (blocked.has(peer.node)) peer.close('blocked');
      for (const { node, endpoint } of deps.beacons) if (isWanted(node) && !isOpen(node)) dialer.track(node, endpoint);
    },
    /** How many of the bootstrap nodes are connected, and how many are enough. AvalancheGo: node/beacon_manager.go. */
    beaconState: () => ({
      connected: [...beacons].filter(isConnected).length,
      required: beacons.size === 0 ? 0 : Math.floor((3 * beacons.size + 3) / 4),
    }),
    close: async (): Promise<void> => {
      isClosing = true;
      for (const cancel of cancels) cancel();
      dialer.close();
      for (const peer of connections.all()) peer.close('shutting down');
      await listener?.close();
    },
  };
}

const createOwnHandshake = (
  { networkId, compatibility: { version, upgradeTime } }: NetworkRules,
  { ip, port, timestamp, tlsSignature, blsSignature }: SignedAddress,
  myTime: bigint,
  knownPeers: MessageOfKind<'handshake'>['knownPeers'],
): MessageOfKind<'handshake'> => ({
  kind: 'handshake',
  networkId,
  myTime,
  ip,
  port,
  upgradeTime,
  ipSigningTime: timestamp,
  ipTlsSignature: tlsSignature,
  trackedSubnets: [],
  client: version,
  supportedAcps: [],
  objectedAcps: [],
  knownPeers,
  ipBlsSignature: blsSignature,
  allSubnets: false,
});
