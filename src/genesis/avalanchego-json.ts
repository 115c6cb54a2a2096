import { type Address, addressFromBytes, addressToBytes } from '../bytes/address.ts';
import { bech32Encode } from '../bytes/bech32.ts';
import { cb58Decode } from '../bytes/cb58.ts';
import { fromHex } from '../bytes/hex.ts';
import { maxU64 } from '../bytes/octets.ts';
import { rfc3339 } from '../bytes/rfc3339.ts';
import { addressAt, at, each, explained, type Place, parseExact, textAt, wholeAt, wrong } from './exact-json.ts';
import { GenesisError, type GenesisRule } from './fault.ts';

/** A network's beginning as AvalancheGo's `--genesis-file` states it. Peer: genesis/config.go, Config. */
export type GenesisConfig = {
  readonly networkID: number;
  readonly allocations: readonly Allocation[];
  readonly startTime: bigint;
  readonly initialStakeDuration: bigint;
  readonly initialStakeDurationOffset: bigint;
  readonly initialStakedFunds: readonly Address[];
  readonly initialStakers: readonly Staker[];
  readonly cChainGenesis: string;
  readonly message: string;
};

export type Allocation = {
  readonly ethAddress: Address;
  readonly address: Address;
  /** What the X-Chain begins with. */
  readonly initialAmount: bigint;
  /** What the P-Chain begins with. */
  readonly unlockSchedule: readonly LockedAmount[];
};

export type LockedAmount = { readonly amount: bigint; readonly locktime: bigint };

export type Staker = {
  readonly nodeID: Address;
  readonly rewardAddress: Address;
  readonly delegationFee: number;
  readonly signer: { readonly publicKey: Uint8Array; readonly proof: Uint8Array } | undefined;
};

export function parseGenesisConfig(json: string): GenesisConfig {
  const root = parseExact(json);
  return {
    networkID: Number(wholeAt(at(root, 'networkID'), maxU32)),
    allocations: each(at(root, 'allocations')).map(allocationAt),
    startTime: wholeAt(at(root, 'startTime')),
    initialStakeDuration: wholeAt(at(root, 'initialStakeDuration')),
    initialStakeDurationOffset: wholeAt(at(root, 'initialStakeDurationOffset')),
    initialStakedFunds: each(at(root, 'initialStakedFunds')).map(addressAt),
    initialStakers: each(at(root, 'initialStakers')).map(stakerAt),
    cChainGenesis: textAt(at(root, 'cChainGenesis')),
    message: textAt(at(root, 'message')),
  };
}

/** The peer's checks, in its order; the first failure counts. Peer: genesis/genesis.go, validateConfig. */
export function validateGenesisConfig(
  config: GenesisConfig,
  network: { readonly id: number; readonly hrp: string },
  unixSeconds: bigint,
): void {
  const { startTime, initialStakeDuration, initialStakers } = config;
  if (config.networkID !== network.id)
    throw invalid('networkID', `conflicting networkIDs: expected ${network.id} but config contains ${config.networkID}`);
  if (initialSupply(config) === 0n) throw invalid('supply', 'initial supply must be > 0');
  if (startTime > unixSeconds) throw invalid('startTime', `startTime cannot be in the future: ${rfc3339(startTime * 1_000_000_000n)}`);
  if (initialStakeDuration === 0n) throw invalid('stakeDuration', 'initial stake duration must be > 0');
  if (initialStakeDuration > maxStakeDuration) throw invalid('stakeDuration', 'initial stake duration larger than maximum configured');
  if (initialStakers.length === 0) throw invalid('stakers', 'initial stakers must be > 0');
  const offsets = config.initialStakeDurationOffset * BigInt(initialStakers.length - 1);
  if (offsets > initialStakeDuration) throw invalid('stakeDuration', `initial stake duration is too low must be at least ${offsets}`);
  validateStakedFunds(config, network.hrp);
  const locked = config.allocations.flatMap((allocation) => allocation.unlockSchedule).reduce((sum, unlock) => sum + unlock.amount, 0n);
  if (locked < BigInt(initialStakers.length))
    throw invalid('lockedAmount', `total allocations locked amount is too low: ${locked} locked < ${initialStakers.length} stakers`);
  if (config.cChainGenesis === '') throw invalid('cChainGenesis', 'C-Chain genesis cannot be empty');
}

