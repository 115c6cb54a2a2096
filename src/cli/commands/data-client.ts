import { SeracError } from '../../api/client/fault.ts';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import { readApiMessage, shownText } from '../../api/rest/api-error.ts';
import { nodeMethods } from './client-command.ts';

/**
 * Reads the Data API of a node: `get('/blocks/5')`. Returns undefined if the Data API says that there is no such thing. Throws
 * `NODE_NO_DATA_API` if the node has no Data API: then its 404 says nothing about the block.
 */
export async function createDataClient(client: RpcClient): Promise<(path: string) => Promise<unknown>> {
  const { networkName } = await nodeMethods(client).info.getNetworkName();
  return async (path) => {
    const response = await client.request(`/v1/networks/${encodeURIComponent(networkName)}/blockchains/x-chain${path}`);
    const text = await client.readText(response);
    if (response.status === 404 && readApiMessage(text) !== undefined) return undefined;
    if (response.status === 404)
      throw new SeracError(`${client.url} has no Data API: it is AvalancheGo, or runs with --data-api-enabled=false`, {
        code: 'NODE_NO_DATA_API',
        url: client.url,
      });
    if (response.ok) return parseAnswer(text, client.url);
    throw new SeracError(`${client.url}: ${readApiMessage(text) ?? `status ${response.status}`}`, {
      code: 'NODE_HTTP',
      url: client.url,
      status: response.status,
    });
  };
}

/** What the Data API tells, or what `fallback` makes of the Node RPC if the node has no Data API. */
export const orWithoutDataApi = <T, F>(answer: Promise<T>, fallback: () => F): Promise<T | F> =>
  answer.catch((error: unknown) => {
    if (error instanceof SeracError && error.fault.code === 'NODE_NO_DATA_API') return fallback();
    throw error;
  });

/** The JSON of an answer. Throws if it is none. */
export function parseAnswer(text: string, url: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SeracError(`${url} does not answer with JSON: ${shownText(text)}`, { code: 'NODE_HTTP', url, status: 200 });
  }
}
