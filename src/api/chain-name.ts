import { idText } from '../bytes/id.ts';
import { paramContext } from './addresses.ts';
import type { ParamContext } from './param.ts';
import { notFound, type Refusal } from './refusal.ts';
import type { Served, ServedChain } from './served.ts';

/** A chain of this server by its alias, its slug or its blockchain ID. */
export const findChain = ({ chains }: Served, name: string): ServedChain | undefined =>
  chains.find(({ id, aliases, slug }) => slug === name || aliases.includes(name) || idText(id) === name);

/** Reads parameters for a server: addresses of its network, and any name of a chain. */
export const contextOf = (served: Served): ParamContext => {
  const { hrp, alias } = served.network;
  return paramContext(hrp, alias?.hrp, (name) => findChain(served, name)?.id ?? name);
};

export type Counterpart = Served['counterparts'][number];

/** P or C, which this server knows by name only. */
export const findCounterpart = ({ counterparts }: Served, name: string): Counterpart | undefined =>
  counterparts.find(({ id, alias }) => alias === name || slugOf(alias) === name || idText(id) === name);

/** How paths and answers call a chain of the primary network. */
export const slugOf = (alias: string): string => `${alias.toLowerCase()}-chain`;

/** Why there is no such chain here, and which there are. `unheardOf`: the sentence for a name that is none at all. */
export function unknownChain(served: Served, name: string, unheardOf: string): Refusal {
  const here = `This server serves chains of the AVM: ${served.chains.map(({ slug }) => slug).join(', ')}`;
  const counterpart = findCounterpart(served, name);
  return notFound(`${counterpart === undefined ? unheardOf : `This server has no ${counterpart.alias}-Chain data`}. ${here}`);
}
