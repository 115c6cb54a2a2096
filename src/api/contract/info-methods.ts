import { method } from './method.ts';
import {
  anything,
  bigIntegerText,
  flag,
  id,
  integer,
  integerText,
  list,
  listUpTo,
  map,
  nodeID,
  object,
  optional,
  record,
  text,
} from './schema.ts';
import type { OutOf } from './views.ts';

const upgradeTimes = {
  apricotPhase1Time: text(),
  apricotPhase2Time: text(),
  apricotPhase3Time: text(),
  apricotPhase4Time: text(),
  apricotPhase4MinPChainHeight: integer(),
  apricotPhase5Time: text(),
  apricotPhasePre6Time: text(),
  apricotPhase6Time: text(),
  apricotPhasePost6Time: text(),
  banffTime: text(),
  cortinaTime: text(),
  cortinaXChainStopVertexID: id(),
  durangoTime: text(),
  etnaTime: text(),
  fortunaTime: text(),
  graniteTime: text(),
  graniteEpochDuration: integer(),
  heliconTime: text(),
};

const acpVotes = object('AcpVotes', {
  supportWeight: bigIntegerText(),
  supporters: list(nodeID()),
  objectWeight: bigIntegerText(),
  objectors: list(nodeID()),
  abstainWeight: bigIntegerText(),
});

const fees = {
  txFee: bigIntegerText(),
  createAssetTxFee: bigIntegerText(),
  createSubnetTxFee: bigIntegerText(),
  transformSubnetTxFee: bigIntegerText(),
  createBlockchainTxFee: bigIntegerText(),
  addPrimaryNetworkValidatorFee: bigIntegerText(),
  addPrimaryNetworkDelegatorFee: bigIntegerText(),
  addSubnetValidatorFee: bigIntegerText(),
  addSubnetDelegatorFee: bigIntegerText(),
};

const Peer = object('Peer', {
  ip: text(),
  publicIP: text(),
  nodeID: nodeID(),
  version: text(),
  upgradeTime: integer('Unix seconds.'),
  lastSent: text(),
  lastReceived: text(),
  observedUptime: text('The uptime of this node as the peer observed it, in percent.'),
  trackedSubnets: list(id()),
  supportedACPs: list(integer()),
  objectedACPs: list(integer()),
  benched: list(text(), 'Aliases of the chains on which no queries are sent to the peer for a while.'),
});

/** The most node IDs of one request: more than there are validators. Parsing each ID costs a hash. */
const maxNodeIDs = 4096;

/** Methods about the node: `info.*`. AvalancheGo: api/info/service.go. */
export const infoRows = {
  acps: method({}, record({ acps: map(acpVotes, 'By number of the ACP.') })),
  getBlockchainID: method({ alias: text() }, record({ blockchainID: id() }), 'alias'),
  getNetworkID: method({}, record({ networkID: integerText() })),
  getNetworkName: method({}, record({ networkName: text() })),
  getNodeID: method({}, record({ nodeID: nodeID(), nodePOP: record({ publicKey: text(), proofOfPossession: text() }) })),
  getNodeIP: method({}, record({ ip: text() })),
  getNodeVersion: method(
    {},
    record({ version: text(), databaseVersion: text(), rpcProtocolVersion: integerText(), gitCommit: text(), vmVersions: map(text()) }),
  ),
  getTxFee: method({}, record(fees)),
  getVMs: method({}, record({ vms: map(list(text())), fxs: map(text()) })),
  isBootstrapped: method({ chain: text() }, record({ isBootstrapped: flag() }), 'chain'),
  peers: method({ nodeIDs: optional(listUpTo(maxNodeIDs, nodeID())) }, record({ numPeers: integerText(), peers: list(Peer) }), 'nodeIDs'),
  uptime: method({}, record({ rewardingStakePercentage: text(), weightedAveragePercentage: text() })),
  upgrades: method({}, record(upgradeTimes)),
};

const Check = object('HealthCheckResult', {
  message: optional(anything('Facts about the check.')),
  error: optional(text('Why it fails; missing if it passes.')),
  timestamp: text(),
  duration: integer('Nanoseconds.'),
  contiguousFailures: optional(integer()),
  timeOfFirstFailure: optional(text()),
});

/** The result of one health check. */
export type CheckResult = OutOf<typeof Check>;

const report = method({ tags: optional(list(text())) }, record({ checks: map(Check), healthy: flag() }), 'tags');

/** Methods about the health of the node: `health.*`. AvalancheGo: api/health/service.go. */
export const healthRows = { health: report, liveness: report, readiness: report };
