import type { TypeOf } from '../../base/codec/codec.ts';
import { address, bytes, fixedBytes, id, list, text, u8, u32, u64 } from '../../base/codec/primitive.ts';
import { struct } from '../../base/codec/struct.ts';
import { union } from '../../base/codec/union.ts';
import { OutputOwners, TransferOutput } from '../tx/output.ts';

/**
 * The P-Chain types that a network's genesis uses, with the P-Chain's type IDs.
 * AvalancheGo: vms/platformvm/txs/codec.go, vms/platformvm/genesis/genesis.go.
 */
const typeNames = {};

const Amount = union('avax.TransferableOut', typeNames, { 'secp256k1fx.TransferOutput': [7, TransferOutput] });

const LockOut = struct({ locktime: u64, output: Amount });

/** An amount; with LockOut one that can only be staked before its locktime. */
export const PlatformOutput = union('verify.State', typeNames, {
  'secp256k1fx.TransferOutput': [7, TransferOutput],
  'stakeable.LockOut': [22, LockOut],
});
export type PlatformOutput = TypeOf<typeof PlatformOutput>;

/** A genesis has no inputs and no credentials: these lists are always empty. */
const emptyList = list(u8);

const BaseTx = struct({ networkID: u32, blockchainID: id, outputs: emptyList, inputs: emptyList, memo: bytes });

const Validator = struct({ nodeID: address, start: u64, end: u64, weight: u64 });

const StakeOutput = struct({ assetID: id, output: PlatformOutput });

const Owner = union('fx.Owner', typeNames, { 'secp256k1fx.OutputOwners': [11, OutputOwners] });

const SubnetAuth = union('verify.Verifiable', typeNames, { 'secp256k1fx.Input': [10, struct({ sigIndices: emptyList })] });

const ProofOfPossession = struct({ publicKey: fixedBytes(48), proof: fixedBytes(96) });

const Signer = union('signer.Signer', typeNames, { 'signer.ProofOfPossession': [28, ProofOfPossession] });

const AddValidatorTx = struct({
  ...BaseTx.fields,
  validator: Validator,
  stake: list(StakeOutput),
  rewardsOwner: Owner,
  delegationShares: u32,
});

const CreateChainTx = struct({
  ...BaseTx.fields,
  subnetID: id,
  chainName: text,
  vmID: id,
  fxIDs: list(id),
  genesisData: bytes,
  subnetAuth: SubnetAuth,
});

const AddPermissionlessValidatorTx = struct({
  ...BaseTx.fields,
  validator: Validator,
  subnetID: id,
  signer: Signer,
  stake: list(StakeOutput),
  validatorRewardsOwner: Owner,
  delegatorRewardsOwner: Owner,
  delegationShares: u32,
});

const UnsignedPlatformTx = union('txs.UnsignedTx', typeNames, {
  AddValidatorTx: [12, AddValidatorTx],
  CreateChainTx: [15, CreateChainTx],
  AddPermissionlessValidatorTx: [25, AddPermissionlessValidatorTx],
});

export const PlatformTx = struct({ unsigned: UnsignedPlatformTx, credentials: emptyList });
export type PlatformTx = TypeOf<typeof PlatformTx>;

const PlatformUtxo = struct({ txID: id, outputIndex: u32, assetID: id, output: PlatformOutput, message: bytes });

export const PlatformGenesis = struct({
  utxos: list(PlatformUtxo),
  validators: list(PlatformTx),
  chains: list(PlatformTx),
  timestamp: u64,
  initialSupply: u64,
  message: text,
});
export type PlatformGenesis = TypeOf<typeof PlatformGenesis>;

/** Block 0 of the P-Chain. Its parent ID is the hash of the genesis bytes. AvalancheGo: vms/platformvm/state, init. */
export const PlatformBlock = union('block.Block', typeNames, { ApricotCommitBlock: [2, struct({ parentID: id, height: u64 })] });
