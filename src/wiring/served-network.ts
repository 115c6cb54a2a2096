import type { NetworkAlias, Served, ServedChain } from '../api/served.ts';
import { fromHex, toHex } from '../bytes/hex.ts';
import { type Id, idText, parseId } from '../bytes/id.ts';
import type { Config } from '../config.ts';
import { vmIds } from '../genesis/blockchain-id.ts';
import type { IndexReads } from '../index-read/index-reads.ts';
import { isPublic, mainnetId } from '../network.ts';
import type { NetworkContext } from './network-context.ts';

/**
 * What the Data and Metrics interfaces say of the network and its chains, as plain JSON: an index in PostgreSQL carries it along, so that a
 * server of that index needs no flags about networks and no genesis.
 */
export type NetworkDescription = {
  readonly network: { readonly id: number; readonly name: string; readonly hrp: string; readonly startTime: number };
  readonly chains: readonly [AboutChain, ...AboutChain[]];
  /** An index that an earlier build described has no `evmChainId`. */
  readonly counterparts: readonly { readonly id: string; readonly alias: string; readonly evmChainId?: number }[];
  /** The followed node, where the index is of one. */
  readonly node?: string;
};

export type AboutChain = {
  readonly id: string;
  readonly aliases: readonly [string, ...string[]];
  readonly feeAsset: string;
  /** Hex. */
  readonly genesis: string;
};

export const aboutOf = ({ specs, p, c, genesis, chain: { network } }: NetworkContext): NetworkDescription => ({
  network: { id: network.id, name: network.name, hrp: network.hrp, startTime: Number(genesis.p.startTime) },
  chains: mapped(specs, ({ id, aliases, genesis: { bytes, assets } }) => ({
    id: idText(id),
    aliases,
    feeAsset: idText(assets[0].tx.id),
    genesis: toHex(bytes),
  })),
  counterparts: [
    { id: idText(p.id), alias: p.aliases[0], evmChainId: 0 },
    { id: idText(c.id), alias: c.aliases[0], evmChainId: genesis.c.evmChainID },
  ],
});

/** A node's URL as anybody may see it: without a name and password, ready for a path behind it. */
export function publicUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/+$/, '');
}

export type ServedDeps = {
  readonly about: NetworkDescription;
  readonly config: Pick<Config, 'access'>;
  readonly subnetID: Id;
  readonly builder: string | undefined;
  readonly now: () => number;
  readonly chain: (id: Id, alias: string) => Pick<ServedChain, 'status' | 'complete' | 'rpcUrl'> & { readonly reads: IndexReads };
};

export function servedFrom({ about, config, subnetID, builder, now, chain }: ServedDeps): Served {
  const { id, name: ownName, hrp, startTime } = about.network;
  const name = config.access.networkName ?? ownName;
  const alias = isPublic(id) ? undefined : fuji;
  const own = [name, ownName, String(id), `network-${id}`, ...(name === fuji.name ? fuji.names : [])];
  const names = [...new Set([...own, ...(alias?.names ?? [])])];
  return {
    network: { id, name, names, hrp, alias, isTestnet: id !== mainnetId, subnetID, startTime },
    chains: mapped(about.chains, (row, i) => {
      const chainID = parseId(row.id);
      const [called] = row.aliases;
      return {
        id: chainID,
        aliases: row.aliases,
        slug: i === 0 ? 'x-chain' : called,
        title: i === 0 ? 'X-Chain' : called,
        vmID: vmIds.avm,
        feeAsset: parseId(row.feeAsset),
        genesisBytes: fromHex(row.genesis),
        ...chain(chainID, called),
      };
    }),
    counterparts: about.counterparts.map(({ id: counterpart, alias: called, evmChainId = 0 }) => ({
      id: parseId(counterpart),
      alias: called,
      evmChainId,
    })),
    builder,
    now,
  };
}

/** Public clients have two names for it. */
const fuji: NetworkAlias = { name: 'fuji', names: ['fuji', 'testnet'], hrp: 'fuji' };

const mapped = <A, B>([first, ...others]: readonly [A, ...A[]], make: (a: A, i: number) => B): [B, ...B[]] => [
  make(first, 0),
  ...others.map((a, i) => make(a, i + 1)),
];
