import { idText } from '../../base/bytes/id.ts';
import { createParamContext } from './addresses.ts';
import { type ApiError, apiError, notFound } from './api-error.ts';
import type { ParamContext } from './param.ts';
import type { ServedChain, ServedChains } from './served-chains.ts';

/** Finds a chain of this server by alias, slug or blockchain ID. */
export const findChain = ({ chains }: ServedChains, name: string): ServedChain | undefined =>
  chains.find(({ id, aliases, slug }) => slug === name || aliases.includes(name) || idText(id) === name);

/** Finds a chain and throws 503 if it cannot answer now. */
export function findAnsweringChain(served: ServedChains, name: string): ServedChain | undefined {
  const found = findChain(served, name);
  const reason = found?.unavailable?.();
  if (reason !== undefined) throw apiError(503, reason);
  return found;
}

/** The context for reading parameters of requests to this server: the addresses of its network and the names of its chains. */
export const paramContextFor = (served: ServedChains): ParamContext => {
  const { hrp, alias } = served.network;
  return createParamContext(hrp, alias?.hrp, (name) => findChain(served, name)?.id ?? name);
};

export type OtherChain = ServedChains['otherChains'][number];

/** Finds the P-Chain or C-Chain, which this server has no data of. */
export const findOtherChain = ({ otherChains }: ServedChains, name: string): OtherChain | undefined =>
  otherChains.find(({ id, alias }) => alias === name || chainSlug(alias) === name || idText(id) === name);

/** The name of a chain of the primary network in paths and responses. */
const chainSlug = (alias: string): string => `${alias.toLowerCase()}-chain`;

/** A 404 that lists the chains of this server. `unknownName`: the sentence for a name that is not a known chain at all. */
export function unknownChain(served: ServedChains, name: string, unknownName: string): ApiError {
  const available = `This server serves chains of the AVM: ${served.chains.map(({ slug }) => slug).join(', ')}`;
  const otherChain = findOtherChain(served, name);
  return notFound(`${otherChain === undefined ? unknownName : `This server has no ${otherChain.alias}-Chain data`}. ${available}`);
}
