import { ipText, parseIp } from '../../base/bytes/ip-address.ts';
import { type NodeId, parseNodeId } from '../../base/bytes/node-id.ts';
import { Fault } from '../../base/fault.ts';
import type { Beacon } from './peer-changes.ts';

/** The values of `--bootstrap-ips` and `--bootstrap-ids`: lists of the same length, separated by commas. AvalancheGo: config/config.go. */
export function parseBeacons(ips: string, ids: string): Beacon[] {
  const [endpoints, nodes] = [split(ips).map(parseEndpoint), parseNodeIds('--bootstrap-ids', ids)];
  if (endpoints.length !== nodes.length)
    throw new BeaconError(
      `expected the number of bootstrapIPs (${endpoints.length}) to match the number of bootstrapIDs (${nodes.length}); give --bootstrap-ips and --bootstrap-ids the same nodes in the same order`,
      { code: 'BEACON_COUNTS_DIFFER', ips: endpoints.length, ids: nodes.length },
    );
  return endpoints.map((endpoint, index) => ({ node: nodes[index] as NodeId, endpoint }));
}

/** The value of a flag that takes node IDs, separated by commas. */
export const parseNodeIds = (flag: string, ids: string): NodeId[] => split(ids).map((text) => parseId(flag, text));

const split = (list: string): string[] =>
  list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function parseEndpoint(text: string): Beacon['endpoint'] {
  const [, host = '', digits = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  const ip = parseIp(host.replace(/^\[(.*)\]$/, '$1'));
  const port = Number(digits);
  if (ip === undefined || port === 0 || port > 65_535) throw badBeacon('--bootstrap-ips', text, 'an address such as 127.0.0.1:9651');
  return { ip: ipText(ip), port };
}

function parseId(flag: string, text: string): NodeId {
  try {
    return parseNodeId(text);
  } catch {
    throw badBeacon(flag, text, 'a node ID such as NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg');
  }
}

type BeaconFault = { code: 'BEACON_COUNTS_DIFFER'; ips: number; ids: number } | { code: 'BEACON_MALFORMED'; flag: string; text: string };
class BeaconError extends Fault<BeaconFault> {}

const badBeacon = (flag: string, text: string, expected: string) =>
  new BeaconError(`${flag}: "${text}" is not ${expected}`, { code: 'BEACON_MALFORMED', flag, text });
