import { join } from 'node:path';
import { openChainStore } from './chain-store.ts';
import { isSelected } from './measure.ts';
import type { Options } from './options.ts';
import { measureAcceptance } from './p2p-acceptance.ts';
import { measureBootstraps } from './p2p-bootstrap.ts';
import { measureIdlePeers } from './p2p-idle.ts';
import { joinedAvalancheGo, joinedSerac } from './p2p-node.ts';
import { measureStakers } from './p2p-stakers.ts';
import { formatTable, type ReportRow } from './report.ts';
import type { BenchEnv } from './servers.ts';

/** Measures nodes on a network: bootstrapping, the time from issue to acceptance, the cost of idle peers, and stakers of both kinds in one network. */
export async function runP2p(env: BenchEnv, options: Options, binary: string | undefined): Promise<readonly ReportRow[]> {
  const rows: ReportRow[] = [];
  const report = (row: ReportRow): void => void rows.push(row);
  const launchers = { ours: joinedSerac(env), theirs: binary === undefined ? undefined : joinedAvalancheGo(env, binary) };
  if (isSelected('bootstrap', options)) await measureBootstraps(env, launchers, options, report);
  for (const nodes of [2, 5])
    if (isSelected(`issue to acceptance, ${nodes} nodes`, options)) await measureAcceptance(launchers, nodes, options, report);
  if (isSelected('idle peers', options)) await measureIdlePeers(launchers, readContext(env), options, report);
  const keys = process.env.AVALANCHEGO_STAKING_KEYS;
  if (isSelected('stakers', options) && binary !== undefined && keys !== undefined)
    await measureStakers(env, binary, keys, options, report);
  console.log(formatTable(rows, { ours: 'Serac', theirs: 'AvalancheGo', showTargets: binary !== undefined }));
  return rows;
}

/** The IDs of the chains of the local network and of their first blocks. */
function readContext({ dir }: BenchEnv) {
  const { context, close } = openChainStore(join(dir, 'context'), 'write');
  close();
  return context;
}
