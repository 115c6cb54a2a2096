/** Versions by which clients check compatibility. AvalancheGo: version/constants.go. */
export const avalancheGoVersions = {
  node: 'avalanchego/1.14.2',
  database: 'v1.4.5',
  /** Protocol version between a node and its plugin VMs. */
  rpcChainVm: 45,
  vms: { avm: 'avalanchego/1.14.2', evm: 'v1.14.2', platform: 'avalanchego/1.14.2' },
} as const;

export type NodeVersions = {
  readonly node: string;
  readonly database: string;
  readonly rpcChainVm: number;
  readonly vms: { readonly [name: string]: string };
};

/** Versions that this node reports: `serac/<version>` for the node and its VMs, or AvalancheGo's with `--strict`. */
export function nodeVersions(version: string, isStrict: boolean): NodeVersions {
  if (isStrict) return avalancheGoVersions;
  const own = `serac/${version}`;
  return { ...avalancheGoVersions, node: own, vms: { avm: own, evm: own, platform: own } };
}

/** Names of virtual machines and feature extensions by ID (the bytes of the name, padded to 32). AvalancheGo: utils/constants/vm_ids.go, vms/*fx. */
export const vmNames: { readonly [id: string]: readonly string[] } = {
  jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq: ['avm'],
  mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6: ['evm'],
  rWhpuQPF1kb72esV2momhMuTYGkEb1oL29pt2EBXWmSy4kxnT: ['platform'],
};

export const fxNames: { readonly [id: string]: string } = {
  qd2U4HDWUvMrVUeTcCHp6xH3Qpnn1XbU5MDdnBoiifFqvgXwT: 'nftfx',
  rXJsCSEYXg2TehWxCEEGj6JU2PWKTkd6cBdNLjoe2SpsKD9cy: 'propertyfx',
  spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ: 'secp256k1fx',
};
