import { parseExactJson } from '../../api/client/exact-json.ts';
import { findServicePath } from '../../api/client/namespaces.ts';
import { clientServices, type ServiceRow } from '../../api/contract/client-services.ts';
import { type ClientCommand, formatJson } from './client-command.ts';
import { badArgument } from './fault.ts';

/** `serac rpc METHOD [PARAMS]`: calls any method of a node and prints its result as JSON. */
export const rpc: ClientCommand = async ({ client, args: [method = '', params = '{}'], print }) => {
  const service = findService(method);
  if (service !== undefined)
    throw badArgument(method, `${JSON.stringify(method)} is a service; its methods are ${Object.keys(service.methods).join(', ')}`);
  const path = findServicePath(method);
  if (path === undefined) throw badArgument(method, `${JSON.stringify(method)} is not a method of this node; ${suggestMethod(method)}`);
  print(formatJson(await client.call(path, method, readParams(params, method))));
  return undefined;
};

/** The service that a text names without a method: `dev` or `dev.`. */
const findService = (text: string): ServiceRow | undefined =>
  Object.values(clientServices).find(({ prefix }) => prefix === `${text.replace(/\.$/, '')}.`);

/** What to type in place of a method that no service has. */
function suggestMethod(method: string): string {
  const namesakes = Object.values(clientServices).flatMap(({ prefix, methods }) =>
    Object.keys(methods)
      .filter((name) => name.toLowerCase() === method.toLowerCase())
      .map((name) => `serac rpc ${prefix}${name}`),
  );
  if (namesakes.length > 0) return `did you mean ${namesakes.join(' or ')}?`;
  if (/^eth_|^net_|^web3_/.test(method)) return 'it is of the C-Chain, and this is the X-Chain: serac rpc avm.getHeight';
  if (method.startsWith('platform.')) return 'it is of the P-Chain, and this is the X-Chain: serac rpc avm.getHeight';
  return `methods begin with ${Object.values(clientServices)
    .map(({ prefix }) => prefix)
    .join(', ')}`;
}

/** Parameters of a method as JSON, with `…` for their values. */
function exampleParams(method: string): string {
  const [service = '', name = ''] = method.split('.');
  const { params = {} } = ((clientServices as { readonly [service: string]: ServiceRow })[service]?.methods ?? {})[name] ?? {};
  return JSON.stringify(
    Object.fromEntries(
      Object.keys(params)
        .slice(0, 1)
        .map((param) => [param, '…']),
    ),
  );
}

function readParams(text: string, method: string): object {
  try {
    const params = parseExactJson(text);
    if (typeof params === 'object' && params !== null) return params;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw badArgument(
    text,
    `${JSON.stringify(text)} is no JSON object; names have double quotes, and single quotes around all keep them from the shell: serac rpc ${method} '${exampleParams(method)}'`,
  );
}
