import { createClient } from '../../api/client/client.ts';
import { loadScript } from '../../app/platform/load-script.ts';
import { createNode } from '../../sdk/create-node.ts';
import type { Script, ScriptContext } from '../../sdk/script.ts';
import type { ClientCommand, ClientContext } from './client-command.ts';
import { badArgument } from './fault.ts';

/** `serac run SCRIPT`: calls the default export of a module with the client of a node: that of `--url`, or a new one that ends with the script. */
export const run: ClientCommand = async (context) => {
  const [file = '', ...args] = context.args;
  const script = await loadScript(file);
  if (typeof script !== 'function')
    throw badArgument(file, `${file} has no function as its default export; write: export default async ({ dev, avm, args }) => { … }`);
  const { api, close } = await openNode(context);
  try {
    const code: unknown = await (script as Script)({ ...api, args });
    return typeof code === 'number' ? code & 255 : undefined;
  } finally {
    await close();
  }
};

type OpenNode = { readonly api: Omit<ScriptContext, 'args'>; readonly close: () => Promise<void> };

async function openNode({ options, given }: ClientContext): Promise<OpenNode> {
  if (given.has('url'))
    return { api: createClient({ url: options.url, token: options['dev-token'], apiKey: options['api-key'] }), close: async () => {} };
  const node = await createNode();
  return { api: { ...node, url: await node.listen(0) }, close: node.close };
}
