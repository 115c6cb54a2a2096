import type { ResourceRow } from './resource-table.ts';

/** What other nodes can make a joined node hold. */
export const peerResources: readonly ResourceRow[] = [
  {
    resource: 'connections of peers',
    limit:
      '{network/peers/admission.ts#maxInboundPeers} inbound; new ones: `--network-inbound-connection-throttling-max-conns-per-sec`, and one per IP address in each `--network-inbound-connection-throttling-cooldown`',
    over: 'closed before the TLS handshake',
    seen: 'serac_peers_closed_total',
    test: 'test/peers-hostile.test.ts',
    holds: [
      'app/platform/node/peer-sockets.ts open',
      'network/peers/admission.ts recent',
      'network/peers/connections.ts connecting connected',
      'network/peers/router.ts handlers connected',
      'network/peers/cpu-share.ts meters',
      'network/peers/own-key-alert.ts ends',
      'network/peers/read-gate.ts entries',
      'network/bootstrap/peer-tracker.ts bandwidths busy',
      'network/gossip/pull-server.ts hits',
    ],
  },
  {
    resource: 'bytes of messages that arrive and leave',
    limit:
      '{network/messages/message.ts#maxMessageSize} a message; `--throttler-inbound-*` and `--throttler-outbound-*` in total and per peer; {network/peers/outbound-queue.ts#maxInFlight} bytes in a socket',
    over: 'reading pauses; messages to a peer that does not read are dropped, then its connection is closed',
    seen: 'serac_peers_closed_total',
    test: 'src/network/peers/limits.test.ts',
    holds: [
      'app/platform/bun/peer-sockets.ts unwritten early',
      'network/peers/byte-budget.ts used waiters',
      'network/peers/outbound-queue.ts queue inFlight',
      'network/peers/delayed-socket.ts waitingWrites peerDelays',
      'network/consensus/mailbox.ts items',
    ],
  },
  {
    resource: 'bytes from peers without stake that have arrived and are not handled',
    limit:
      '{network/peers/read-gate.ts#maxUnreadBytes} in total, plus what one socket delivers at once; {network/peers/shared-bandwidth.ts#bandwidthWithoutStake.perSecond} a second in total, bursts of {network/peers/shared-bandwidth.ts#bandwidthWithoutStake.burst}',
    over: 'reading pauses, and the peer that sent least is read first; after {network/peers/read-gate.ts#maxFullTime.first ms} at the limit the peer with the most bytes is closed',
    seen: 'serac_peers_unread_bytes',
    test: 'src/network/peers/inbound-stream.test.ts',
    holds: ['network/peers/shared-bandwidth.ts waiters'],
  },
  {
    resource: 'known addresses, and validators that are dialled',
    limit: 'those of validators and of the nodes that flags name',
    over: 'other addresses are not stored',
    seen: 'avalanche_network_tracked_peers',
    test: 'src/network/peers/addresses.test.ts',
    holds: [
      'network/peers/address-book.ts addresses additions',
      'network/peers/dialer.ts targets',
      'network/peers/connections.ts uptimes',
      'network/protocol/bench-list.ts failures deadlines lists chainsOf',
      'network/consensus/connected-validators.ts peers',
      'network/consensus/accepted-frontiers.ts frontiers heard',
      'network/peers/router.ts chains',
    ],
  },
  {
    resource: 'requests to peers that wait for an answer',
    limit: 'what consensus and bootstrapping ask at a time; `--network-maximum-timeout` each',
    over: 'a request without an answer in time counts as failed',
    seen: 'avalanche_requests_outstanding',
    test: 'src/network/protocol/request-tracker.test.ts',
    holds: [
      'network/protocol/request-tracker.ts entries',
      'network/peers/outstanding-requests.ts failedEarly',
      'network/consensus/poller.ts frontierAsks',
      'network/bootstrap/requester.ts open',
      'network/bootstrap/bootstrapper.ts fetches',
    ],
  },
  {
    resource: 'requests of peers that wait to be answered',
    limit:
      '{network/consensus/request-server.ts#limits.perPeer.count} requests and {network/consensus/request-server.ts#limits.perPeer.bytes} per peer, {network/consensus/request-server.ts#limits.withoutStake.bytes} for all peers without stake, {network/consensus/request-server.ts#limits.all.bytes} in total; a message counts until it is answered',
    over: 'dropped',
    seen: 'avalanche_network_byte_throttler_inbound_awaiting_release',
    test: 'src/network/consensus/request-server.test.ts',
    holds: ['network/consensus/request-server.ts queues'],
  },
  {
    resource: 'blocks that wait for their parents, and requests for them',
    limit:
      '{network/consensus/engine-parameters.ts#engineLimits.pendingBlocks.all.count} blocks and {network/consensus/engine-parameters.ts#engineLimits.pendingBlocks.all.bytes}, at most half of them from peers without stake; {network/consensus/engine-parameters.ts#engineLimits.unverifiedBytes} of blocks that could not be verified; {network/consensus/engine-parameters.ts#engineLimits.blockRequests.all.count} requests, {network/consensus/engine-parameters.ts#engineLimits.blockRequests.perPeer.count} to one peer, {network/consensus/engine-parameters.ts#engineLimits.blockRequests.withoutStake.count} to all peers without stake; {network/consensus/unissued-blocks.ts#maxPauses} refused blocks are remembered, each with the time of the next attempt',
    over: 'the block is dropped, and requested again when a vote names it, a refused block after its pause',
    seen: 'avalanche_snowman_blocked',
    test: 'src/network/consensus/engine-limits.test.ts',
    holds: [
      'network/consensus/block-issuer.ts preverifying jobsOf resolved',
      'network/consensus/unissued-blocks.ts byBlock byNode entries',
    ],
  },
  {
    resource: 'queries of peers that wait',
    limit:
      '{network/consensus/engine-parameters.ts#engineLimits.queries.perPeer.count} per peer, {network/consensus/engine-parameters.ts#engineLimits.queries.withoutStake.bytes} for all peers without stake, {network/consensus/engine-parameters.ts#engineLimits.queries.all.bytes} in total',
    over: 'the query is answered at once with the preferred block of this node, and the block that it names is dropped',
    seen: 'avalanche_network_byte_throttler_inbound_awaiting_release',
    test: 'src/network/consensus/engine-limits.test.ts',
    holds: ['network/consensus/queue-limit.ts perPeer open'],
  },
  {
    resource: 'blocks that consensus processes, and its polls',
    limit:
      'blocks: one for each proposer of a time window, whose signature it needs; {network/consensus/engine-parameters.ts#defaultEngineParameters.concurrentRepolls} repeated polls at a time, and one for each new block',
    over: 'no block is built above {network/consensus/engine-parameters.ts#defaultEngineParameters.optimalProcessing} processing blocks; health fails',
    seen: 'avalanche_snowman_blks_processing',
    test: 'test/simulation/simulation.test.ts',
    holds: [
      'network/consensus/decisions.ts processing',
      'network/consensus/poller.ts starts',
      'network/outer-chain/undecided-outer-blocks.ts verified holders built',
      'network/snowman/consensus.ts blocks heights ids',
      'network/snowman/polls.ts polls',
      'network/consensus/heights-ahead.ts ahead',
    ],
  },
  {
    resource: 'gossiped transactions',
    limit:
      'received ones that wait: {network/gossip/gossip-parameters.ts#gossipLimits.queued.all.bytes} in total, {network/gossip/gossip-parameters.ts#gossipLimits.queued.withoutStake.bytes} from all peers without stake, {network/gossip/gossip-parameters.ts#gossipLimits.queued.perPeer.bytes} bytes from one peer; IDs of {network/gossip/gossip-parameters.ts#gossipLimits.refused} refused ones. Those to send are in the mempool',
    over: 'dropped',
    seen: 'serac_gossip_received_transactions_total',
    test: 'src/network/gossip/tx-gossip.test.ts',
    holds: ['network/gossip/tx-gossip.ts unsent sent', 'network/gossip/received-queue.ts queued turns'],
  },
  {
    resource: 'BLS signatures of handshakes that wait to be verified',
    limit: '{network/peers/peer-limits.ts#maxWaiting} of validators, {network/peers/peer-limits.ts#maxWaiting} of other peers',
    over: 'the connection is closed',
    test: 'src/network/peers/limits.test.ts',
  },
  {
    resource: 'validator sets of a trusted node',
    limit:
      '{network/validators/trusted-validators.ts#maxSets} heights; {network/validators/trusted-validators.ts#maxLoading} are read at a time',
    over: 'the least recently used set is dropped; a block whose set is missing is verified later',
    seen: 'trusted-validators',
    test: 'src/network/validators/trusted-validators.test.ts',
    holds: ['network/validators/trusted-validators.ts loading failed'],
  },
];
