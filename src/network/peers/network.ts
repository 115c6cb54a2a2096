import type { KeyObject } from 'node:crypto';
import { endpointText, remoteText } from '../../base/bytes/ip-address.ts';
import { type NodeId, nodeIdOfCertificate, nodeIdText } from '../../base/bytes/node-id.ts';
import { every } from '../../base/timing/timers.ts';
import { type BlsSigner, isBlsSignature, verifyPossessionSignature } from '../identity/bls.ts';
import type { ChainMessage, HoldBytes } from '../protocol/transport.ts';
import type { RegisteredStakes } from '../protocol/validators.ts';
import { type AddressBook, createAddressBook } from './address-book.ts';
import { createAdmission, createConnectionLimits, createWantedNodes } from './admission.ts';
import { type FirstPeers, sampledFirstPeers } from './beacons.ts';
import { type Connections, createConnections } from './connections.ts';
import { createDelays } from './delayed-socket.ts';
import { createDialer } from './dialer.ts';
import { createCounters, type NetworkCounters } from './network-counters.ts';
import type { NetworkOptions } from './network-flags.ts';
import { createOwnKeyAlert } from './own-key-alert.ts';
import { type Connection, type Peer, type PeerHost, type PeerLog, startPeer } from './peer.ts';
import { createOwnHandshake, type NetworkRules, type SignedAddress, signAddress } from './peer-handshake.ts';
import { createPeerLimits } from './peer-limits.ts';
import type { Endpoint, PeerSocket, PeerSockets, SocketListener } from './socket.ts';
import { type PeerTiming, sample } from './timing.ts';

/** What the connections of a node work with. */
export type PeerNetworkParts = {
  readonly identity: { readonly certificate: Uint8Array; readonly privateKey: KeyObject; readonly signer: BlsSigner };
  /** The address that this node claims, 4 or 16 bytes: `--public-ip`. */
  readonly publicIp: Uint8Array;
  readonly rules: NetworkRules;
  readonly options: NetworkOptions;
  readonly sockets: PeerSockets;
  readonly timing: PeerTiming;
  readonly stakes: RegisteredStakes;
  readonly log: PeerLog;
  /** Connections to these nodes are always wanted. */
  readonly firstPeers: FirstPeers;
  /** Whether validators come from the P-Chain. Without it uptimes are not measured and the network check never fails. */
  readonly sybilProtection: boolean;
};

/** What a network tells of its peers. */
type NetworkEvents = {
  readonly connected: (node: NodeId) => void;
  readonly disconnected: (node: NodeId) => void;
  /** Returns whether the time it took counts for the peer. */
  readonly receive: (node: NodeId, message: ChainMessage, hold?: HoldBytes) => boolean;
};

/** The connections of a node: it listens, dials the nodes that it wants, and decides which connections become peers. AvalancheGo: network/network.go. */
export type PeerNetwork = ReturnType<typeof createPeerNetwork>;

