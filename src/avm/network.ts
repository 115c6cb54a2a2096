import { type Id, parseId, zeroId } from '../base/bytes/id.ts';

/** The parameters of a network. AvalancheGo: genesis/params.go, genesis/genesis_*.go, upgrade/upgrade.go. */
export type Network = {
  readonly id: number;
  readonly name: string;
  /** The human-readable part of its addresses. */
  readonly hrp: string;
  readonly upgrades: Upgrades;
  readonly fees: NetworkFees;
  readonly retiredFees: RetiredFees;
  readonly gas: GasConfig;
};

/** Fees that are no longer charged but that clients still read, in the order of the response. AvalancheGo: api/info/service.go. */
export type RetiredFees = {
  readonly createSubnetTxFee: bigint;
  readonly transformSubnetTxFee: bigint;
  readonly createBlockchainTxFee: bigint;
  readonly addPrimaryNetworkValidatorFee: bigint;
  readonly addPrimaryNetworkDelegatorFee: bigint;
  readonly addSubnetValidatorFee: bigint;
  readonly addSubnetDelegatorFee: bigint;
};

/** Network upgrades by their JSON names; times in RFC 3339. */
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
  /** Zero on networks that never had a DAG: the stop vertex is then derived from the X-Chain's ID. */
  readonly cortinaXChainStopVertexID: Id;
  readonly durangoTime: string;
  readonly etnaTime: string;
  readonly fortunaTime: string;
  readonly graniteTime: string;
  /** Nanoseconds. */
  readonly graniteEpochDuration: number;
  readonly heliconTime: string;
};

/** The P-Chain's fee parameters. The names are those of the JSON response. */
export type GasConfig = {
  readonly weights: readonly bigint[];
  readonly maxCapacity: bigint;
  readonly maxPerSecond: bigint;
  readonly targetPerSecond: bigint;
  readonly minPrice: bigint;
  readonly excessConversionConstant: bigint;
};

/** Fees of the X-Chain, in nAVAX. They are burned. */
export type NetworkFees = { readonly txFee: bigint; readonly createAssetTxFee: bigint };

export const mainnetId = 1;
export const fujiId = 5;
export const localId = 12345;

/** Whether the network's genesis is fixed. AvalancheGo: genesis.FromFile rejects a genesis file for these. */
export const isStandardNetwork = (id: number): boolean => id === mainnetId || id === fujiId || id === localId;

/** Whether the network is mainnet or fuji, whose fees cannot be configured. AvalancheGo: config.getTxFeeConfig. */
export const isPublicNetwork = (id: number): boolean => id === mainnetId || id === fujiId;

export function getNetwork(id: number): Network {
  const known = networkNames.find((row) => row.id === id);
  const preset = presets[id] ?? localPreset;
  return { id, name: known?.name ?? `network-${id}`, hrp: known?.hrp ?? 'custom', ...preset };
}

/** Parses a network name or ID: `fuji`, `5` or `network-5`. Returns undefined if it is invalid. AvalancheGo: constants.NetworkID. */
export function parseNetworkId(text: string): number | undefined {
  const name = text.toLowerCase();
  const known = networkNames.find((row) => row.name === name || row.alias === name);
  if (known) return known.id;
  const digits = name.startsWith('network-') ? name.slice('network-'.length) : name;
  const id = /^\d{1,10}$/.test(digits) ? Number(digits) : Number.NaN;
  return id <= 0xffffffff ? id : undefined;
}

/** AvalancheGo: utils/constants/network_ids.go. */
const networkNames: readonly { id: number; name: string; hrp: string; alias?: string }[] = [
  { id: mainnetId, name: 'mainnet', hrp: 'avax' },
  { id: 2, name: 'cascade', hrp: 'cascade' },
  { id: 3, name: 'denali', hrp: 'denali' },
  { id: 4, name: 'everest', hrp: 'everest' },
  { id: fujiId, name: 'fuji', hrp: 'fuji', alias: 'testnet' },
  { id: 10, name: 'testing', hrp: 'testing' },
  { id: localId, name: 'local', hrp: 'local' },
];

const milliAvax = 1_000_000n;
const avax = 1_000_000_000n;
const unscheduled = '9999-12-01T00:00:00Z';
const genesisUpgradeTime = '2020-12-05T05:00:00Z';

/** Equal on every network; AvalancheGo defines it per network. */
const gas: GasConfig = {
  weights: [1n, 1_000n, 1_000n, 4n],
  maxCapacity: 1_000_000n,
  maxPerSecond: 100_000n,
  targetPerSecond: 50_000n,
  minPrice: 1n,
  excessConversionConstant: 2_164_043n,
};

const commonRetiredFees = {
  addPrimaryNetworkValidatorFee: 0n,
  addPrimaryNetworkDelegatorFee: 0n,
  addSubnetValidatorFee: milliAvax,
  addSubnetDelegatorFee: milliAvax,
};

