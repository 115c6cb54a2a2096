import type { NodeApi } from '../api/client/client.ts';

/** What a script of `serac run` gets: the client of a node, its URL for SDKs, and the arguments after the script's name. */
export type ScriptContext = NodeApi & { readonly url: string; readonly args: readonly string[] };

/**
 * The default export of a script of `serac run`. A number that it returns is the exit code.
 *
 *     import type { Script } from 'serac';
 *     export default (async ({ avm }) => console.log(await avm.getHeight())) satisfies Script;
 */
export type Script = (context: ScriptContext) => unknown;
