import type { Served, ServedChain } from '../api/served.ts';
import { fromHex, toHex } from '../bytes/hex.ts';
import { type Id, idText, parseId } from '../bytes/id.ts';
import type { Config } from '../config.ts';
import { vmIds } from '../genesis/blockchain-id.ts';
import type { IndexReads } from '../index/reads.ts';
import { mainnetId } from '../network.ts';
import type { Frame } from './frame.ts';

/**
 * What the Data and Metrics interfaces say of the network and its chains, as plain JSON: an index in PostgreSQL carries it along, so that a
 * server of that index needs no flags about networks and no genesis.
 */
export type About = {
  readonly network: { readonly id: number; readonly name: string; readonly hrp: string; readonly startTime: number };
  readonly chains: readonly [AboutChain, ...AboutChain[]];
  readonly counterparts: readonly { readonly id: string; readonly alias: string }[];
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

export const aboutOf = ({ specs, p, c, genesis, around: { network } }: Frame): About => ({
  network: { id: network.id, name: network.name, hrp: network.hrp, startTime: Number(genesis.p.startTime) },
  chains: mapped(specs, ({ id, aliases, genesis: { bytes, assets } }) => ({
    id: idText(id),
    aliases,
    feeAsset: idText(assets[0].tx.id),
    genesis: toHex(bytes),
  })),
  counterparts: [p, c].map(({ id, aliases: [alias] }) => ({ id: idText(id), alias })),
});

/** A node's URL as anybody may see it: without a name and password, ready for a path behind it. */
export function publicUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/+$/, '');
}

export type ServedDeps = {
  readonly about: About;
  readonly config: Pick<Config, 'access'>;
  readonly subnetID: Id;
  readonly builder: string | undefined;
  readonly now: () => number;
  readonly chain: (id: Id, alias: string) => Pick<ServedChain, 'status' | 'complete' | 'rpcUrl'> & { readonly reads: IndexReads };
};

export function servedFrom({ about, config, subnetID, builder, now, chain }: ServedDeps): Served {
  const { id, name: ownName, hrp, startTime } = about.network;
  const name = config.access.networkName ?? ownName;
  // Public clients call fuji testnet as well.
  const names = [...new Set([name, ownName, String(id), `network-${id}`, ...(name === 'fuji' ? ['testnet'] : [])])];
  return {
    network: { id, name, names, hrp, isTestnet: id !== mainnetId, subnetID, startTime },
    chains: mapped(about.chains, (row, i) => {
      const chainID = parseId(row.id);
      const [alias] = row.aliases;
      return {
        id: chainID,
        aliases: row.aliases,
        slug: i === 0 ? 'x-chain' : alias,
        title: i === 0 ? 'X-Chain' : alias,
        vmID: vmIds.avm,
        feeAsset: parseId(row.feeAsset),
        genesisBytes: fromHex(row.genesis),
        ...chain(chainID, alias),
      };
    }),
    counterparts: about.counterparts.map(({ id: counterpart, alias }) => ({ id: parseId(counterpart), alias })),
    builder,
    now,
  };
}

const mapped = <A, B>([first, ...others]: readonly [A, ...A[]], make: (a: A, i: number) => B): [B, ...B[]] => [
  make(first, 0),
  ...others.map((a, i) => make(a, i + 1)),
];
