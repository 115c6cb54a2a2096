import { formatHex } from '../bytes/hex.ts';
import { type Id, idText } from '../bytes/id.ts';
import { Fault } from '../fault.ts';
import type { Aliases } from './aliases.ts';
import { methods, row } from './method.ts';
import { list, nodeId, noParams, obj, str } from './params.ts';
import { fxNames, type NodeVersions, vmNames } from './versions.ts';
import { type Json, raw, writeJson } from './write-json.ts';

/** What `info.*` needs to know of the node. Whatever can change or costs something is a function. */
export type InfoDeps = {
  readonly versions: NodeVersions;
  readonly gitCommit: string;
  readonly nodeID: string;
  readonly proofOfPossession: () => Promise<{ readonly publicKey: Uint8Array; readonly proofOfPossession: Uint8Array }>;
  /** Address and port for peers. */
  readonly nodeIP: () => string;
  readonly network: InfoNetwork;
  readonly aliases: Pick<Aliases, 'find' | 'lookup'>;
  readonly isBootstrapped: (chain: Id) => boolean;
  readonly peers: () => readonly PeerInfo[];
  readonly acps: () => readonly AcpTally[];
  /** undefined: this node is no validator. */
  readonly uptime: () => Uptime | undefined;
};

/** Constants of the network. */
export type InfoNetwork = {
  readonly id: number;
  readonly name: string;
  readonly fees: { readonly txFee: bigint; readonly createAssetTxFee: bigint };
  readonly retiredFees: RetiredFees;
  readonly upgrades: Upgrades;
};

/** In the order of the answer. They are charged no more; clients still read them. Peer: api/info/service.go. */
export type RetiredFees = {
  readonly createSubnetTxFee: bigint;
  readonly transformSubnetTxFee: bigint;
  readonly createBlockchainTxFee: bigint;
  readonly addPrimaryNetworkValidatorFee: bigint;
  readonly addPrimaryNetworkDelegatorFee: bigint;
  readonly addSubnetValidatorFee: bigint;
  readonly addSubnetDelegatorFee: bigint;
};

/** Every upgrade by its public name; times in RFC 3339. */
export type Upgrades = {
  readonly apricotPhase1Time: string;
  readonly apricotPhase2Time: string;
  readonly apricotPhase3Time: string;
  readonly apricotPhase4Time: string;
  readonly apricotPhase4MinPChainHeight: number;
  readonly apricotPhase5Time: string;
  readonly apricotPhasePre6Time: string;
  readonly apricotPhase6Time: string;
  readonly apricotPhasePost6Time: string;
  readonly banffTime: string;
  readonly cortinaTime: string;
  /** Zero where nobody ever ran a DAG: the stop vertex is then derived from the X-Chain's ID. */
  readonly cortinaXChainStopVertexID: Id;
  readonly durangoTime: string;
  readonly etnaTime: string;
  readonly fortunaTime: string;
  readonly graniteTime: string;
  /** Nanoseconds. */
  readonly graniteEpochDuration: number;
  readonly heliconTime: string;
};

/** Another node, in the order of the answer. Peer: network/peer/info.go. */
export type PeerInfo = {
  readonly ip: string;
  readonly publicIP: string;
  readonly nodeID: string;
  readonly version: string;
  /** Unix seconds. */
  readonly upgradeTime: bigint;
  readonly lastSent: string;
  readonly lastReceived: string;
  /** How much of the time it saw us, in percent. */
  readonly observedUptime: number;
  readonly trackedSubnets: readonly Id[];
  readonly supportedACPs: readonly number[];
  readonly objectedACPs: readonly number[];
  /** Aliases of the chains it is not asked on for a while. */
  readonly benched: readonly string[];
};

/** What the validators think of one proposal, by stake. */
export type AcpTally = {
  readonly acp: number;
  readonly supportWeight: bigint;
  readonly supporters: readonly string[];
  readonly objectWeight: bigint;
  readonly objectors: readonly string[];
  readonly abstainWeight: bigint;
};

/** Percentages, from 0 to 100. */
export type Uptime = { readonly rewardingStake: number; readonly weightedAverage: number };

/** More than there are validators; every ID costs a hash. */
const maxNodeIDs = 4096;

