import { type Address, addressFromBytes, addressToBytes } from '../../base/bytes/address.ts';
import { bech32Encode } from '../../base/bytes/bech32.ts';
import { cb58Decode } from '../../base/bytes/cb58.ts';
import { fromHex } from '../../base/bytes/hex.ts';
import { maxU64 } from '../../base/bytes/octets.ts';
import { rfc3339 } from '../../base/bytes/rfc3339.ts';
import { addressAt, fieldAt, fieldError, integerAt, itemsAt, type JsonNode, parseGenesisJson, stringAt, withPath } from './exact-json.ts';
import { GenesisError, type GenesisRule } from './fault.ts';

/** The content of AvalancheGo's `--genesis-file`. AvalancheGo: genesis/config.go, Config. */
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
  /** Amount on the X-Chain, in nAVAX. */
  readonly initialAmount: bigint;
  /** Amounts on the P-Chain. */
  readonly unlockSchedule: readonly LockedAmount[];
};

/** An amount in nAVAX, locked until `locktime` (Unix seconds). */
export type LockedAmount = { readonly amount: bigint; readonly locktime: bigint };

export type Staker = {
  readonly nodeID: Address;
  readonly rewardAddress: Address;
  readonly delegationFee: number;
  readonly signer: { readonly publicKey: Uint8Array; readonly proof: Uint8Array } | undefined;
};

export function parseGenesisConfig(json: string): GenesisConfig {
  const root = parseGenesisJson(json);
  return {
    networkID: Number(integerAt(fieldAt(root, 'networkID'), maxU32)),
    allocations: itemsAt(fieldAt(root, 'allocations')).map(allocationAt),
    startTime: integerAt(fieldAt(root, 'startTime')),
    initialStakeDuration: integerAt(fieldAt(root, 'initialStakeDuration')),
    initialStakeDurationOffset: integerAt(fieldAt(root, 'initialStakeDurationOffset')),
    initialStakedFunds: itemsAt(fieldAt(root, 'initialStakedFunds')).map(addressAt),
    initialStakers: itemsAt(fieldAt(root, 'initialStakers')).map(stakerAt),
    cChainGenesis: stringAt(fieldAt(root, 'cChainGenesis')),
    message: stringAt(fieldAt(root, 'message')),
  };
}

/** Throws at the first check that fails, in AvalancheGo's order. AvalancheGo: genesis/genesis.go, validateConfig. */
export function validateGenesisConfig(
  config: GenesisConfig,
  network: { readonly id: number; readonly hrp: string },
  unixSeconds: bigint,
): void {
  const { startTime, initialStakeDuration, initialStakers } = config;
  if (config.networkID !== network.id)
    throw invalidConfig('networkID', `conflicting networkIDs: expected ${network.id} but config contains ${config.networkID}`);
  if (initialSupply(config) === 0n) throw invalidConfig('supply', 'initial supply must be > 0');
  if (startTime > unixSeconds)
    throw invalidConfig('startTime', `startTime cannot be in the future: ${rfc3339(startTime * 1_000_000_000n)}`);
  if (initialStakeDuration === 0n) throw invalidConfig('stakeDuration', 'initial stake duration must be > 0');
  if (initialStakeDuration > maxStakeDuration)
    throw invalidConfig('stakeDuration', 'initial stake duration larger than maximum configured');
  if (initialStakers.length === 0) throw invalidConfig('stakers', 'initial stakers must be > 0');
  const offsets = config.initialStakeDurationOffset * BigInt(initialStakers.length - 1);
  if (offsets > initialStakeDuration) throw invalidConfig('stakeDuration', `initial stake duration is too low must be at least ${offsets}`);
  validateStakedFunds(config, network.hrp);
  const locked = config.allocations.flatMap((allocation) => allocation.unlockSchedule).reduce((sum, unlock) => sum + unlock.amount, 0n);
  if (locked < BigInt(initialStakers.length))
    throw invalidConfig('lockedAmount', `total allocations locked amount is too low: ${locked} locked < ${initialStakers.length} stakers`);
  if (config.cChainGenesis === '') throw invalidConfig('cChainGenesis', 'C-Chain genesis cannot be empty');
}

