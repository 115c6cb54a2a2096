import type { ClientCommand } from './client-command.ts';
import { formatTable } from './table.ts';

/** A peer as `info.peers` returns it; `--json` prints all of it. */
type Peer = { readonly nodeID: string; readonly ip: string; readonly version: string; readonly benched?: readonly string[] | null };

/** `serac peers`: the peers of a node, Serac or AvalancheGo, as a table. Chains on which a peer is benched are listed if there are any. */
export const peers: ClientCommand = async ({ client, options, print }) => {
  const result = (await client.call('/ext/info', 'info.peers', { nodeIDs: [] })) as { readonly peers: readonly Peer[] | null };
  if (options.json) {
    print(JSON.stringify(result));
    return undefined;
  }
  // AvalancheGo before 1.9 does not send `benched`.
  const found = result.peers ?? [];
  const isAnyBenched = found.some(({ benched }) => (benched ?? []).length > 0);
  const rows = found.map(({ nodeID, ip, version, benched }) => [
    nodeID,
    ip,
    version,
    ...(isAnyBenched ? [(benched ?? []).join(', ')] : []),
  ]);
  const head = ['NODE ID', 'ADDRESS', 'VERSION', ...(isAnyBenched ? ['BENCHED'] : [])];
  if (rows.length === 0) print('no peers; serac join and serac testnet run nodes with peers');
  else for (const line of formatTable(head, rows)) print(line);
  return undefined;
};
