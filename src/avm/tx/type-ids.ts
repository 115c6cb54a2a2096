import type { AnyCodec } from '../../base/codec/codec.ts';
import { union } from '../../base/codec/union.ts';

/** Go type names of the AVM, as AvalancheGo's errors show them. The index is the type ID on the wire. AvalancheGo: vms/avm/txs/parser.go (registration order). */
export const typeNames = [
  'txs.BaseTx',
  'txs.CreateAssetTx',
  'txs.OperationTx',
  'txs.ImportTx',
  'txs.ExportTx',
  'secp256k1fx.TransferInput',
  'secp256k1fx.MintOutput',
  'secp256k1fx.TransferOutput',
  'secp256k1fx.MintOperation',
  'secp256k1fx.Credential',
  'nftfx.MintOutput',
  'nftfx.TransferOutput',
  'nftfx.MintOperation',
  'nftfx.TransferOperation',
  'nftfx.Credential',
  'propertyfx.MintOutput',
  'propertyfx.OwnedOutput',
  'propertyfx.MintOperation',
  'propertyfx.BurnOperation',
  'propertyfx.Credential',
  'block.StandardBlock',
] as const;

/** The type ID of a Go type. */
export const typeIdOf = (name: (typeof typeNames)[number]): number => typeNames.indexOf(name);

/** A codec of the types that implement a Go interface, by their Go names; those of transactions and blocks without `txs.` and `block.`. */
export const goInterface = <V extends { readonly [kind: string]: AnyCodec }>(name: string, types: V) =>
  union(
    name,
    typeNames,
    Object.fromEntries(
      Object.entries(types).map(([kind, codec]) => [
        kind,
        [typeNames.findIndex((typeName) => typeName === kind || typeName === `txs.${kind}` || typeName === `block.${kind}`), codec],
      ]),
    ) as unknown as { readonly [K in keyof V]: readonly [typeID: number, codec: V[K]] },
  );
