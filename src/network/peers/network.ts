import { type NodeId, nodeIdOfCertificate, nodeIdText } from '../../base/bytes/node-id.ts';
import { createAddressBook } from './address-book.ts';
import { type Admit, createAdmission } from './admission.ts';
import type { BlsFunctions } from './bls-checks.ts';
import { createConnectionLimits } from './connection-limits.ts';
import { type Connections, createConnections } from './connections.ts';
import { createCounters } from './counters.ts';
import { createDialer } from './dialer.ts';
import type { NetworkOptions } from './network-flags.ts';
import { startUpkeep } from './network-upkeep.ts';
import type { SignedAddress } from './own-address.ts';
import { createOwnHandshake } from './own-handshake.ts';
import { createOwnKeyAlert } from './own-key-alert.ts';
import { startPeer } from './peer.ts';
import { type Beacon, createPeerChanges, type NetworkEvents } from './peer-changes.ts';
import type { NetworkRules, Peer, PeerContext, PeerLog } from './peer-context.ts';
import { createPeerLimits } from './peer-limits.ts';
import { createPeerListener } from './peer-listener.ts';
import type { Endpoint, PeerSockets } from './socket.ts';
import type { RegisteredStakes } from './stake.ts';
import type { PeerTiming } from './timing.ts';
import { createWantedNodes } from './wanted-nodes.ts';

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

/** The connections of a node. AvalancheGo: network/network.go. */
export type PeerNetwork = ReturnType<typeof createPeerNetwork>;

export function createPeerNetwork(deps: NetworkDeps) {
  const { options, timing, stakes, log } = deps;
  const self = nodeIdOfCertificate(deps.own.certificate);
  const counters = createCounters();
  const connections = createConnections(options, timing, counters);
  const beacons = new Set(deps.beacons.map(({ node }) => node));
  const { inboundConnectionsPerSecond: perSecond, inboundCooldown: cooldown } = options;
  const limits = createConnectionLimits({ perSecond, cooldown }, connections.startedAt);
  const alert = createOwnKeyAlert(timing, ({ address }) => log(describeOwnKey(self, address), 'warn'));
  let isClosing = false;
  let stopUpkeep = (): void => {};
  const wanted = createWantedNodes(self, beacons, options, stakes);
  const { isWanted } = wanted;
  const { isOpen, isConnected } = connections;

  const dialer = createDialer({ sockets: deps.sockets, timing, options, log, isWanted, isOpen, opened: (socket) => admit(socket, false) });
  const addresses = createAddressBook({
    self,
    timing,
    options,
    counters,
    isWanted,
    own: () => ownAddress(),
    connected: connections.connected,
    dial: (node, endpoint) => void (isConnected(node) || dialer.track(node, endpoint)),
    foreignClaim: alert.claim,
  });

  const changes = createPeerChanges({
    ...{ connections, dialer, addresses, isWanted, log },
    events: deps.events,
    beacons: deps.beacons,
    isClosing: () => isClosing,
  });
  const ownAddress = () => listener.ownAddress();
  const context = createContext(deps, { counters, connections, addresses, wanted, changes, ownAddress });

  const admit: Admit = createAdmission({
    ...wanted,
    self,
    timing,
    counters,
    alert,
    isOpen,
    isClosing: () => isClosing,
    inboundCount: connections.inboundCount,
    start: (...connection) => connections.add(startPeer(context, ...connection)),
  });

  const listener = createPeerListener({
    ...{ options, timing, limits, counters, log },
    sockets: deps.sockets,
    signAddress: deps.own.signAddress,
    connected: (socket) => void admit(socket, true),
    isClosing: () => isClosing,
  });

  /** Listens, signs the address of this node and begins to dial. */
  const listen = async (): Promise<Endpoint> => {
    const endpoint = await listener.open();
    for (const beacon of deps.beacons)
      if (beacon.node !== self) dialer.track(beacon.node, beacon.endpoint);
      // If another node is at an address that is listed as this node's, it has the same key.
      else
        deps.sockets.dial(beacon.endpoint, options.dialTimeout).then(
          (socket) => void admit(socket, false),
          () => {},
        );
    if (!isClosing) stopUpkeep = startUpkeep({ connections, addresses, stakes, options, timing });
    return endpoint;
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
      wanted.block(nodes);
      for (const peer of connections.all()) if (nodes.has(peer.node)) peer.close('blocked');
      for (const { node, endpoint } of deps.beacons) if (isWanted(node) && !isOpen(node)) dialer.track(node, endpoint);
    },
    /** How many of the bootstrap nodes are connected, and how many are enough. AvalancheGo: node/beacon_manager.go. */
    beaconState: () => ({ connected: [...beacons].filter(isConnected).length, required: requiredBeacons(beacons.size) }),
    close: async (): Promise<void> => {
      isClosing = true;
      stopUpkeep();
      dialer.close();
      for (const peer of connections.all()) peer.close('shutting down');
      await listener.close();
    },
  };
}

type ContextParts = Pick<PeerContext, 'counters' | 'addresses'> & {
  readonly connections: Pick<Connections, 'uptimes'>;
  readonly wanted: ReturnType<typeof createWantedNodes>;
  readonly changes: ReturnType<typeof createPeerChanges>;
  readonly ownAddress: () => SignedAddress | undefined;
};

function createContext(deps: NetworkDeps, { counters, addresses, connections, wanted, changes, ownAddress }: ContextParts): PeerContext {
  const { rules, options, timing, stakes, log } = deps;
  return {
    ...{ rules, options, timing, stakes, addresses, counters, log },
    limits: createPeerLimits(options, stakes, deps.bls, timing),
    ownHandshake: () => createOwnHandshake(rules, ownAddress() as SignedAddress, timing.unixSeconds(), addresses.filter()),
    standing: {
      isRefused: (node) => wanted.requiresWanted() && !wanted.isWanted(node),
      uptimeOf: (node) => (deps.sybilProtection && stakes.of(node) > 0n ? connections.uptimes.read(node, timing.now()) : 0),
    },
    events: { ...changes, receive: deps.events.receive },
  };
}

const requiredBeacons = (count: number): number => (count === 0 ? 0 : Math.floor((3 * count + 3) / 4));

const describeOwnKey = (self: NodeId, address: string): string =>
  `another node with this node's staking key (${nodeIdText(self)}) is at ${address}; stop one of them or give it another key`;
