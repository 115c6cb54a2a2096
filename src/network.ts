import { parseId, zeroId } from './bytes/id.ts';
import type { GasConfig } from './rpc/counterpart.ts';
import type { RetiredFees, Upgrades } from './rpc/info.ts';

/** What a network's number decides. Peer: genesis/params.go, genesis/genesis_*.go, upgrade/upgrade.go. */
export type Network = {
  readonly id: number;
  readonly name: string;
  /** The human-readable part of its addresses. */
  readonly hrp: string;
  readonly upgrades: Upgrades;
  /** `upgrades.cortinaTime` in Unix seconds: when the X-Chain's block 0 is dated. */
  readonly cortina: bigint;
  readonly fees: Fees;
  readonly retiredFees: RetiredFees;
  readonly gas: GasConfig;
};

/** What the X-Chain burns, in nAVAX. */
export type Fees = { readonly txFee: bigint; readonly createAssetTxFee: bigint };

export const mainnetId = 1;
export const fujiId = 5;
export const localId = 12345;

/** Networks whose genesis is fixed. Peer: genesis.FromFile refuses to override them. */
export const isStandard = (id: number): boolean => id === mainnetId || id === fujiId || id === localId;

/** Networks with the public's money or test money: their fees cannot be chosen. Peer: config.getTxFeeConfig. */
export const isPublic = (id: number): boolean => id === mainnetId || id === fujiId;

export function networkOf(id: number): Network {
  const known = names.find((row) => row.id === id);
  const preset = presets[id] ?? localPreset;
  return { id, name: known?.name ?? `network-${id}`, hrp: known?.hrp ?? 'custom', ...preset };
}

/** `fuji`, `5` and `network-5` are one network; undefined if it is none of these. Peer: constants.NetworkID. */
export function networkIdOf(text: string): number | undefined {
  const name = text.toLowerCase();
  const known = names.find((row) => row.name === name || row.also === name);
  if (known) return known.id;
  const digits = name.startsWith('network-') ? name.slice('network-'.length) : name;
  const id = /^\d{1,10}$/.test(digits) ? Number(digits) : Number.NaN;
  return id <= 0xffffffff ? id : undefined;
}

/** Peer: utils/constants/network_ids.go. */
const names: readonly { id: number; name: string; hrp: string; also?: string }[] = [
  { id: mainnetId, name: 'mainnet', hrp: 'avax' },
  { id: 2, name: 'cascade', hrp: 'cascade' },
  { id: 3, name: 'denali', hrp: 'denali' },
  { id: 4, name: 'everest', hrp: 'everest' },
  { id: fujiId, name: 'fuji', hrp: 'fuji', also: 'testnet' },
  { id: 10, name: 'testing', hrp: 'testing' },
  { id: localId, name: 'local', hrp: 'local' },
];

const milliAvax = 1_000_000n;
const avax = 1_000_000_000n;
const unscheduled = '9999-12-01T00:00:00Z';
const initially = '2020-12-05T05:00:00Z';

/** The same on every network today; the peer states it per network. */
const gas: GasConfig = {
  weights: [1n, 1_000n, 1_000n, 4n],
  maxCapacity: 1_000_000n,
  maxPerSecond: 100_000n,
  targetPerSecond: 50_000n,
  minPrice: 1n,
  excessConversionConstant: 2_164_043n,
};

const sameRetiredFees = {
  addPrimaryNetworkValidatorFee: 0n,
  addPrimaryNetworkDelegatorFee: 0n,
  addSubnetValidatorFee: milliAvax,
  addSubnetDelegatorFee: milliAvax,
};

type Preset = Pick<Network, 'upgrades' | 'cortina' | 'fees' | 'retiredFees' | 'gas'>;

/** local, and every network nobody has heard of. */
const localPreset: Preset = {
  upgrades: {
    apricotPhase1Time: initially,
    apricotPhase2Time: initially,
    apricotPhase3Time: initially,
    apricotPhase4Time: initially,
    apricotPhase4MinPChainHeight: 0,
    apricotPhase5Time: initially,
    apricotPhasePre6Time: initially,
    apricotPhase6Time: initially,
    apricotPhasePost6Time: initially,
    banffTime: initially,
    cortinaTime: initially,
    cortinaXChainStopVertexID: zeroId,
    durangoTime: initially,
    etnaTime: initially,
    fortunaTime: initially,
    graniteTime: initially,
    graniteEpochDuration: 30_000_000_000,
    heliconTime: unscheduled,
  },
  cortina: 1_607_144_400n,
  fees: { txFee: milliAvax, createAssetTxFee: milliAvax },
  retiredFees: {
    createSubnetTxFee: 100n * milliAvax,
    transformSubnetTxFee: 100n * milliAvax,
    createBlockchainTxFee: 100n * milliAvax,
    ...sameRetiredFees,
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
  cortina: 1_680_793_200n,
  fees: { txFee: milliAvax, createAssetTxFee: 10n * milliAvax },
  retiredFees: {
    createSubnetTxFee: 100n * milliAvax,
    transformSubnetTxFee: avax,
    createBlockchainTxFee: 100n * milliAvax,
    ...sameRetiredFees,
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
  cortina: 1_682_434_800n,
  fees: { txFee: milliAvax, createAssetTxFee: 10n * milliAvax },
  retiredFees: { createSubnetTxFee: avax, transformSubnetTxFee: 10n * avax, createBlockchainTxFee: avax, ...sameRetiredFees },
  gas,
};

const presets: { readonly [id: number]: Preset } = { [mainnetId]: mainnetPreset, [fujiId]: fujiPreset };
