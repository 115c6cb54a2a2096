import { mapMethods, type Services } from '../../api/rpc/method.ts';
import type { Json } from '../../api/rpc/write-json.ts';
import { Fault } from '../../base/fault.ts';

/*
 * RPC methods of a node that does not have all that they read: a fork of a live network (solo/fork.ts), and a node that has joined a network
 * (joined/joined-imports.ts). Before such a method runs, what its parameters name is fetched from another node and stored.
 */

/** The parameters of RPC methods that name what must be fetched. */
export type FetchParams = {
  readonly address?: string;
  readonly addresses?: readonly string[];
  readonly assetID?: string;
  readonly sourceChain?: string;
};

/** By name of a method, such as `avm.getUTXOs`: fetches what the method reads. Returns undefined if nothing has to be fetched. */
export type Fetches = { readonly [method: string]: (params: FetchParams) => Promise<void> | undefined };

/** Returns the services with each method of `fetches` waiting for its fetch before it runs. `createNodeChain` does this with the methods of `avm`. */
export const withFetchedFirst = (services: Services, fetches: Fetches): Services =>
  mapMethods(services, (method, name) => {
    const fetch = fetches[name];
    if (fetch === undefined) return method;
    const run = async (params: unknown): Promise<Json> => {
      await fetch(params as FetchParams);
      return method.run(params);
    };
    return { ...method, run };
  });

/** The values of the texts that can be parsed. An invalid text is left to the method, which refuses it. */
export const parseValid = <T>(parse: (text: string) => T, texts: readonly string[]): T[] =>
  texts.flatMap((text) => {
    try {
      return [parse(text)];
    } catch (error) {
      if (error instanceof Fault) return [];
      throw error;
    }
  });
