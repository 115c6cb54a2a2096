import type { RetiredFees, Upgrades } from '../../avm/network.ts';
import { formatHex } from '../../base/bytes/hex.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { infoRows } from '../contract/info-methods.ts';
import type { Aliases } from './aliases.ts';
import type { InfoFault } from './fault.ts';
import { implement } from './method.ts';
import { fxNames, type NodeVersions, vmNames } from './versions.ts';
import { type RawJson, rawJson, writeJson } from './write-json.ts';

/** Constants of the network. */
type InfoNetwork = {
  readonly id: number;
  readonly name: string;
  readonly fees: { readonly txFee: bigint; readonly createAssetTxFee: bigint };
  readonly retiredFees: RetiredFees;
  readonly upgrades: Upgrades;
};

/** What a peer thinks of ACPs. */
export type PeerAcps = { readonly nodeID: string; readonly supportedACPs: readonly number[]; readonly objectedACPs: readonly number[] };

/** A peer. AvalancheGo: network/peer/info.go. */
export type PeerInfo = PeerAcps & {
  readonly ip: string;
  readonly publicIP: string;
  readonly version: string;
  /** Unix seconds. */
  readonly upgradeTime: bigint;
  readonly lastSent: string;
  readonly lastReceived: string;
  /** The uptime of this node as the peer observed it, in percent. */
  readonly observedUptime: number;
  readonly trackedSubnets: readonly Id[];
  /** Aliases of the chains on which the peer is benched: no queries are sent to it for a while. */
  readonly benched: readonly string[];
};

/** Votes of the validators on one ACP, weighted by stake. */
export type AcpVotes = {
  readonly acp: number;
  readonly supportWeight: bigint;
  readonly supporters: readonly string[];
  readonly objectWeight: bigint;
  readonly objectors: readonly string[];
  readonly abstainWeight: bigint;
};

/** Percentages, from 0 to 100. */
export type Uptime = { readonly rewardingStake: number; readonly weightedAverage: number };

/** The methods of `info`. Facts about the node that can change or are expensive to compute are functions. */
export const infoMethods = implement<{
  readonly versions: NodeVersions;
  readonly gitCommit: string;
  readonly nodeID: string;
  readonly proofOfPossession: () => Promise<{ readonly publicKey: Uint8Array; readonly proofOfPossession: Uint8Array }>;
  /** IP address and port that peers connect to. */
  readonly nodeIP: () => string;
  readonly network: InfoNetwork;
  readonly aliases: Pick<Aliases, 'find' | 'lookup'>;
  readonly isBootstrapped: (chain: Id) => boolean;
  readonly peers: () => readonly PeerInfo[];
  readonly acps: () => readonly AcpVotes[];
  /** Undefined if this node is not a validator. */
  readonly uptime: () => Uptime | undefined;
}>()(infoRows, {
  acps: async ({ acps }) => ({ acps: acpsJson(acps()) }),

  getBlockchainID: async ({ aliases }, { alias }) => ({ blockchainID: idText(aliases.lookup(alias)) }),

  getNetworkID: { run: async ({ network }) => ({ networkID: `${network.id}` }), isConstant: true },

  getNetworkName: { run: async ({ network }) => ({ networkName: network.name }), isConstant: true },

  getNodeID: {
    run: async ({ nodeID, proofOfPossession }) => {
      const proof = await proofOfPossession();
      const nodePOP = {
        publicKey: formatHex('hexnc', proof.publicKey),
        proofOfPossession: formatHex('hexnc', proof.proofOfPossession),
      };
      return { nodeID, nodePOP };
    },
    needsWriter: true,
  },

  getNodeIP: async ({ nodeIP }) => ({ ip: nodeIP() }),

  getNodeVersion: {
    run: async ({ versions, gitCommit }) => ({
      version: versions.node,
      databaseVersion: versions.database,
      rpcProtocolVersion: `${versions.rpcChainVm}`,
      gitCommit,
      vmVersions: versions.vms,
    }),
    isConstant: true,
  },

  getTxFee: { run: async ({ network: { fees, retiredFees } }) => feesJson(fees, retiredFees), isConstant: true },

  getVMs: { run: async () => ({ vms: vmNames, fxs: fxNames }), isConstant: true },

  isBootstrapped: async ({ aliases, isBootstrapped }, { chain }) => {
    if (chain === '') throw new InfoError("argument 'chain' not given", { code: 'INFO_NO_CHAIN_GIVEN' });
    const id = aliases.find(chain);
    if (id === undefined) throw new InfoError(`there is no chain with alias/ID '${chain}'`, { code: 'INFO_NO_CHAIN', chain });
    return { isBootstrapped: isBootstrapped(id) };
  },

  /** One entry per requested ID, also for duplicates; unknown IDs are skipped. */
  peers: async ({ peers }, { nodeIDs }) => {
    const all = peers();
    const byID = new Map(all.map((peer) => [peer.nodeID, peer]));
    const chosen = nodeIDs.length === 0 ? all : nodeIDs.flatMap((id) => byID.get(id) ?? []);
    return { numPeers: `${chosen.length}`, peers: chosen.map(peerJson) };
  },

  /** AvalancheGo's method takes no arguments: a `subnetID` is ignored, even a malformed one. */
  uptime: async ({ uptime }) => {
    const found = uptime();
    if (found === undefined) throw new InfoError("couldn't get node uptime: node is not a validator", { code: 'INFO_NOT_A_VALIDATOR' });
    return { rewardingStakePercentage: found.rewardingStake.toFixed(4), weightedAveragePercentage: found.weightedAverage.toFixed(4) };
  },

  upgrades: { run: async ({ network: { upgrades } }) => upgradesJson(upgrades), isConstant: true },
});

class InfoError extends Fault<InfoFault> {}

/** All fees are written as strings. */
const feesJson = (fees: InfoNetwork['fees'], retired: RetiredFees) => ({
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

/** Writes the members in AvalancheGo's order. AvalancheGo: upgrade/upgrade.go. */
const upgradesJson = (upgrades: Upgrades) => ({
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

const peerJson = (peer: PeerInfo) => ({
  ip: peer.ip,
  publicIP: peer.publicIP,
  nodeID: peer.nodeID,
  version: peer.version,
  upgradeTime: peer.upgradeTime,
  lastSent: peer.lastSent,
  lastReceived: peer.lastReceived,
  observedUptime: `${peer.observedUptime}`,
  trackedSubnets: peer.trackedSubnets.map(idText).sort(),
  supportedACPs: peer.supportedACPs.toSorted(compareAsText),
  objectedACPs: peer.objectedACPs.toSorted(compareAsText),
  benched: peer.benched,
});

/** Sorted by ACP number as text, like the keys of a Go map. Written by hand, since a JavaScript object would sort integer keys as numbers. */
const acpsJson = (votes: readonly AcpVotes[]): RawJson =>
  rawJson(
    `{${votes
      .toSorted((a, b) => compareAsText(a.acp, b.acp))
      .map((one) => `"${one.acp}":${writeJson(acpJson(one))}`)
      .join(',')}}`,
  );

const acpJson = (votes: AcpVotes) => ({
  supportWeight: `${votes.supportWeight}`,
  supporters: votes.supporters.toSorted(),
  objectWeight: `${votes.objectWeight}`,
  objectors: votes.objectors.toSorted(),
  abstainWeight: `${votes.abstainWeight}`,
});

/** AvalancheGo writes a set sorted by the JSON text of its members. */
const compareAsText = (a: number, b: number): number => (`${a}` < `${b}` ? -1 : 1);
