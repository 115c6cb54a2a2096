import { decode } from '../../api/client/convert.ts';
import { createNamespaces, type Namespaces } from '../../api/client/namespaces.ts';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import { clientServices, devRows } from '../../api/contract/client-services.ts';
import type { ResultOf } from '../../api/contract/method.ts';
import { type Json, writeJson } from '../../api/rpc/write-json.ts';
import type { FlagInputs } from '../../app/config/flag-source.ts';
import type { Options } from '../../app/config/flag-table.ts';
import type { Env } from '../../app/platform/env.ts';

/** What a command that asks a running node works with. */
export type ClientContext = {
  readonly client: RpcClient;
  readonly args: readonly string[];
  readonly options: Options;
  /** The flags that were given, by the command line, a variable or the config file. */
  readonly given: FlagInputs;
  /** Prints one line to standard output; characters that a terminal would obey are replaced, or escaped in JSON. */
  readonly print: (line: string) => void;
  /** The contents of a file as a stream, or undefined if it cannot be read. */
  readonly readFile: (path: string) => Promise<Blob | undefined>;
  /** Replaces a file by the chunks of a stream; the old file stays if the stream fails. */
  readonly writeFile: (path: string, chunks: AsyncIterable<Uint8Array>) => Promise<number>;
  /** Standard input. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Writes to standard output as it is. */
  readonly write: (text: string) => void;
  readonly env: Env;
  /** Awaits work; while it takes long, a terminal shows what is waited for. */
  readonly wait: <T>(what: string, work: Promise<T>) => Promise<T>;
  /** Asks a question at the terminal. Undefined if standard input is no terminal. */
  readonly confirm: (question: string) => Promise<boolean | undefined>;
  /** Returns a signal that is aborted when the user interrupts the command, which then ends by itself. Without this call it is ended at once. */
  readonly onInterrupt: () => AbortSignal;
};

/** Runs a command; returns the exit code if it is not 0. */
export type ClientCommand = (context: ClientContext) => Promise<number | undefined>;

/** Calls a `dev.*` method; undefined parameters are left out. Returns its result as JSON. */
export const callDev = (client: RpcClient, name: string, params: object = {}): Promise<unknown> =>
  client.call(clientServices.dev.path, `dev.${name}`, params);

/** The methods of a node as functions. Throws `NODE_BAD_RESULT` for an answer that does not have the documented form. */
export const nodeMethods = ({ call }: RpcClient): Namespaces => createNamespaces(call);

type DevMethod = keyof typeof devRows;
export type DevResult<M extends DevMethod> = ResultOf<(typeof devRows)[M]>;

/** The JSON of a result as text. Integers above 2^53 are not rounded. */
export const formatJson = (result: unknown): string => writeJson(result as Json);

/** The result of a `dev.*` method from its JSON: amounts are bigints. */
export const decodeDev = <M extends DevMethod>(method: M, json: unknown): DevResult<M> =>
  decode(devRows[method].result, json, '') as DevResult<M>;

/**
 * A command that calls one `dev.*` method. With `--json` its result is printed as it is, otherwise as the lines of `format`.
 * `read` takes the parameters from arguments and flags; undefined ones are left out.
 */
export const devCommand =
  <M extends DevMethod>(
    method: M,
    read: (args: readonly string[], options: Options) => object,
    format: (result: DevResult<M>) => readonly string[],
  ): ClientCommand =>
  async ({ client, args, options, print, wait }) => {
    const json = await wait(`waiting for dev.${method}`, callDev(client, method, read(args, options)));
    if (options.json) print(formatJson(json));
    else for (const line of format(decodeDev(method, json))) print(line);
    return undefined;
  };
