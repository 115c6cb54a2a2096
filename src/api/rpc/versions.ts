/** The version of AvalancheGo that this program is compatible with. */
const compatibleVersion = { major: 1, minor: 14, patch: 2 } as const;
const compatibleNumber = `${compatibleVersion.major}.${compatibleVersion.minor}.${compatibleVersion.patch}`;

/** Versions by which clients check compatibility. AvalancheGo: version/constants.go. */
const avalancheGoVersions: NodeVersions = {
  node: `avalanchego/${compatibleNumber}`,
  database: 'v1.4.5',
  /** Protocol version between a node and its plugin VMs. */
  rpcChainVm: 45,
  vms: { avm: `avalanchego/${compatibleNumber}`, evm: `v${compatibleNumber}`, platform: `avalanchego/${compatibleNumber}` },
};

export type NodeVersions = {
  readonly node: string;
  readonly database: string;
  readonly rpcChainVm: number;
  readonly vms: { readonly [name: string]: string };
};

/** What peers are told. AvalancheGo refuses peers below its minimum, so the number is AvalancheGo's and the program's own is in the name. */
type PeerVersion = { readonly name: string; readonly major: number; readonly minor: number; readonly patch: number };

export const peerVersionOf = (version: string, isStrict: boolean): PeerVersion => ({
  name: isStrict ? 'avalanchego' : `serac/${version} avalanchego`,
  ...compatibleVersion,
});

/** As AvalancheGo writes the version of a peer: version/application.go. */
const versionText = ({ name, major, minor, patch }: PeerVersion): string => `${name}/${major}.${minor}.${patch}`;

/** Versions that this node reports: those that peers see for the node and its VMs, or AvalancheGo's with `--strict`. */
export function nodeVersions(version: string, isStrict: boolean): NodeVersions {
  if (isStrict) return avalancheGoVersions;
  const own = versionText(peerVersionOf(version, isStrict));
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
