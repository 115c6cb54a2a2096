import { type Address, addressToBytes } from '../../base/bytes/address.ts';
import { type Id, idOf, zeroId } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { compareBigints, compareHex } from '../../base/bytes/octets.ts';
import { pack } from '../../base/codec/pack.ts';
import { type Allocation, type GenesisConfig, initialSupply, invalidConfig, type LockedAmount, type Staker } from './avalanchego-json.ts';
import { type ChainDefinition, createChainTx } from './blockchain-id.ts';
import { PlatformBlock, PlatformGenesis, type PlatformOutput, PlatformTx } from './platform-types.ts';

/** ID of the P-Chain's block 0. It commits to the whole genesis of the network. */
export const platformBlockId = (genesis: Uint8Array): Id =>
  idOf(pack(PlatformBlock, { kind: 'ApricotCommitBlock' as const, parentID: idOf(genesis), height: 0n }));

/** A validator of the genesis. `publicKey`: its compressed BLS key. */
export type GenesisValidator = { readonly nodeID: NodeId; readonly weight: bigint; readonly publicKey: Uint8Array | undefined };

/** The validators at height 0 of the P-Chain. */
export const listGenesisValidators = (config: GenesisConfig): GenesisValidator[] =>
  shareStake(config).map((share, i) => {
    const { nodeID, signer } = config.initialStakers[i] as Staker;
    return { nodeID: nodeID as string as NodeId, weight: sumOf(share), publicKey: signer?.publicKey };
  });

/** Builds the P-Chain's genesis, which contains those of the other chains. AvalancheGo: genesis/genesis.go, FromConfig; vms/platformvm/genesis/genesis.go, New. */
export function buildPlatformGenesis(config: GenesisConfig, avaxAssetID: Id, chains: readonly ChainDefinition[]): Uint8Array {
  const staked = new Set(config.initialStakedFunds);
  const free = config.allocations.filter((allocation) => !staked.has(allocation.address)).flatMap(stakesOf);
  const shares = shareStake(config);
  const genesis: PlatformGenesis = {
    utxos: free
      .filter((stake) => stake.amount > 0n)
      .map((stake, index) => ({
        txID: zeroId,
        outputIndex: index,
        assetID: avaxAssetID,
        output: platformOutput(stake, config.startTime),
        message: addressToBytes(stake.ethAddress),
      })),
    validators: heapOrder(config.initialStakers.map((staker, i) => validatorTx(config, staker, i, shares[i] ?? [], avaxAssetID))),
    chains: chains.map((chain) => createChainTx(config.networkID, chain)),
    timestamp: config.startTime,
    initialSupply: initialSupply(config),
    message: Buffer.from(config.message, 'utf8'),
  };
  return pack(PlatformGenesis, genesis);
}

/** A locked amount with its owner. */
type Stake = LockedAmount & { readonly address: Address; readonly ethAddress: Address };

const stakesOf = ({ address, ethAddress, unlockSchedule }: Allocation): Stake[] =>
  unlockSchedule.map((unlock) => ({ ...unlock, address, ethAddress }));

const sumOf = (share: readonly Stake[]): bigint => share.reduce((sum, stake) => sum + stake.amount, 0n);

/** The stake of each validator, in the order of `initialStakers`. */
function shareStake({ allocations, initialStakedFunds, initialStakers }: GenesisConfig): Stake[][] {
  const staked = new Set(initialStakedFunds);
  return splitStake(
    allocations.filter(({ address }) => staked.has(address)),
    initialStakers.length,
  );
}

/** Splits the staked funds, in order, into equal shares for the validators; the last share takes the remainder. AvalancheGo: splitAllocations. */
function splitStake(allocations: readonly Allocation[], parts: number): Stake[][] {
  const all = allocations.flatMap(stakesOf);
  const targetWeight = all.reduce((sum, stake) => sum + stake.amount, 0n) / BigInt(parts);
  const fullShares: Stake[][] = [];
  let share: Stake[] = [];
  let shareWeight = 0n;
  for (const stake of all) {
    let left = stake.amount;
    while (shareWeight + left > targetWeight && fullShares.length < parts - 1) {
      const taken = targetWeight - shareWeight;
      fullShares.push([...share, { ...stake, amount: taken }]);
      share = [];
      shareWeight = 0n;
      left -= taken;
    }
    if (left === 0n) continue;
    share.push({ ...stake, amount: left });
    shareWeight += left;
  }
  return [...fullShares, share];
}

type ValidatorTx = { readonly end: bigint; readonly tx: PlatformTx };

function validatorTx(config: GenesisConfig, staker: Staker, index: number, share: readonly Stake[], assetID: Id): ValidatorTx {
  const start = config.startTime;
  const end = start + config.initialStakeDuration - BigInt(index) * config.initialStakeDurationOffset;
  const weight = sumOf(share);
  if (weight === 0n)
    throw invalidConfig('validatorWeight', "problem while building platform chain's genesis state: validator has not weight");
  if (end <= start)
    throw invalidConfig('validatorEnd', "problem while building platform chain's genesis state: validator would have already unstaked");
  const common = {
    networkID: config.networkID,
    blockchainID: zeroId,
    outputs: [],
    inputs: [],
    memo: new Uint8Array(0),
    validator: { nodeID: staker.nodeID, start, end, weight },
    stake: [...share].sort(byTimeAmountAndAddress).map((stake) => ({ assetID, output: platformOutput(stake, start) })),
    delegationShares: staker.delegationFee,
  };
  const owner = { kind: 'secp256k1fx.OutputOwners' as const, locktime: 0n, threshold: 1, addresses: [staker.rewardAddress] };
  const { signer } = staker;
  const unsigned =
    signer === undefined
      ? { kind: 'AddValidatorTx' as const, ...common, rewardsOwner: owner }
      : {
          kind: 'AddPermissionlessValidatorTx' as const,
          ...common,
          subnetID: zeroId,
          signer: { kind: 'signer.ProofOfPossession' as const, ...signer },
          validatorRewardsOwner: owner,
          delegatorRewardsOwner: owner,
        };
  return { end, tx: { unsigned, credentials: [] } };
}

const byTimeAmountAndAddress = (a: Stake, b: Stake): number =>
  compareBigints(a.locktime, b.locktime) || compareBigints(a.amount, b.amount) || compareHex(a.address, b.address);

/** An amount whose locktime is after the start can be staked, but not transferred. */
function platformOutput(stake: Stake, startTime: bigint): PlatformOutput {
  const amount = {
    kind: 'secp256k1fx.TransferOutput' as const,
    amount: stake.amount,
    locktime: 0n,
    threshold: 1,
    addresses: [stake.address],
  };
  return stake.locktime > startTime ? { kind: 'stakeable.LockOut', locktime: stake.locktime, output: amount } : amount;
}

/** Orders validators as AvalancheGo does: it pushes them onto a heap by end time and writes the heap's array. Duplicates are removed. */
function heapOrder(validators: readonly ValidatorTx[]): PlatformTx[] {
  const heap: ValidatorTx[] = [];
  const known = new Set<Id>();
  for (const next of validators) {
    const id = idOf(pack(PlatformTx, next.tx));
    if (known.has(id)) continue;
    known.add(id);
    heap.push(next);
    for (let at = heap.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      const [above, below] = [heap[parent] as ValidatorTx, heap[at] as ValidatorTx];
      if (above.end <= below.end) break;
      heap[parent] = below;
      heap[at] = above;
      at = parent;
    }
  }
  return heap.map(({ tx }) => tx);
}
