import { type Address, addressToBytes } from '../bytes/address.ts';
import { type Id, idOf, zeroId } from '../bytes/id.ts';
import { compareHex } from '../bytes/octets.ts';
import { pack } from '../codec/pack.ts';
import { type Allocation, type GenesisConfig, initialSupply, invalid, type LockedAmount, type Staker } from './avalanchego-json.ts';
import { type ChainDefinition, createChainTx } from './blockchain-id.ts';
import { PlatformBlock, PlatformGenesis, type PlatformOutput, PlatformTx } from './platform-types.ts';

/** The ID of the P-Chain's block 0, which stands for the whole genesis of a network. */
export const platformBlockId = (genesis: Uint8Array): Id =>
  idOf(pack(PlatformBlock, { kind: 'ApricotCommitBlock' as const, parentID: idOf(genesis), height: 0n }));

/** The P-Chain's genesis, and with it the network's. Peer: genesis/genesis.go, FromConfig; vms/platformvm/genesis/genesis.go, New. */
export function buildPlatformGenesis(config: GenesisConfig, avaxAssetID: Id, chains: readonly ChainDefinition[]): Uint8Array {
  const staked = new Set(config.initialStakedFunds);
  const free = config.allocations.filter((allocation) => !staked.has(allocation.address)).flatMap(stakes);
  const shares = split(
    config.allocations.filter((allocation) => staked.has(allocation.address)),
    config.initialStakers.length,
  );
  const genesis: PlatformGenesis = {
    utxos: free
      .filter((stake) => stake.amount > 0n)
      .map((stake, index) => ({
        txID: zeroId,
        outputIndex: index,
        assetID: avaxAssetID,
        output: outputOf(stake, config.startTime),
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

/** One amount with its owner. */
type Stake = LockedAmount & { readonly address: Address; readonly ethAddress: Address };

const stakes = ({ address, ethAddress, unlockSchedule }: Allocation): Stake[] =>
  unlockSchedule.map((unlock) => ({ ...unlock, address, ethAddress }));

/** Deals the staked funds out in order, each validator an equal weight and the last one the rest. Peer: splitAllocations. */
function split(allocations: readonly Allocation[], parts: number): Stake[][] {
  const all = allocations.flatMap(stakes);
  const weight = all.reduce((sum, stake) => sum + stake.amount, 0n) / BigInt(parts);
  const dealt: Stake[][] = [];
  let share: Stake[] = [];
  let inShare = 0n;
  for (const stake of all) {
    let left = stake.amount;
    while (inShare + left > weight && dealt.length < parts - 1) {
      const taken = weight - inShare;
      dealt.push([...share, { ...stake, amount: taken }]);
      share = [];
      inShare = 0n;
      left -= taken;
    }
    if (left === 0n) continue;
    share.push({ ...stake, amount: left });
    inShare += left;
  }
  return [...dealt, share];
}

type ValidatorTx = { readonly end: bigint; readonly tx: PlatformTx };

function validatorTx(config: GenesisConfig, staker: Staker, index: number, share: readonly Stake[], assetID: Id): ValidatorTx {
  const start = config.startTime;
  const end = start + config.initialStakeDuration - BigInt(index) * config.initialStakeDurationOffset;
  const weight = share.reduce((sum, stake) => sum + stake.amount, 0n);
  if (weight === 0n) throw invalid('validatorWeight', "problem while building platform chain's genesis state: validator has not weight");
  if (end <= start)
    throw invalid('validatorEnd', "problem while building platform chain's genesis state: validator would have already unstaked");
  const common = {
    networkID: config.networkID,
    blockchainID: zeroId,
    outputs: [],
    inputs: [],
    memo: new Uint8Array(0),
    validator: { nodeID: staker.nodeID, start, end, weight },
    stake: [...share].sort(byTimeAmountAndAddress).map((stake) => ({ assetID, output: outputOf(stake, start) })),
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
  order(a.locktime, b.locktime) || order(a.amount, b.amount) || compareHex(a.address, b.address);

const order = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** What is locked beyond the start may be staked but not moved. */
function outputOf(stake: Stake, startTime: bigint): PlatformOutput {
  const amount = {
    kind: 'secp256k1fx.TransferOutput' as const,
    amount: stake.amount,
    locktime: 0n,
    threshold: 1,
    addresses: [stake.address],
  };
  return stake.locktime > startTime ? { kind: 'stakeable.LockOut', locktime: stake.locktime, output: amount } : amount;
}

/** The peer pushes validators onto a heap by their end and writes the heap's array as it stands; equal transactions are kept once. */
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
