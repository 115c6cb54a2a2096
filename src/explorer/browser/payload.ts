import { minHeightHeader } from '../../api/http/own-headers.ts';
import type { PagePayload } from '../views/page-payload.ts';

/** The API key that the reader entered in this tab; empty if none. */
export const apiKey = (): string => sessionStorage.getItem('serac-api-key') ?? '';

/** Keeps an API key for this tab; an empty text removes it. */
export function keepApiKey(key: string): void {
  if (key.trim() === '') sessionStorage.removeItem('serac-api-key');
  else sessionStorage.setItem('serac-api-key', key.trim());
}

/** The token of `/ext/dev` that the reader entered in this tab; empty if none. */
export const devToken = (): string => sessionStorage.getItem('serac-dev-token') ?? '';

/** Keeps the token for this tab; an empty text removes it. */
export function keepDevToken(token: string): void {
  if (token.trim() === '') sessionStorage.removeItem('serac-dev-token');
  else sessionStorage.setItem('serac-dev-token', token.trim());
}

/** The token is sent to this path and to the routes of webhooks only. */
export const devPath = '/ext/dev';

/** The header that carries the token. */
export const devHeaders = (): Record<string, string> => (devToken() === '' ? {} : { authorization: `Bearer ${devToken()}` });

/** The headers of a call of the Node RPC or of `/ext/dev`. */
export const rpcHeaders = (path: string): Record<string, string> => {
  const headers = path === devPath ? devHeaders() : {};
  return { 'content-type': 'application/json', ...headers };
};

export const readPayload = (): PagePayload => JSON.parse(document.getElementById('payload')?.textContent ?? 'null') as PagePayload;

/** The header that carries the API key. */
const keyHeaders = (): Record<string, string> => (apiKey() === '' ? {} : { 'x-service-api-key': apiKey() });

/** Gets a route of this server as text; undefined if it does not answer with status 200. */
export async function getText(path: string): Promise<string | undefined> {
  try {
    const response = await fetch(path, { headers: keyHeaders() });
    return response.status === 200 ? await response.text() : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Loads the page at this URL again. `height`: of the last block that this page knows; another server may answer, and must have it. Undefined if
 * the server does not answer.
 */
export async function fetchPayload(height: number): Promise<{ readonly payload: PagePayload; readonly status: number } | undefined> {
  try {
    const response = await fetch(location.pathname + location.search, {
      headers: { accept: 'text/html', [minHeightHeader]: String(height), ...keyHeaders(), ...devHeaders() },
    });
    const text = await response.text();
    const start = text.indexOf('id="payload">');
    if (start < 0) return undefined;
    return { payload: JSON.parse(text.slice(start + 13, text.lastIndexOf('</script>'))) as PagePayload, status: response.status };
  } catch {
    return undefined;
  }
}