export function createPeerNetwork(parts: PeerNetworkParts, events: NetworkEvents) {
  const { identity, rules, options, sockets, timing, stakes, log } = parts;
  const self = nodeIdOfCertificate(identity.certificate);
  const firstPeers = new Map([...parts.firstPeers.dialled, ...parts.firstPeers.spare].map(({ node, endpoint }) => [node, endpoint]));
  const counters = createCounters();
  const connections = createConnections(options, timing, counters);
  const { isOpen, isConnected, connectingCount, inboundCount, sendFailRate, startedAt, uptimes, send } = connections;
  const limits = createPeerLimits(options, stakes, { isSignature: isBlsSignature, verify: verifyPossessionSignature }, timing);
  const wanted = createWantedNodes(self, firstPeers, options, stakes);
  const { isWanted } = wanted;
  const alert = createOwnKeyAlert(timing, ({ address }) => log(describeOwnKey(self, address), 'warn'));
  let isClosing = false;
  let stopUpkeep = (): void => {};

  const listener = createListener(parts, counters, () => isClosing);
  const dialer = createDialer({
    ...{ sockets, timing, options, log, isWanted, isOpen },
    isCutOff: () => isCutOff([self, ...[...connections.connected()].map(({ node }) => node)], stakes),
    opened: (socket) => admit(socket, false),
  });
  const addresses = createAddressBook({
    self,
    timing,
    options,
    counters,
    isWanted,
    own: listener.ownAddress,
    connected: connections.connected,
    dial: (node, endpoint) => void (isConnected(node) || dialer.track(node, endpoint)),
    foreignClaim: alert.claim,
  });
  const host: PeerHost = {
    ...{ rules, options, timing, stakes, limits, addresses, counters, log },
    ownHandshake: () => createOwnHandshake(rules, listener.ownAddress() as SignedAddress, timing.unixSeconds(), addresses.filter()),
    isRefused: wanted.isRefused,
    uptimeOf: (node) => (parts.sybilProtection && stakes.of(node) > 0n ? uptimes.read(node, timing.now()) : 0),
    onConnected: (peer) => {
      connections.markConnected(peer);
      dialer.stop(peer.node);
      events.connected(peer.node);
      addresses.addConnected(peer);
      log(`connected to ${nodeIdText(peer.node)} at ${endpointText(remoteText(peer.remote.ip), peer.remote.port)}`, 'debug');
    },
    onMessage: events.receive,
    onClosed: (peer) => {
      const state = connections.remove(peer);
      if (state === 'connected') events.disconnected(peer.node);
      if (state !== undefined) dialAfterClose(peer.node, state);
    },
  };
  /** Dials a node again whose connection was closed, if it is wanted: while it was not connected, with the delay reached so far. */
  const dialAfterClose = (node: NodeId, state: 'connecting' | 'connected') => {
    const isDialled = isWanted(node) && !isClosing;
    if (state === 'connecting') return isDialled ? dialer.retry(node) : dialer.stop(node);
    const address = addresses.endpointOf(node) ?? firstPeers.get(node);
    if (isDialled && address !== undefined) dialer.track(node, address);
  };
  const delays = createDelays(timing);
  const start = (connection: Connection): void =>
    connections.add(startPeer(host, { ...connection, socket: delays.wrap(connection.node, connection.socket) }));
  const admit = createAdmission({ self, timing, counters, alert, wanted, isOpen, isClosing: () => isClosing, inboundCount, start });

  /** Listens, signs the address of this node and begins to dial. */
  const listen = async (): Promise<Endpoint> => {
    const endpoint = await listener.open((socket) => void admit(socket, true));
    const own = parts.firstPeers.dialled.find(({ node }) => node === self);
    // If another node is at an address that is listed as this node's, it has the same key.
    if (own !== undefined) sockets.dial(own.endpoint, options.dialTimeout).then((socket) => void admit(socket, false), ignoreError);
    if (isClosing) return endpoint;
    const stopSpare = dialFirstPeers(parts.firstPeers, self, dialer.track, () => [...connections.connected()].length > 0, timing);
    const stopTimers = startUpkeep(connections, addresses, stakes, options, timing);
    stopUpkeep = () => {
      stopSpare();
      stopTimers();
    };
    return endpoint;
  };

  return {
    ...{ self, options, timing, stakes, counters, limits, listen, send },
    ...{ isConnected, connectingCount, inboundCount, sendFailRate, startedAt },
    connectionLimits: listener.limits,
    /** Peers that finished the handshake. */
    peers: (): Peer[] => [...connections.connected()],
    trackedCount: dialer.count,
    passedOnCount: addresses.passedOn,
    knownAddressCount: addresses.count,
    addressFilter: addresses.filterState,
    ownKeySighting: alert.last,
    /** Closes the connections to these nodes and refuses new ones; nodes of an earlier call are free again, and the first peers are dialled. */
    block: (nodes: ReadonlySet<NodeId>): void => {
      wanted.block(nodes);
      for (const peer of connections.all()) if (nodes.has(peer.node)) peer.close('blocked');
      for (const { node, endpoint } of parts.firstPeers.dialled) if (isWanted(node) && !isOpen(node)) dialer.track(node, endpoint);
    },
    delay: delays.set,
    close: async (): Promise<void> => {
      isClosing = true;
      stopUpkeep();
      dialer.close();
      for (const peer of connections.all()) peer.close('shutting down');
      await listener.close();
    },
  };
}

