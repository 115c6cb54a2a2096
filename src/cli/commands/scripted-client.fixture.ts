import { SeracError } from '../../api/client/fault.ts';
import type { RpcClient } from '../../api/client/rpc-client.ts';
import type { ClientContext } from './client-command.ts';

/** What a scripted node answers to a method or path: a value, or what a function makes of the parameters or query. An error is thrown. */
type Answer = object | undefined | ((given: Readonly<Record<string, unknown>>) => unknown);
export type Answers = Readonly<Record<string, Answer>>;

/** An error that a node answers a method with, and one that says that the node does not serve something. */
export const rpcError = (message: string): SeracError =>
  new SeracError(message, { code: 'RPC_ERROR', method: 'm', rpcCode: -32000, data: undefined });
export const httpError = (status: number): SeracError =>
  new SeracError(`status ${status}`, { code: 'NODE_HTTP', url: 'http://node', status });

/**
 * A client of a node that answers from a table: keys are methods, such as `avm.getHeight`, or paths below the X-Chain in the Data API, such as
 * `/blocks`. A method that is not in it is refused with status 404; a path as by a node without a Data API. `asked` lists what was asked, with queries.
 */
export function createScriptedClient(answers: Answers): { readonly client: RpcClient; readonly asked: readonly string[] } {
  const asked: string[] = [];
  const find = (key: string, given: Readonly<Record<string, unknown>>): unknown => {
    const answer = answers[key];
    const value: unknown = typeof answer === 'function' ? answer(given) : answer;
    if (value instanceof SeracError) throw value;
    return value;
  };
  const client = {
    url: 'http://node',
    call: async (_: string, method: string, params: Readonly<Record<string, unknown>> = {}) => {
      asked.push(method);
      if (method === 'info.getNetworkName') return { networkName: 'local' };
      if (!(method in answers)) throw httpError(404);
      return find(method, params);
    },
    request: async (target: string) => {
      const { pathname, search, searchParams } = new URL(target, 'http://node');
      const path = pathname.replace('/v1/networks/local/blockchains/x-chain', '');
      asked.push(path + search);
      if (!(path in answers)) return new Response('not found', { status: 404 });
      const found = find(path, Object.fromEntries(searchParams));
      return found === undefined ? Response.json({ message: 'not found' }, { status: 404 }) : Response.json(found);
    },
    readText: (response: Response) => response.text(),
  };
  return { client: client as unknown as RpcClient, asked };
}

/** Runs a command with a scripted client. Returns the lines that it prints and its exit code. */
export async function runCommand(
  command: (context: ClientContext) => Promise<number | undefined>,
  client: RpcClient,
  args: readonly string[] = [],
  options: object = {},
): Promise<{ readonly lines: readonly string[]; readonly code: number | undefined }> {
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);
  const wait = <T>(_: string, work: Promise<T>): Promise<T> => work;
  const code = await command({ client, args, options, print, wait } as unknown as ClientContext);
  return { lines, code };
}