/** Sum of all amounts on the X-Chain and the P-Chain. AvalancheGo: genesis/config.go, InitialSupply. */
export function initialSupply(config: GenesisConfig): bigint {
  const supply = config.allocations
    .flatMap(({ initialAmount, unlockSchedule }) => [initialAmount, ...unlockSchedule.map((unlock) => unlock.amount)])
    .reduce((sum, amount) => sum + amount, 0n);
  if (supply > maxU64) throw invalidConfig('supply', 'unable to calculate initial supply: overflow');
  return supply;
}

/** Start time of the local network. It moves forward every 270 days, so that the genesis validators never expire. AvalancheGo: genesis/config.go, getRecentStartTime. */
export function recentStartTime(definedStartTime: bigint, unixSeconds: bigint): bigint {
  const period = 270n * 86_400n;
  return unixSeconds < definedStartTime ? definedStartTime : definedStartTime + ((unixSeconds - definedStartTime) / period) * period;
}

export const invalidConfig = (rule: GenesisRule, why: string) =>
  new GenesisError(`genesis config validation failed: ${why}`, { code: 'GENESIS_INVALID', rule });

const maxU32 = 0xffffffffn;

/** One year in seconds, on every network. AvalancheGo: genesis/genesis_*.go, MaxStakeDuration. */
const maxStakeDuration = 365n * 86_400n;

const allocationAt = (node: JsonNode): Allocation => ({
  ethAddress: ethAddressAt(fieldAt(node, 'ethAddr')),
  address: addressAt(fieldAt(node, 'avaxAddr')),
  initialAmount: integerAt(fieldAt(node, 'initialAmount')),
  unlockSchedule: itemsAt(fieldAt(node, 'unlockSchedule')).map((unlock) => ({
    amount: integerAt(fieldAt(unlock, 'amount')),
    locktime: integerAt(fieldAt(unlock, 'locktime')),
  })),
});

/** AvalancheGo skips the first two characters without checking them and decodes the rest. */
const ethAddressAt = (node: JsonNode): Address => addressFromBytes(hexAt(node, 20));

function stakerAt(node: JsonNode): Staker {
  const signer = fieldAt(node, 'signer');
  return {
    nodeID: nodeIdAt(fieldAt(node, 'nodeID')),
    rewardAddress: addressAt(fieldAt(node, 'rewardAddress')),
    delegationFee: Number(integerAt(fieldAt(node, 'delegationFee'), maxU32)),
    signer:
      signer.value === undefined
        ? undefined
        : { publicKey: hexAt(fieldAt(signer, 'publicKey'), 48), proof: hexAt(fieldAt(signer, 'proofOfPossession'), 96) },
  };
}

/** AvalancheGo: ids/node_id.go, NodeIDFromString. */
function nodeIdAt(node: JsonNode): Address {
  const text = stringAt(node);
  if (!text.startsWith('NodeID-')) throw fieldError(node, 'must begin with NodeID-');
  return withPath(node, () => addressFromBytes(cb58Decode(text.slice('NodeID-'.length))));
}

function hexAt(node: JsonNode, size: number): Uint8Array {
  const digits = stringAt(node).slice(2);
  if (digits.length !== size * 2 || !/^[0-9a-fA-F]*$/.test(digits)) throw fieldError(node, `must be 0x and ${size} bytes in hex`);
  return fromHex(digits);
}

function validateStakedFunds(config: GenesisConfig, hrp: string): void {
  const fail = (why: string) => invalidConfig('stakedFunds', `initial staked funds validation failed: ${why}`);
  if (config.initialStakedFunds.length === 0) throw fail('initial staked funds cannot be empty');
  const allocated = new Set(config.allocations.map((allocation) => allocation.address));
  const seen = new Set<Address>();
  for (const funds of config.initialStakedFunds) {
    const addressText = `X-${bech32Encode(hrp, addressToBytes(funds))}`;
    if (seen.has(funds)) throw fail(`duplicate initially staked address: ${addressText}`);
    seen.add(funds);
    if (!allocated.has(funds)) throw fail(`no allocation to stake in address ${addressText}`);
  }
}
