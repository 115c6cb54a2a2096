/** A request that a reader can send with curl. */
export type ExampleRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

/** The command for a shell. Values are quoted, so that the shell does not interpret them. */
export function curlText({ method, url, headers, body }: ExampleRequest): string {
  const options = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  // curl sends GET by itself, and POST with a body.
  if (method !== (body === undefined ? 'GET' : 'POST')) options.unshift(`-X ${method}`);
  if (body !== undefined) options.push(`-d ${quote(body)}`);
  return [`curl -s ${quote(url)}`, ...options].join(' \\\n  ');
}

/** A path in which the parameters without a value are marked for the reader: `{nodeId}` becomes `NODE_ID`. curl and URLs give braces another meaning. */
export const markMissing = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase());

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
