import { SeracError } from '../../api/client/fault.ts';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import { readApiMessage, shownText } from '../../api/rest/api-error.ts';

/** Reads the Data API of a node: `get('/blocks/5')`. Returns undefined if there is no such thing. */
export async function createDataClient(client: RpcClient): Promise<(path: string) => Promise<unknown>> {
  const { networkName } = (await client.call('/ext/info', 'info.getNetworkName')) as { networkName: string };
  return async (path) => {
    const response = await client.request(`/v1/networks/${encodeURIComponent(networkName)}/blockchains/x-chain${path}`);
    if (response.status === 404) return undefined;
    const text = await client.readText(response);
    if (response.ok) return parseAnswer(text, client.url);
    throw new SeracError(`${client.url}: ${readApiMessage(text) ?? `status ${response.status}`}`, {
      code: 'NODE_HTTP',
      url: client.url,
      status: response.status,
    });
  };
}

/** The JSON of an answer. Throws if it is none. */
export function parseAnswer(text: string, url: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SeracError(`${url} does not answer with JSON: ${shownText(text)}`, { code: 'NODE_HTTP', url, status: 200 });
  }
}
