import { type Id, idText } from '../../base/bytes/id.ts';
import { RpcError } from './fault.ts';

type NamedChain = { readonly id: Id; readonly aliases: readonly string[] };

/** Names of chains. A name is an alias or the text of the chain ID. */
export type Aliases = {
  readonly find: (name: string) => Id | undefined;
  /** Like `find`, but throws if no chain has this name. AvalancheGo: ids/aliases.go. */
  readonly lookup: (name: string) => Id;
  /** The chain's first alias, which its addresses start with. */
  readonly primary: (id: Id) => string;
};

export function createAliases(chains: readonly NamedChain[]): Aliases {
  const ids = new Map<string, Id>();
  const names = new Map<Id, string>();
  for (const { id, aliases } of chains) {
    for (const alias of [...aliases, idText(id)]) ids.set(alias, id);
    names.set(id, aliases[0] ?? idText(id));
  }
  return {
    find: (name) => ids.get(name),
    lookup: (name) => {
      const id = ids.get(name);
      if (id === undefined) throw new RpcError(`there is no ID with alias: ${name}`, { code: 'RPC_UNKNOWN_CHAIN', name });
      return id;
    },
    primary: (id) => names.get(id) ?? idText(id),
  };
}
