import { type NodeId, nodeIdOfCertificate, nodeIdText } from '../../base/bytes/node-id.ts';
import { CertificateError, certificatePublicKey } from '../identity/parse-certificate.ts';
import { type Averager, createAverager } from '../protocol/averager.ts';
import type { ChainMessage } from '../protocol/transport.ts';
import { createAddressBook } from './address-book.ts';
import { type BlsFunctions, createBlsChecks } from './bls-checks.ts';
import { createByteBudget } from './byte-budget.ts';
import { createConnectionLimits } from './connection-limits.ts';
import { type CloseReason, createCounters, increment } from './counters.ts';
import { createCpuShares } from './cpu-share.ts';
import { createDialer } from './dialer.ts';
import type { EncodedMessage } from './encoded-message.ts';
import { endpointText, remoteText } from './ip-address.ts';
import type { NetworkOptions } from './network-flags.ts';
import type { SignedAddress } from './own-address.ts';
import { createOwnKeyAlert } from './own-key-alert.ts';
import { startPeer } from './peer.ts';
import type { Compatibility, Peer, PeerContext, PeerLog } from './peer-context.ts';
import type { Endpoint, PeerSocket, PeerSockets, SocketListener } from './socket.ts';
import type { RegisteredStakes } from './stake.ts';
import { type PeerTiming, sample } from './timing.ts';
import { createUptimeMeter } from './uptime-meter.ts';

/** Inbound connections beyond this many are closed, unless the node is wanted. AvalancheGo's limit is `--fd-limit`. */
const maxInboundPeers = 2048;

/** How long a connection of this node to itself stays open. Milliseconds. */
const selfCloseDelay = 1000;

