import type { Address } from '../../base/bytes/address.ts';
import { zeroId } from '../../base/bytes/id.ts';
import { compare } from '../../base/bytes/octets.ts';
import type { TypeOf } from '../../base/codec/codec.ts';
import { maxGenesisBytes, pack, unpack } from '../../base/codec/pack.ts';
import { list, text } from '../../base/codec/primitive.ts';
import { struct } from '../../base/codec/struct.ts';
import { Output } from '../tx/output.ts';
import { makeTx, type Tx } from '../tx/tx.ts';
import { CreateAssetTx } from '../tx/unsigned.ts';
import { makeUtxo, type Utxo } from '../tx/utxo.ts';
import { GenesisError } from './fault.ts';

/** Genesis of an AVM chain. Fees are paid in the first asset. AvalancheGo: vms/avm/vm.go, initGenesis. */
export type AvmGenesis = { readonly bytes: Uint8Array; readonly assets: readonly [GenesisAsset, ...GenesisAsset[]] };

/** An asset of the genesis. Its ID is the ID of the transaction that creates it. */
type GenesisAsset = { readonly alias: string; readonly tx: Tx };

/** AvalancheGo: vms/avm/genesis.go, AssetDefinition. */
export type AssetDefinition = {
  readonly alias: string;
  readonly name: string;
  readonly symbol: string;
  readonly denomination: number;
  readonly memo: Uint8Array;
  readonly holders: readonly { readonly amount: bigint; readonly address: Address }[];
  /** Sets of minters. Any one member of a set can mint. */
  readonly minters: readonly (readonly Address[])[];
};

export function parseAvmGenesis(bytes: Uint8Array): AvmGenesis {
  const assets = unpack(Genesis, bytes, maxGenesisBytes).assets.map(({ alias, ...asset }): GenesisAsset => {
    const name = Buffer.from(alias).toString('utf8');
    if (asset.outputs.length > 0)
      throw new GenesisError('genesis asset must have non-empty state', { code: 'GENESIS_ASSET_WITH_OUTPUTS', alias: name });
    return { alias: name, tx: makeTx({ kind: 'CreateAssetTx', ...asset }, []) };
  });
  const [first, ...others] = assets;
  if (first === undefined) throw new GenesisError('genesis creates no transactions', { code: 'GENESIS_NO_ASSETS' });
  return { bytes, assets: [first, ...others] };
}

/** The outputs of a genesis asset, with indices from 0 through all of its initial states. */
export const genesisUtxos = ({ tx }: GenesisAsset): Utxo[] =>
  createAssetTxOf(tx)
    .initialStates.flatMap((state) => state.outputs)
    .map((output, index) => makeUtxo(tx.id, index, tx.id, output));

/** AvalancheGo: vms/avm/genesis.go, NewGenesis and Bytes. */
export const buildAvmGenesis = (networkID: number, definitions: readonly AssetDefinition[]): Uint8Array =>
  pack(Genesis, {
    assets: definitions.map((definition) => genesisAsset(networkID, definition)).sort((a, b) => compare(a.alias, b.alias)),
  });

const WireAsset = struct({ alias: text, ...CreateAssetTx.fields });
const Genesis = struct({ assets: list(WireAsset) });

function genesisAsset(networkID: number, definition: AssetDefinition): TypeOf<typeof WireAsset> {
  const outputs = [
    ...definition.holders.map(
      ({ amount, address }): Output => ({ kind: 'secp256k1fx.TransferOutput', amount, ...ownedByAnyOf([address]) }),
    ),
    ...definition.minters.map((addresses): Output => ({ kind: 'secp256k1fx.MintOutput', ...ownedByAnyOf(addresses) })),
  ];
  return {
    alias: Buffer.from(definition.alias, 'utf8'),
    networkID,
    blockchainID: zeroId,
    outputs: [],
    inputs: [],
    memo: definition.memo,
    name: Buffer.from(definition.name, 'utf8'),
    symbol: Buffer.from(definition.symbol, 'utf8'),
    denomination: definition.denomination,
    initialStates: outputs.length === 0 ? [] : [{ fxIndex: 0, outputs: sortedByBytes(outputs) }],
  };
}

const ownedByAnyOf = (addresses: readonly Address[]) => ({ locktime: 0n, threshold: 1, addresses: [...addresses].sort() });

/** AvalancheGo: vms/avm/txs/initial_state.go, Sort. */
const sortedByBytes = (outputs: readonly Output[]): Output[] =>
  outputs
    .map((output) => ({ output, bytes: pack(Output, output) }))
    .sort((a, b) => compare(a.bytes, b.bytes))
    .map(({ output }) => output);

/** The genesis format allows no other transaction type. */
const createAssetTxOf = (tx: Tx) => tx.unsigned as Extract<Tx['unsigned'], { kind: 'CreateAssetTx' }>;
