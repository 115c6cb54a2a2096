import { lookup } from 'node:dns/promises';
import type { SeracError } from '../../api/client/fault.ts';

/** One thing that was examined: what was found, and if it is a problem, what to do. */
export type Finding = { readonly topic: string; readonly ok: boolean; readonly text: string; readonly remedy?: string };

/** Explains why a node cannot be examined: nothing answers at the URL, or something that is not a node. */
export async function explainConnection(url: string, error: SeracError): Promise<Finding> {
  const { fault } = error;
  const wrong = (text: string, remedy: string): Finding => ({ topic: 'connection', ok: false, text, remedy });
  const { hostname, protocol } = new URL(url);
  if (fault.code === 'NODE_UNREACHABLE') {
    if (!(await isKnownHost(hostname))) return wrong(`the host name ${hostname} is unknown`, 'Check the spelling, or use the IP address.');
    if (protocol === 'https:')
      return wrong(
        `no HTTPS server answers at ${url}`,
        'A node serves plain HTTP unless a proxy adds TLS: try http:// instead of https://.',
      );
    return wrong(
      `no HTTP server answers at ${url}`,
      'Check that the node is running and that the port is its --http-port (9650 by default). To be reached from another machine or container it needs --http-host=0.0.0.0.',
    );
  }
  if (fault.code === 'NODE_TIMEOUT')
    return wrong(`${url} did not answer within ${fault.milliseconds / 1000} s`, 'Look at the load of the machine and the log of the node.');
  if (fault.code !== 'NODE_HTTP') return { topic: 'connection', ok: false, text: error.message };
  const remedies: { readonly [status: number]: readonly [string, string] } = {
    403: [
      `${url} refuses the host name ${hostname} (403)`,
      `Start the node with --http-allowed-hosts=${hostname}, or call it by its IP address.`,
    ],
    404: [
      `${url} has no /ext/info (404)`,
      'Either it is not an Avalanche node, so check the port, or it runs with --api-info-enabled=false.',
    ],
  };
  const [text, remedy] = remedies[fault.status] ?? [
    `${url} answers with status ${fault.status}, but not as an Avalanche node`,
    'Another program uses this port: check the port, or a proxy in between.',
  ];
  return wrong(text, remedy);
}

async function isKnownHost(host: string): Promise<boolean> {
  try {
    await lookup(host.replace(/^\[|\]$/g, ''));
    return true;
  } catch {
    return false;
  }
}