export type NetworkDeps = {
  readonly certificate: Uint8Array;
  readonly networkId: number;
  readonly compatibility: Compatibility;
  readonly currentAcps: ReadonlySet<number>;
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
  /** Signs the address of this node when the port is known. */
  readonly signAddress: (port: number) => Promise<SignedAddress>;
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
  const self = nodeIdOfCertificate(deps.certificate);
  const start = timing.now();
  const counters = createCounters();
  const connecting = new Map<NodeId, Peer>();
  const connected = new Map<NodeId, Peer>();
  const beacons = new Set(deps.beacons.map(({ node }) => node));
  const limits = createConnectionLimits({ perSecond: options.inboundConnectionsPerSecond, cooldown: options.inboundCooldown }, start);
  const uptimes = createUptimeMeter(start);
  const sendFailures: Averager = createAverager(0, options.sendFailHalfLife, start);
  const alert = createOwnKeyAlert(timing, ({ address }) =>
    log(
      `another node with this node's staking key (${nodeIdText(self)}) is at ${address}; stop one of them or give it another key`,
      'warn',
    ),
  );
  let inboundPeers = 0;
  let own: SignedAddress | undefined;
  let listener: SocketListener | undefined;
  let isClosing = false;
  const cancels = new Set<() => void>();

  const isWanted = (node: NodeId): boolean => node !== self && (beacons.has(node) || stakes.of(node) > 0n);
  const isOpen = (node: NodeId): boolean => connecting.has(node) || connected.has(node);
  const budgetOf = (atLarge: number, nodeAtLarge: number, validators: number) =>
    createByteBudget({ atLarge, nodeAtLarge, validators }, stakes);

  const dialer = createDialer({
    sockets: deps.sockets,
    timing,
    options,
    log,
    isWanted,
    isOpen,
    opened: (socket) => admit(socket, false),
  });
  const addresses = createAddressBook({
    self,
    timing,
    options,
    counters,
    isWanted,
    own: () => own,
    connected: () => connected.values(),
    dial: (node, endpoint) => void (connected.has(node) || dialer.track(node, endpoint)),
    foreignClaim: alert.claim,
  });

  const context: PeerContext = {
    self,
    networkId: deps.networkId,
    compatibility: deps.compatibility,
    currentAcps: deps.currentAcps,
    options,
    timing,
    stakes,
    blsChecks: createBlsChecks(deps.bls, timing),
    inbound: budgetOf(options.inboundAtLargeBytes, options.inboundNodeBytes, options.inboundValidatorBytes),
    outbound: budgetOf(options.outboundAtLargeBytes, options.outboundNodeBytes, options.outboundValidatorBytes),
    cpu: createCpuShares(
      {
        validators: options.cpuValidators,
        others: options.cpuOthers,
        otherNode: options.cpuOtherNode,
        halfLife: options.cpuHalfLife,
        recheckDelay: options.cpuRecheckDelay,
      },
      stakes,
      start,
    ),
    counters,
    log,
    ownHandshake: () => {
      const { ip, port, timestamp, tlsSignature, blsSignature } = own as SignedAddress;
      const { version, upgradeTime } = deps.compatibility;
      return {
        kind: 'handshake',
        networkId: deps.networkId,
        myTime: timing.unixSeconds(),
        ip,
        port,
        upgradeTime,
        ipSigningTime: timestamp,
        ipTlsSignature: tlsSignature,
        trackedSubnets: [],
        client: version,
        supportedAcps: [],
        objectedAcps: [],
        knownPeers: addresses.filter(),
        ipBlsSignature: blsSignature,
        allSubnets: false,
      };
    },
    ownFilter: addresses.filter,
    claimsFor: addresses.claimsFor,
    learn: addresses.learn,
    isWanted,
    uptimeOf: (node) => (deps.sybilProtection && stakes.of(node) > 0n ? uptimes.read(node, timing.now()) : 0),
    connected: (peer) => {
      connecting.delete(peer.node);
      connected.set(peer.node, peer);
      dialer.stop(peer.node);
      counters.timesConnected++;
      uptimes.connected(peer.node, timing.now());
      deps.events.connected(peer.node);
      addresses.addConnected(peer);
      log(`connected to ${nodeIdText(peer.node)} at ${endpointText(remoteText(peer.remote.ip), peer.remote.port)}`, 'debug');
    },
    receive: deps.events.receive,
    closed: (peer) => {
      if (peer.isInbound) inboundPeers--;
      counters.timesDisconnected++;
      if (connecting.get(peer.node) === peer) {
        connecting.delete(peer.node);
        if (isWanted(peer.node) && !isClosing) dialer.retry(peer.node);
        else dialer.stop(peer.node);
      }
      if (connected.get(peer.node) !== peer) return;
      connected.delete(peer.node);
      uptimes.disconnected(peer.node, timing.now());
      deps.events.disconnected(peer.node);
      if (isClosing || !isWanted(peer.node)) return;
      const address = addresses.endpointOf(peer.node) ?? deps.beacons.find(({ node }) => node === peer.node)?.endpoint;
      if (address !== undefined) dialer.track(peer.node, address);
    },
  };

  const reject = (socket: PeerSocket, reason: CloseReason): undefined => {
    increment(counters.closed, reason);
    socket.close();
  };

  /** Makes a connection a peer, or closes it. Returns the node at its other end. */
  const admit = (socket: PeerSocket, isInbound: boolean): NodeId | undefined => {
    const { certificate } = socket;
    if (certificate === undefined) return reject(socket, 'no certificate');
    if (!isStakingCertificate(certificate)) {
      counters.tlsRejected++;
      return reject(socket, 'bad certificate');
    }
    const node = nodeIdOfCertificate(certificate);
    const refuse = (reason: CloseReason): NodeId => {
      reject(socket, reason);
      return node;
    };
    if (node === self) {
      alert.connection(socket.channelId, endpointText(remoteText(socket.remote.ip), socket.remote.port));
      // The other end must finish its TLS handshake to be recognised.
      increment(counters.closed, 'self');
      timing.after(selfCloseDelay, socket.close);
      return node;
    }
    if (isClosing) return refuse('shutting down');
    if (options.requireValidator && !isWanted(node) && stakes.of(self) === 0n) return refuse('not wanted');
    if (isOpen(node)) return refuse('duplicate');
    if (isInbound && inboundPeers >= maxInboundPeers && !isWanted(node)) return refuse('too many peers');
    if (isInbound) inboundPeers++;
    connecting.set(node, startPeer(context, socket, node, certificate, isInbound));
    return node;
  };

  /** Connects once to an address that a list names as this node's: if another node is there, it has the same key. */
  const dialOwnId = (endpoint: Endpoint): void =>
    void deps.sockets.dial(endpoint, options.dialTimeout).then(
      (socket) => void admit(socket, false),
      () => {},
    );

  const repeat = (milliseconds: number, run: () => void): void => {
    const cancel = timing.after(milliseconds, () => {
      cancels.delete(cancel);
      if (isClosing) return;
      run();
      repeat(milliseconds, run);
    });
    cancels.add(cancel);
  };

  const pullAddresses = (): void => {
    const validators = [...connected.values()].filter(({ node }) => stakes.of(node) > 0n);
    for (const peer of sample(validators, 1, timing)) peer.requestAddresses();
  };

  return {
    self,
    options,
    counters,
    limits,
    context,
    uptimes,
    /** Listens, signs the address of this node and begins to dial. */
    listen: async (): Promise<Endpoint> => {
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
      own = await deps.signAddress(listener.endpoint.port);
      for (const { node, endpoint } of deps.beacons) node === self ? dialOwnId(endpoint) : dialer.track(node, endpoint);
      repeat(Math.min(1000, Math.max(10, options.pingFrequency / 8)), () => {
        const now = timing.now();
        for (const peer of [...connecting.values(), ...connected.values()]) peer.tick(now);
      });
      repeat(options.peerListFrequency, pullAddresses);
      repeat(options.bloomResetFrequency, () => {
        addresses.reset();
        uptimes.prune((node) => stakes.of(node) > 0n);
      });
      return listener.endpoint;
    },
    /** Sends a message to connected nodes. Returns those whose queue took it. */
    send: (message: EncodedMessage, nodes: readonly NodeId[]): NodeId[] => {
      const now = timing.now();
      return nodes.filter((node) => {
        const peer = connected.get(node);
        if (peer === undefined) {
          increment(counters.failedToSend, message.kind);
          return false;
        }
        const isSent = peer.send(message);
        sendFailures.observe(isSent ? 0 : 1, now);
        return isSent;
      });
    },
    isConnected: (node: NodeId): boolean => connected.has(node),
    /** Peers that finished the handshake. */
    peers: (): Peer[] => [...connected.values()],
    connectingCount: (): number => connecting.size,
    trackedCount: (): number => dialer.count(),
    passedOnCount: (): number => addresses.passedOn(),
    knownAddressCount: (): number => addresses.count(),
    addressFilter: addresses.filterState,
    inboundCount: (): number => inboundPeers,
    sendFailRate: (): number => sendFailures.read(),
    startedAt: start,
    ownKeySighting: alert.last,
    /** How many of the bootstrap nodes are connected, and how many are enough. AvalancheGo: node/beacon_manager.go. */
    beaconState: () => ({
      connected: [...beacons].filter((node) => connected.has(node)).length,
      required: beacons.size === 0 ? 0 : Math.floor((3 * beacons.size + 3) / 4),
    }),
    close: async (): Promise<void> => {
      isClosing = true;
      for (const cancel of cancels) cancel();
      dialer.close();
      for (const peer of [...connecting.values(), ...connected.values()]) peer.close('shutting down');
      await listener?.close();
    },
  };
}

function isStakingCertificate(certificate: Uint8Array): boolean {
  try {
    certificatePublicKey(certificate);
    return true;
  } catch (error) {
    if (error instanceof CertificateError) return false;
    throw error;
  }
}
