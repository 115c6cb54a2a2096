import { vmIds } from '../../avm/genesis/blockchain-id.ts';
import { isPublicNetwork, mainnetId } from '../../avm/network.ts';
import { fromHex } from '../../base/bytes/hex.ts';
import { type Id, parseId } from '../../base/bytes/id.ts';
import type { NetworkAlias, ServedChain, ServedChains } from './served-chains.ts';

/**
 * What the Data and Metrics APIs need to know about the network and its chains, as plain JSON. It is stored in an index in PostgreSQL, so that
 * `serac api` needs no network flags and no genesis file.
 */
export type NetworkDescription = {
  readonly network: { readonly id: number; readonly name: string; readonly hrp: string; readonly startTime: number };
  readonly chains: readonly [ChainDescription, ...ChainDescription[]];
  /** `evmChainId` is missing in an index written by an earlier version. */
  readonly counterparts: readonly { readonly id: string; readonly alias: string; readonly evmChainId?: number }[];
  /** The URL of the followed node, without credentials; only in an index in PostgreSQL. */
  readonly node?: string;
};

type ChainDescription = {
  readonly id: string;
  readonly aliases: readonly [string, ...string[]];
  readonly feeAsset: string;
  /** The genesis bytes in hex. */
  readonly genesis: string;
};

/** Describes the network and its chains to the Data and Metrics APIs, with the names under which clients may call the network. */
export function createServedChains({
  description,
  networkName,
  subnetID,
  builder,
  now,
  dataAge,
  chain,
}: {
  readonly description: NetworkDescription;
  /** Replaces the network's own name. */
  readonly networkName: string | undefined;
  readonly subnetID: Id;
  /** The node ID of the block proposer; undefined if it is not known. */
  readonly builder: string | undefined;
  readonly now: () => number;
  readonly dataAge: ServedChains['dataAge'];
  /** What the description does not have of a chain: its reads, and how it answers now. */
  readonly chain: (
    id: Id,
    alias: string,
    feeAsset: Id,
  ) => Omit<ServedChain, 'id' | 'aliases' | 'slug' | 'title' | 'vmID' | 'feeAsset' | 'genesisBytes'>;
}): ServedChains {
  const { id, name: ownName, hrp, startTime } = description.network;
  const name = networkName ?? ownName;
  const alias = isPublicNetwork(id) ? undefined : fujiAlias;
  const own = [name, ownName, String(id), `network-${id}`, ...(name === fujiAlias.name ? fujiAlias.names : [])];
  const names = [...new Set([...own, ...(alias?.names ?? [])])];
  return {
    network: { id, name, names, hrp, alias, isTestnet: id !== mainnetId, subnetID, startTime },
    chains: mapNonEmpty(description.chains, (row, i) => {
      const chainID = parseId(row.id);
      const [mainAlias] = row.aliases;
      const feeAsset = parseId(row.feeAsset);
      return {
        id: chainID,
        aliases: row.aliases,
        slug: i === 0 ? 'x-chain' : mainAlias,
        title: i === 0 ? 'X-Chain' : mainAlias,
        vmID: vmIds.avm,
        feeAsset,
        genesisBytes: fromHex(row.genesis),
        ...chain(chainID, mainAlias, feeAsset),
      };
    }),
    otherChains: description.counterparts.map((row) => ({ id: parseId(row.id), alias: row.alias, evmChainId: row.evmChainId ?? 0 })),
    builder,
    now,
    dataAge,
  };
}

/** The names under which clients of the public API know Fuji; a private network answers to them too. */
const fujiAlias: NetworkAlias = { name: 'fuji', names: ['fuji', 'testnet'], hrp: 'fuji' };

export const mapNonEmpty = <A, B>([first, ...others]: readonly [A, ...A[]], make: (a: A, i: number) => B): [B, ...B[]] => [
  make(first, 0),
  ...others.map((a, i) => make(a, i + 1)),
];
