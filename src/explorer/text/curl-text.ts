/** A request that a reader can send with curl. */
export type CurlRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

/** The command for a shell. Values are quoted, so that the shell does not interpret them. */
export function curlText({ url, headers, body }: CurlRequest): string {
  const options = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  if (body !== undefined) options.push(`-d ${quote(body)}`);
  return [`curl -s ${quote(url)}`, ...options].join(' \\\n  ');
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
