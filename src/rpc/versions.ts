/** Names and numbers by which clients judge compatibility. Peer: version/constants.go. */
export const peerVersions = {
  node: 'avalanchego/1.14.2',
  database: 'v1.4.5',
  /** Between a node and VMs that run as plugins. */
  rpcChainVm: 45,
  vms: { avm: 'avalanchego/1.14.2', evm: 'v1.14.2', platform: 'avalanchego/1.14.2' },
} as const;

export type NodeVersions = {
  readonly node: string;
  readonly database: string;
  readonly rpcChainVm: number;
  readonly vms: { readonly [name: string]: string };
};

/** What this node says of itself: its own name, for itself and for what answers on each chain; the peer's with `--strict`. */
export function nodeVersions(version: string, isStrict: boolean): NodeVersions {
  if (isStrict) return peerVersions;
  const own = `serac/${version}`;
  return { ...peerVersions, node: own, vms: { avm: own, evm: own, platform: own } };
}

/** Virtual machines and feature extensions by ID (the name's bytes, padded to 32), with their names. Peer: utils/constants/vm_ids.go, vms/*fx. */
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
