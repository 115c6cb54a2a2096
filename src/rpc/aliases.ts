import { type Id, idText } from '../bytes/id.ts';
import { RpcError } from './fault.ts';

export type NamedChain = { readonly id: Id; readonly aliases: readonly string[] };

/** Names of chains: every alias and the id's own text lead to the id. */
export type Aliases = {
  readonly find: (name: string) => Id | undefined;
  /** As find, but a name nobody has is a fault. Peer: ids/aliases.go. */
  readonly lookup: (name: string) => Id;
  /** The name an id goes by in addresses: its first alias. */
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
