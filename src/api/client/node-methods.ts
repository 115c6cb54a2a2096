import { encodedMethod, method } from './method-row.ts';
import { amount, anyJson, count, flag, list, mapOf, numberOrText, oneOf, oneOrList, optional, record, text, wireJson } from './shape.ts';
import type { BlockJson, TxJson } from './wire-json.ts';

const encoding = optional(oneOf<'hex' | 'hexc' | 'hexnc' | 'json'>());
const txText = { tx: text, encoding };
const issued = { txID: text };
const utxoCursor = record({ address: text, utxo: text });

/** Methods of the X-Chain: `avm.*`. */
export const avmRows = {
  getAllBalances: method(
    { address: text, includePartial: optional(flag) },
    { balances: list(record({ asset: text, balance: amount })) },
    'address',
  ),
  getAssetDescription: method({ assetID: text }, { assetID: text, name: text, symbol: text, denomination: count }, 'assetID'),
  getBalance: method(
    { address: text, assetID: text, includePartial: optional(flag) },
    { balance: amount, utxoIDs: list(record({ txID: text, outputIndex: count })) },
  ),
  getBlock: encodedMethod({ blockID: text, encoding }, 'block', wireJson<BlockJson>(), 'blockID'),
  getBlockByHeight: encodedMethod({ height: count, encoding }, 'block', wireJson<BlockJson>(), 'height'),
  getHeight: method({}, { height: count }),
  getTx: encodedMethod({ txID: text, encoding }, 'tx', wireJson<TxJson>(), 'txID'),
  getTxFee: method({}, { txFee: amount, createAssetTxFee: amount }),
  getTxStatus: method(
    { txID: text },
    { status: oneOf<'Accepted' | 'Processing' | 'Rejected' | 'Unknown'>(), reason: optional(text) },
    'txID',
  ),
  getUTXOs: method(
    {
      addresses: list(text),
      sourceChain: optional(text),
      limit: optional(count),
      startIndex: optional(utxoCursor),
      encoding: optional(oneOf<'hex' | 'hexc' | 'hexnc'>()),
    },
    { numFetched: count, utxos: list(text), endIndex: utxoCursor, encoding: text },
    'addresses',
  ),
  issueTx: method(txText, issued, 'tx'),
};

/** Methods of the X-Chain's wallet: `wallet.*`. */
export const walletRows = { issueTx: method(txText, issued, 'tx') };

const upgradeTimes = {
  apricotPhase1Time: text,
  apricotPhase2Time: text,
  apricotPhase3Time: text,
  apricotPhase4Time: text,
  apricotPhase4MinPChainHeight: count,
  apricotPhase5Time: text,
  apricotPhasePre6Time: text,
  apricotPhase6Time: text,
  apricotPhasePost6Time: text,
  banffTime: text,
  cortinaTime: text,
  cortinaXChainStopVertexID: text,
  durangoTime: text,
  etnaTime: text,
  fortunaTime: text,
  graniteTime: text,
  graniteEpochDuration: count,
  heliconTime: text,
};

const acpVotes = record({
  supportWeight: amount,
  supporters: list(text),
  objectWeight: amount,
  objectors: list(text),
  abstainWeight: amount,
});

/** Methods about the node: `info.*`. */
export const infoRows = {
  acps: method({}, { acps: mapOf(acpVotes) }),
  getBlockchainID: method({ alias: text }, { blockchainID: text }, 'alias'),
  getNetworkID: method({}, { networkID: count }),
  getNetworkName: method({}, { networkName: text }),
  getNodeID: method({}, { nodeID: text, nodePOP: record({ publicKey: text, proofOfPossession: text }) }),
  getNodeIP: method({}, { ip: text }),
  getNodeVersion: method({}, { version: text, databaseVersion: text, rpcProtocolVersion: count, gitCommit: text, vmVersions: mapOf(text) }),
  getTxFee: method(
    {},
    {
      txFee: amount,
      createAssetTxFee: amount,
      createSubnetTxFee: amount,
      transformSubnetTxFee: amount,
      createBlockchainTxFee: amount,
      addPrimaryNetworkValidatorFee: amount,
      addPrimaryNetworkDelegatorFee: amount,
      addSubnetValidatorFee: amount,
      addSubnetDelegatorFee: amount,
    },
  ),
  getVMs: method({}, { vms: mapOf(list(text)), fxs: mapOf(text) }),
  isBootstrapped: method({ chain: text }, { isBootstrapped: flag }, 'chain'),
  peers: method({ nodeIDs: optional(list(text)) }, { numPeers: count, peers: list(anyJson<{ readonly nodeID: string }>()) }, 'nodeIDs'),
  uptime: method({}, { rewardingStakePercentage: text, weightedAveragePercentage: text }),
  upgrades: method({}, upgradeTimes),
};

/** The result of one health check. */
export type CheckResult = {
  readonly message?: unknown;
  readonly error?: string;
  readonly timestamp: string;
  /** Nanoseconds. */
  readonly duration: number;
  readonly contiguousFailures?: number;
  readonly timeOfFirstFailure?: string;
};

const report = method({ tags: optional(list(text)) }, { checks: mapOf(anyJson<CheckResult>()), healthy: flag }, 'tags');

/** Methods about the health of the node: `health.*`. */
export const healthRows = { health: report, liveness: report, readiness: report };

/** Parameters that several `dev.*` methods have. */
export const sharedParams = {
  /** An address, or several of which `threshold` must sign. */
  to: oneOrList(text),
  assetID: optional(text),
  threshold: optional(count),
  /** Text, or bytes as `0x…`. */
  memo: optional(text),
  /** Unix seconds or RFC 3339. */
  locktime: optional(numberOrText),
  /** An address of an account, or its index. */
  from: optional(numberOrText),
};
