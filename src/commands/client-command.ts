import type { Options } from '../cli/flags.ts';
import type { RpcClient } from '../client/rpc-client.ts';

/** What a command that asks a running node works with. */
export type ClientContext = {
  readonly client: RpcClient;
  readonly args: readonly string[];
  readonly options: Options;
  /** Prints a line to standard output. */
  readonly print: (line: string) => void;
  /** The contents of a file as a stream, or undefined if it cannot be read. */
  readonly readFile: (path: string) => Promise<Blob | undefined>;
  /** Replaces a file by the chunks of a stream; the old file stays if the stream fails. */
  readonly writeFile: (path: string, chunks: AsyncIterable<Uint8Array>) => Promise<number>;
  /** Aborted when the user interrupts the command. */
  readonly interrupted: AbortSignal;
};

/** Runs a command; returns the exit code if it is not 0. */
export type ClientCommand = (context: ClientContext) => Promise<number | undefined>;

/** Calls a `dev.*` method; undefined parameters are left out. */
export const callDev = (client: RpcClient, name: string, params: object = {}): Promise<unknown> =>
  client.call('/ext/dev', `dev.${name}`, params);

/**
 * A command that calls one `dev.*` method. With `--json` its result is printed as it is, otherwise as the lines of `format`.
 * `read` takes the parameters from arguments and flags; undefined ones are left out.
 */
export const devCommand =
  <R>(
    method: string,
    read: (args: readonly string[], options: Options) => object,
    format: (result: R) => readonly string[],
  ): ClientCommand =>
  async ({ client, args, options, print }) => {
    const result = await callDev(client, method, read(args, options));
    if (options.json) print(JSON.stringify(result));
    else for (const line of format(result as R)) print(line);
    return undefined;
  };