type Preset = Pick<Network, 'upgrades' | 'fees' | 'retiredFees' | 'gas'>;

/** Parameters of local and of every custom network. */
const localPreset: Preset = {
  upgrades: {
    apricotPhase1Time: genesisUpgradeTime,
    apricotPhase2Time: genesisUpgradeTime,
    apricotPhase3Time: genesisUpgradeTime,
    apricotPhase4Time: genesisUpgradeTime,
    apricotPhase4MinPChainHeight: 0,
    apricotPhase5Time: genesisUpgradeTime,
    apricotPhasePre6Time: genesisUpgradeTime,
    apricotPhase6Time: genesisUpgradeTime,
    apricotPhasePost6Time: genesisUpgradeTime,
    banffTime: genesisUpgradeTime,
    cortinaTime: genesisUpgradeTime,
    cortinaXChainStopVertexID: zeroId,
    durangoTime: genesisUpgradeTime,
    etnaTime: genesisUpgradeTime,
    fortunaTime: genesisUpgradeTime,
    graniteTime: genesisUpgradeTime,
    graniteEpochDuration: 30_000_000_000,
    heliconTime: unscheduled,
  },
  fees: { txFee: milliAvax, createAssetTxFee: milliAvax },
  retiredFees: {
    createSubnetTxFee: 100n * milliAvax,
    transformSubnetTxFee: 100n * milliAvax,
    createBlockchainTxFee: 100n * milliAvax,
    ...commonRetiredFees,
  },
  gas,
};

const fujiPreset: Preset = {
  upgrades: {
    apricotPhase1Time: '2021-03-26T14:00:00Z',
    apricotPhase2Time: '2021-05-05T14:00:00Z',
    apricotPhase3Time: '2021-08-16T19:00:00Z',
    apricotPhase4Time: '2021-09-16T21:00:00Z',
    apricotPhase4MinPChainHeight: 47437,
    apricotPhase5Time: '2021-11-24T15:00:00Z',
    apricotPhasePre6Time: '2022-09-06T20:00:00Z',
    apricotPhase6Time: '2022-09-06T20:00:00Z',
    apricotPhasePost6Time: '2022-09-07T06:00:00Z',
    banffTime: '2022-10-03T14:00:00Z',
    cortinaTime: '2023-04-06T15:00:00Z',
    cortinaXChainStopVertexID: parseId('2D1cmbiG36BqQMRyHt4kFhWarmatA1ighSpND3FeFgz3vFVtCZ'),
    durangoTime: '2024-02-13T16:00:00Z',
    etnaTime: '2024-11-25T16:00:00Z',
    fortunaTime: '2025-03-13T15:00:00Z',
    graniteTime: '2025-10-29T15:00:00Z',
    graniteEpochDuration: 300_000_000_000,
    heliconTime: unscheduled,
  },
  fees: { txFee: milliAvax, createAssetTxFee: 10n * milliAvax },
  retiredFees: {
    createSubnetTxFee: 100n * milliAvax,
    transformSubnetTxFee: avax,
    createBlockchainTxFee: 100n * milliAvax,
    ...commonRetiredFees,
  },
  gas,
};

const mainnetPreset: Preset = {
  upgrades: {
    apricotPhase1Time: '2021-03-31T14:00:00Z',
    apricotPhase2Time: '2021-05-10T11:00:00Z',
    apricotPhase3Time: '2021-08-24T14:00:00Z',
    apricotPhase4Time: '2021-09-22T21:00:00Z',
    apricotPhase4MinPChainHeight: 793005,
    apricotPhase5Time: '2021-12-02T18:00:00Z',
    apricotPhasePre6Time: '2022-09-05T01:30:00Z',
    apricotPhase6Time: '2022-09-06T20:00:00Z',
    apricotPhasePost6Time: '2022-09-07T03:00:00Z',
    banffTime: '2022-10-18T16:00:00Z',
    cortinaTime: '2023-04-25T15:00:00Z',
    cortinaXChainStopVertexID: parseId('jrGWDh5Po9FMj54depyunNixpia5PN4aAYxfmNzU8n752Rjga'),
    durangoTime: '2024-03-06T16:00:00Z',
    etnaTime: '2024-12-16T17:00:00Z',
    fortunaTime: '2025-04-08T15:00:00Z',
    graniteTime: '2025-11-19T16:00:00Z',
    graniteEpochDuration: 300_000_000_000,
    heliconTime: unscheduled,
  },
  fees: { txFee: milliAvax, createAssetTxFee: 10n * milliAvax },
  retiredFees: { createSubnetTxFee: avax, transformSubnetTxFee: 10n * avax, createBlockchainTxFee: avax, ...commonRetiredFees },
  gas,
};

const presets: { readonly [id: number]: Preset } = { [mainnetId]: mainnetPreset, [fujiId]: fujiPreset };
