import { type Id, idText } from '../../base/bytes/id.ts';
import { RpcError } from './fault.ts';

/** Names of chains. A name is an alias or the text of the chain ID. */
export type Aliases = ReturnType<typeof createAliases>;

export function createAliases(chains: readonly { readonly id: Id; readonly aliases: readonly string[] }[]) {
  const ids = new Map<string, Id>();
  const names = new Map<Id, string>();
  for (const { id, aliases } of chains) {
    for (const alias of [...aliases, idText(id)]) ids.set(alias, id);
    names.set(id, aliases[0] ?? idText(id));
  }
  return {
    find: (name: string): Id | undefined => ids.get(name),
    /** Like `find`, but throws if no chain has this name. AvalancheGo: ids/aliases.go. */
    lookup: (name: string): Id => {
      const id = ids.get(name);
      if (id === undefined) throw new RpcError(`there is no ID with alias: ${name}`, { code: 'RPC_UNKNOWN_CHAIN', name });
      return id;
    },
    /** The chain's first alias, which its addresses start with. */
    primary: (id: Id): string => names.get(id) ?? idText(id),
  };
}