export const info = methods<InfoDeps>()({
  acps: row(noParams, ({ acps }) => ({ acps: shownAcps(acps()) })),

  getBlockchainID: row(obj({ alias: str }), ({ aliases }, { alias }) => ({ blockchainID: idText(aliases.lookup(alias)) })),

  getNetworkID: row(noParams, ({ network }) => ({ networkID: `${network.id}` })),

  getNetworkName: row(noParams, ({ network }) => ({ networkName: network.name })),

  getNodeID: row(
    noParams,
    async ({ nodeID, proofOfPossession }) => {
      const proof = await proofOfPossession();
      const nodePOP = {
        publicKey: formatHex('hexnc', proof.publicKey),
        proofOfPossession: formatHex('hexnc', proof.proofOfPossession),
      };
      return { nodeID, nodePOP };
    },
    // The secret stays in one process.
    { writer: true },
  ),

  getNodeIP: row(noParams, ({ nodeIP }) => ({ ip: nodeIP() })),

  getNodeVersion: row(noParams, ({ versions, gitCommit }) => ({
    version: versions.node,
    databaseVersion: versions.database,
    rpcProtocolVersion: `${versions.rpcChainVm}`,
    gitCommit,
    vmVersions: versions.vms,
  })),

  getTxFee: row(noParams, ({ network: { fees, retiredFees } }) => shownFees(fees, retiredFees), { deprecated: '1.12.2' }),

  getVMs: row(noParams, () => ({ vms: vmNames, fxs: fxNames })),

  isBootstrapped: row(obj({ chain: str }), ({ aliases, isBootstrapped }, { chain }) => {
    if (chain === '') throw new InfoError("argument 'chain' not given", { code: 'INFO_NO_CHAIN_GIVEN' });
    const id = aliases.find(chain);
    if (id === undefined) throw new InfoError(`there is no chain with alias/ID '${chain}'`, { code: 'INFO_NO_CHAIN', chain });
    return { isBootstrapped: isBootstrapped(id) };
  }),

  /** One entry per ID asked for, an ID asked for twice twice; unknown ones are passed over. */
  peers: row(obj({ nodeIDs: list(nodeId, maxNodeIDs) }), ({ peers }, { nodeIDs }) => {
    const all = peers();
    const byID = new Map(all.map((peer) => [peer.nodeID, peer]));
    const chosen = nodeIDs.length === 0 ? all : nodeIDs.flatMap((id) => byID.get(id) ?? []);
    return { numPeers: `${chosen.length}`, peers: chosen.map(shownPeer) };
  }),

  /** The peer's method takes no arguments; a subnet given is passed over, even a malformed one. */
  uptime: row(noParams, ({ uptime }) => {
    const seen = uptime();
    if (seen === undefined) throw new InfoError("couldn't get node uptime: node is not a validator", { code: 'INFO_NOT_A_VALIDATOR' });
    return { rewardingStakePercentage: seen.rewardingStake.toFixed(4), weightedAveragePercentage: seen.weightedAverage.toFixed(4) };
  }),

  upgrades: row(noParams, ({ network: { upgrades } }) => shownUpgrades(upgrades)),
});
export type InfoFault = { code: 'INFO_NO_CHAIN_GIVEN' } | { code: 'INFO_NO_CHAIN'; chain: string } | { code: 'INFO_NOT_A_VALIDATOR' };
export class InfoError extends Fault<InfoFault> {}

/** Fees are strings, all of them. */
const shownFees = (fees: InfoNetwork['fees'], retired: RetiredFees): Json => ({
  txFee: `${fees.txFee}`,
  createAssetTxFee: `${fees.createAssetTxFee}`,
  createSubnetTxFee: `${retired.createSubnetTxFee}`,
  transformSubnetTxFee: `${retired.transformSubnetTxFee}`,
  createBlockchainTxFee: `${retired.createBlockchainTxFee}`,
  addPrimaryNetworkValidatorFee: `${retired.addPrimaryNetworkValidatorFee}`,
  addPrimaryNetworkDelegatorFee: `${retired.addPrimaryNetworkDelegatorFee}`,
  addSubnetValidatorFee: `${retired.addSubnetValidatorFee}`,
  addSubnetDelegatorFee: `${retired.addSubnetDelegatorFee}`,
});

/** The order is the peer's, whatever order the values were given in. Peer: upgrade/upgrade.go. */
const shownUpgrades = (upgrades: Upgrades): Json => ({
  apricotPhase1Time: upgrades.apricotPhase1Time,
  apricotPhase2Time: upgrades.apricotPhase2Time,
  apricotPhase3Time: upgrades.apricotPhase3Time,
  apricotPhase4Time: upgrades.apricotPhase4Time,
  apricotPhase4MinPChainHeight: upgrades.apricotPhase4MinPChainHeight,
  apricotPhase5Time: upgrades.apricotPhase5Time,
  apricotPhasePre6Time: upgrades.apricotPhasePre6Time,
  apricotPhase6Time: upgrades.apricotPhase6Time,
  apricotPhasePost6Time: upgrades.apricotPhasePost6Time,
  banffTime: upgrades.banffTime,
  cortinaTime: upgrades.cortinaTime,
  cortinaXChainStopVertexID: idText(upgrades.cortinaXChainStopVertexID),
  durangoTime: upgrades.durangoTime,
  etnaTime: upgrades.etnaTime,
  fortunaTime: upgrades.fortunaTime,
  graniteTime: upgrades.graniteTime,
  graniteEpochDuration: upgrades.graniteEpochDuration,
  heliconTime: upgrades.heliconTime,
});

const shownPeer = (peer: PeerInfo): Json => ({
  ip: peer.ip,
  publicIP: peer.publicIP,
  nodeID: peer.nodeID,
  version: peer.version,
  upgradeTime: peer.upgradeTime,
  lastSent: peer.lastSent,
  lastReceived: peer.lastReceived,
  observedUptime: `${peer.observedUptime}`,
  trackedSubnets: peer.trackedSubnets.map(idText).sort(),
  supportedACPs: peer.supportedACPs.toSorted(byText),
  objectedACPs: peer.objectedACPs.toSorted(byText),
  benched: peer.benched,
});

/** By ACP number in the order of its digits: Go sorts the keys of a map as texts, JavaScript would count. */
const shownAcps = (tallies: readonly AcpTally[]): Json =>
  raw(
    `{${tallies
      .toSorted((a, b) => byText(a.acp, b.acp))
      .map((tally) => `"${tally.acp}":${writeJson(shownAcp(tally))}`)
      .join(',')}}`,
  );

const shownAcp = (tally: AcpTally): Json => ({
  supportWeight: `${tally.supportWeight}`,
  supporters: tally.supporters.toSorted(),
  objectWeight: `${tally.objectWeight}`,
  objectors: tally.objectors.toSorted(),
  abstainWeight: `${tally.abstainWeight}`,
});

/** The peer writes a set sorted by its members' JSON text. */
const byText = (a: number, b: number): number => (`${a}` < `${b}` ? -1 : 1);
