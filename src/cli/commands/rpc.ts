import { parseExactJson } from '../../api/client/exact-json.ts';
import { findServicePath } from '../../api/client/namespaces.ts';
import { clientServices } from '../../api/contract/client-services.ts';
import { type ClientCommand, formatJson } from './client-command.ts';
import { badArgument } from './fault.ts';

/** `serac rpc METHOD [PARAMS]`: calls any method of a node and prints its result as JSON. */
export const rpc: ClientCommand = async ({ client, args: [method = '', params = '{}'], print }) => {
  const path = findServicePath(method);
  if (path === undefined)
    throw badArgument(
      method,
      `${JSON.stringify(method)} is not a method; methods begin with ${Object.keys(clientServices)
        .map((service) => `${service}.`)
        .join(', ')}`,
    );
  print(formatJson(await client.call(path, method, readParams(params))));
  return undefined;
};

function readParams(text: string): object {
  try {
    const params = parseExactJson(text);
    if (typeof params === 'object' && params !== null) return params;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw badArgument(text, `the parameters must be a JSON object, such as '{"height":"5"}'`);
}
