import type { FlagDefinition, FlagKind } from './flag-definition.ts';

/** A flag that only a joined node has. */
const joined = <K extends FlagKind>(kind: K, help: string) => ({ group: 'Peers', commands: ['join', 'testnet'], kind, help }) as const;

/** AvalancheGo's flag for nodes with peers. Other commands accept it without effect, with a warning. */
const peer = <K extends FlagKind, D extends string>(kind: K, value: D, help: string) =>
  ({ ...joined(kind, help), default: value, isIgnoredElsewhere: true }) as const;

const consensus = <K extends FlagKind, D extends string>(kind: K, value: D, help: string) =>
  ({ ...peer(kind, value, help), group: 'Consensus' }) as const;

const limit = <K extends FlagKind, D extends string>(kind: K, value: D, help: string) =>
  ({ ...peer(kind, value, help), group: 'Limits of peers' }) as const;

/** Flags of nodes with peers: which network of peers is joined, how votes decide, and what peers may use. */
export const peerFlags = {
  'sybil-protection-enabled': peer(
    'boolean',
    'true',
    'validators are those of the P-Chain, by stake, read from --validators-from; =false: this node and every connected peer',
  ),
  'sybil-protection-disabled-weight': peer('integer', '100', 'weight of each node without sybil protection'),
  validators: joined(
    'list',
    'node IDs of the validators of a network without sybil protection, connected or not, so that a part that is cut off decides nothing alone (default: the connected nodes)',
  ),
  'validators-from': joined(
    'urls',
    'trusted nodes of the network that run the P-Chain; they are asked for the validators, and most of them must agree',
  ),
  'bootstrap-ips': peer(
    'list',
    '',
    'addresses of the first peers, IP:PORT (built in for fuji and mainnet); every node of a small network should list all others',
  ),
  'bootstrap-ids': peer('list', '', 'node IDs of --bootstrap-ips, in the same order'),
  'staking-host': joined('text', 'address to listen on for peers; empty: all addresses'),
  'echo-other-chains': {
    ...joined('boolean', ''),
    default: 'false',
    help: 'answer votes on the P- and C-Chain with the block that was asked about, unverified; without answers those chains stop on a small network. For throw-away networks only',
  },
  'dev-methods': {
    ...joined('boolean', ''),
    default: 'false',
    help: 'serve those dev.* methods that a joined node can: accounts with publicly known keys that send, create and mint, dev.blockPeers and dev.delayPeers. For throw-away networks only; serac testnet uses it',
  },
  force: {
    ...joined('boolean', ''),
    default: 'false',
    help: 'join with the key of a validator that has noticeable stake, although Serac does not answer for the P- and C-Chain',
  },

  'bootstrap-ancestors-max-containers-sent': peer('integer', '2000', 'most blocks in one answer to a peer that bootstraps'),
  'bootstrap-ancestors-max-containers-received': peer('integer', '2000', 'most blocks used of one answer while bootstrapping'),
  'bootstrap-max-time-get-ancestors': peer('duration', '50ms', 'longest work on one answer to a peer that bootstraps'),
  'network-maximum-inbound-timeout': peer('duration', '10s', 'longest time that a request of a peer waits for its turn'),

  'network-compression-type': { ...peer('choice', 'zstd', 'compression of messages to peers'), allowed: ['zstd', 'none'] },
  'network-ping-frequency': peer('duration', '22.5s', 'time between two pings of a peer'),
  'network-ping-timeout': peer('duration', '30s', 'time without a message after which a peer is disconnected'),
  'network-read-handshake-timeout': peer('duration', '15s', 'longest time of a TLS handshake'),
  'network-max-clock-difference': peer('duration', '1m', 'most that the clocks of peers may differ'),
  'network-allow-private-ips': {
    ...joined('boolean', 'connect to peers with private addresses (true; false on fuji and mainnet)'),
    isIgnoredElsewhere: true,
  },
  'peer-version': joined(
    'text',
    'version of AvalancheGo that peers are told (1.14.2); raise it when a network has raised its minimum and this program still follows its rules',
  ),
  'network-require-validator-to-connect': peer('boolean', 'false', 'keep connections only if one of the two nodes is a validator'),
  'network-peer-list-num-validator-ips': peer('integer', '15', 'most addresses of peers in one message'),
  'network-peer-list-pull-gossip-frequency': peer('duration', '2s', 'time between two requests for addresses of peers'),
  'network-peer-list-bloom-reset-frequency': peer('duration', '1m', 'time after which the filter of known addresses is rebuilt'),
  'network-initial-reconnect-delay': peer('duration', '1s', 'first wait before a peer is connected again'),
  'network-max-reconnect-delay': peer('duration', '1m', 'longest wait before a peer is connected again'),
  'network-outbound-connection-timeout': peer('duration', '30s', 'longest time to connect to a peer'),
  'network-outbound-connection-throttling-rps': peer('integer', '50', 'most attempts per second to connect to peers'),
  'network-inbound-connection-throttling-cooldown': peer('duration', '10s', 'an address may connect once in this time; 0: no limit'),
  'network-inbound-connection-throttling-max-conns-per-sec': peer('number', '256', 'most connections accepted per second'),
  'network-initial-timeout': peer('duration', '5s', 'time for the response to a request, until responses are measured'),
  'network-minimum-timeout': peer('duration', '2s', 'shortest time for the response to a request'),
  'network-maximum-timeout': peer('duration', '10s', 'longest time for the response to a request'),
  'network-timeout-halflife': peer('duration', '5m', 'half-life of the average response time'),
  'network-timeout-coefficient': peer('number', '2', 'time for a response, as a multiple of the average response time'),
  'benchlist-halflife': peer('duration', '1m', 'half-life of the share of failed requests of a peer'),
  'benchlist-bench-probability': peer('number', '0.5', 'share of failed requests above which a peer is benched: its votes count as failed'),
  'benchlist-unbench-probability': peer('number', '0.2', 'share of failed requests below which a benched peer is asked again'),
  'benchlist-duration': peer('duration', '5m', 'longest time for which a peer is benched'),
  'network-health-min-conn-peers': peer('integer', '1', 'fewest peers of a healthy node'),
  'network-health-max-time-since-msg-received': peer('duration', '1m', 'longest time without a received message of a healthy node'),
  'network-health-max-time-since-msg-sent': peer('duration', '1m', 'longest time without a sent message of a healthy node'),
  'network-health-max-send-fail-rate': peer('number', '0.9', 'largest share of unsent messages of a healthy node'),
  'network-health-max-outstanding-request-duration': peer('duration', '5m', 'longest open request of a healthy node'),
  'network-no-ingress-connections-grace-period': peer('duration', '10m', 'time after which a validator needs connections from others'),
  'router-health-max-outstanding-requests': peer('integer', '1024', 'most open requests of a healthy node'),
  'health-check-averager-halflife': peer('duration', '10s', 'half-life of the share of unsent messages'),
  'uptime-requirement': peer('number', '0.8', 'share of time online that validators are rewarded for'),

  'snow-sample-size': consensus('integer', '20', 'units of weight that one poll samples'),
  'snow-quorum-size': {
    ...joined('integer', 'votes of a poll that change the preference and raise the confidence (15); replaces the next two flags'),
    group: 'Consensus',
    isIgnoredElsewhere: true,
  },
  'snow-preference-quorum-size': consensus('integer', '15', 'votes of a poll that change the preference'),
  'snow-confidence-quorum-size': consensus('integer', '15', 'votes of a poll that raise the confidence'),
  'snow-commit-threshold': consensus('integer', '20', 'successive polls that decide a block'),
  'snow-concurrent-repolls': consensus('integer', '4', 'polls that are open at once while a block is undecided'),
  'snow-optimal-processing': consensus('integer', '10', 'no block is built while this many are undecided'),
  'snow-max-processing': consensus('integer', '256', 'most undecided blocks of a healthy node'),
  'snow-max-time-processing': consensus('duration', '30s', 'longest time of an undecided block of a healthy node'),
  'consensus-frontier-poll-frequency': consensus('duration', '100ms', 'time between two questions for the last blocks of a peer'),

  'throttler-inbound-at-large-alloc-size': limit('integer', '6291456', 'bytes of received messages in memory that all peers share'),
  'throttler-inbound-validator-alloc-size': limit('integer', '33554432', 'bytes of received messages that validators share by stake'),
  'throttler-inbound-node-max-at-large-bytes': limit('integer', '2097152', 'most shared bytes of received messages of one peer'),
  'throttler-inbound-bandwidth-refill-rate': limit('integer', '524288', 'bytes per second that a peer may send'),
  'throttler-inbound-bandwidth-max-burst-size': limit('integer', '2097152', 'bytes that a peer may send at once'),
  'throttler-inbound-cpu-validator-alloc': limit('number', '1', 'share of a core that validators divide by stake'),
  'throttler-inbound-cpu-max-non-validator-usage': limit('number', '0.8', 'used share of a core above which other peers wait'),
  'throttler-inbound-cpu-max-non-validator-node-usage': limit('number', '0.125', 'share of a core that one other peer may use'),
  'throttler-inbound-cpu-max-recheck-delay': limit('duration', '5s', 'longest wait of a peer that used its share of a core'),
  'system-tracker-processing-halflife': limit('duration', '15s', 'half-life of the share of a core that a peer used'),
  'throttler-outbound-at-large-alloc-size': limit('integer', '33554432', 'bytes of unsent messages that all peers share'),
  'throttler-outbound-validator-alloc-size': limit('integer', '33554432', 'bytes of unsent messages that validators share by stake'),
  'throttler-outbound-node-max-at-large-bytes': limit('integer', '2097152', 'most shared bytes of unsent messages of one peer'),
} as const satisfies { readonly [name: string]: FlagDefinition };