/** Listens for peers, and knows the signed address at which they reach this node. */
function createListener(
  { identity, publicIp, options, sockets, timing, log }: PeerNetworkParts,
  counters: NetworkCounters,
  isClosing: () => boolean,
) {
  const { inboundConnectionsPerSecond: perSecond, inboundCooldown: cooldown } = options;
  const limits = createConnectionLimits({ perSecond, cooldown }, timing.now());
  let listener: SocketListener | undefined;
  let own: SignedAddress | undefined;
  return {
    limits,
    /** Undefined until it is signed. */
    ownAddress: (): SignedAddress | undefined => own,
    open: async (connected: (socket: PeerSocket) => void): Promise<Endpoint> => {
      listener = await sockets.listen({
        host: options.stakingHost,
        port: options.stakingPort,
        handshakeTimeout: options.readHandshakeTimeout,
        mayConnect: (ip) => !isClosing() && own !== undefined && limits.mayConnect(remoteText(ip), timing.now()),
        connected,
        rejected: (ip, reason) => {
          if (ip === undefined) counters.acceptFailed++;
          else counters.tlsRejected++;
          log(`rejected a connection from ${ip ?? 'an unknown address'}: ${reason}`, 'debug');
        },
      });
      const { endpoint } = listener;
      own = await signAddress({ ip: publicIp, port: endpoint.port, timestamp: timing.unixSeconds() }, identity);
      return endpoint;
    },
    close: async (): Promise<void> => listener?.close(),
  };
}

/** Whether these nodes, this one and its peers, have less than the three quarters of the stake that a poll needs, or this one has no peers. */
const isCutOff = (nodes: readonly NodeId[], stakes: Pick<RegisteredStakes, 'of' | 'total'>): boolean =>
  nodes.length === 1 || 4n * nodes.reduce((sum, node) => sum + stakes.of(node), 0n) < 3n * stakes.total();

/** Milliseconds without any peer after which the next spare first peers are dialled. AvalancheGo's default of `--bootstrap-beacon-connection-timeout` is a minute. */
const sparePatience = 30_000;

/** Dials the first peers; while there is no peer, also the spare ones, a few at a time. Returns a function that stops it. */
function dialFirstPeers(
  { dialled, spare }: FirstPeers,
  self: NodeId,
  dial: (node: NodeId, endpoint: Endpoint) => void,
  hasPeers: () => boolean,
  timing: PeerTiming,
): () => void {
  for (const { node, endpoint } of dialled) if (node !== self) dial(node, endpoint);
  const rest = spare.filter(({ node }) => node !== self);
  let cancel = (): void => {};
  const wait = (): void => {
    if (rest.length > 0) cancel = timing.after(sparePatience, dialSpare);
  };
  const dialSpare = (): void => {
    if (!hasPeers()) for (const { node, endpoint } of rest.splice(0, sampledFirstPeers)) dial(node, endpoint);
    wait();
  };
  wait();
  return () => cancel();
}

/** What a network does from time to time: pings and timeouts, asking for addresses, forgetting. Returns a function that stops it. */
function startUpkeep(
  connections: Connections,
  addresses: AddressBook,
  stakes: RegisteredStakes,
  options: NetworkOptions,
  timing: PeerTiming,
): () => void {
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

const ignoreError = (): void => {};

const describeOwnKey = (self: NodeId, address: string): string =>
  `another node with this node's staking key (${nodeIdText(self)}) is at ${address}; stop one of them or give it another key`;