/** Everything there is, on X and P together. Peer: genesis/config.go, InitialSupply. */
export function initialSupply(config: GenesisConfig): bigint {
  const supply = config.allocations
    .flatMap(({ initialAmount, unlockSchedule }) => [initialAmount, ...unlockSchedule.map((unlock) => unlock.amount)])
    .reduce((sum, amount) => sum + amount, 0n);
  if (supply > maxU64) throw invalid('supply', 'unable to calculate initial supply: overflow');
  return supply;
}

/** The local network begins again every 270 days, so that its validators never run out. Peer: genesis/config.go, getRecentStartTime. */
export function recentStartTime(definedStartTime: bigint, unixSeconds: bigint): bigint {
  const period = 270n * 86_400n;
  return unixSeconds < definedStartTime ? definedStartTime : definedStartTime + ((unixSeconds - definedStartTime) / period) * period;
}

export const invalid = (rule: GenesisRule, why: string) =>
  new GenesisError(`genesis config validation failed: ${why}`, { code: 'GENESIS_INVALID', rule });

const maxU32 = 0xffffffffn;

/** One year, on every network. Peer: genesis/genesis_*.go, MaxStakeDuration. */
const maxStakeDuration = 365n * 86_400n;

const allocationAt = (place: Place): Allocation => ({
  ethAddress: ethAddressAt(at(place, 'ethAddr')),
  address: addressAt(at(place, 'avaxAddr')),
  initialAmount: wholeAt(at(place, 'initialAmount')),
  unlockSchedule: each(at(place, 'unlockSchedule')).map((unlock) => ({
    amount: wholeAt(at(unlock, 'amount')),
    locktime: wholeAt(at(unlock, 'locktime')),
  })),
});

/** The peer drops two characters unseen and decodes the rest. */
const ethAddressAt = (place: Place): Address => addressFromBytes(hexAt(place, 20));

function stakerAt(place: Place): Staker {
  const signer = at(place, 'signer');
  return {
    nodeID: nodeIdAt(at(place, 'nodeID')),
    rewardAddress: addressAt(at(place, 'rewardAddress')),
    delegationFee: Number(wholeAt(at(place, 'delegationFee'), maxU32)),
    signer:
      signer.value === undefined
        ? undefined
        : { publicKey: hexAt(at(signer, 'publicKey'), 48), proof: hexAt(at(signer, 'proofOfPossession'), 96) },
  };
}

/** Peer: ids/node_id.go, NodeIDFromString. */
function nodeIdAt(place: Place): Address {
  const text = textAt(place);
  if (!text.startsWith('NodeID-')) throw wrong(place, 'must begin with NodeID-');
  return explained(place, () => addressFromBytes(cb58Decode(text.slice('NodeID-'.length))));
}

function hexAt(place: Place, size: number): Uint8Array {
  const digits = textAt(place).slice(2);
  if (digits.length !== size * 2 || !/^[0-9a-fA-F]*$/.test(digits)) throw wrong(place, `must be 0x and ${size} bytes in hex`);
  return fromHex(digits);
}

function validateStakedFunds(config: GenesisConfig, hrp: string): void {
  const fail = (why: string) => invalid('stakedFunds', `initial staked funds validation failed: ${why}`);
  if (config.initialStakedFunds.length === 0) throw fail('initial staked funds cannot be empty');
  const allocated = new Set(config.allocations.map((allocation) => allocation.address));
  const seen = new Set<Address>();
  for (const funds of config.initialStakedFunds) {
    const shown = `X-${bech32Encode(hrp, addressToBytes(funds))}`;
    if (seen.has(funds)) throw fail(`duplicate initially staked address: ${shown}`);
    seen.add(funds);
    if (!allocated.has(funds)) throw fail(`no allocation to stake in address ${shown}`);
  }
}
