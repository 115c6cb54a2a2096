import { Fault } from '../../base/fault.ts';

type ValidatorsFault =
  | { code: 'VALIDATORS_UNAVAILABLE'; url: string; why: string }
  /** The response of the trusted node cannot be right. */
  | { code: 'VALIDATORS_INVALID'; url: string; why: string }
  | { code: 'VALIDATORS_WRONG_NETWORK'; url: string; networkID: number; own: number }
  /** Several trusted nodes, and no majority of them says the same. */
  | { code: 'VALIDATORS_DISAGREE'; urls: string; why: string };
export class ValidatorsError extends Fault<ValidatorsFault> {}

export const unavailable = (url: string, why: string) =>
  new ValidatorsError(`cannot read validators from ${url} (${why}); check that --validators-from is the URL of a running node`, {
    code: 'VALIDATORS_UNAVAILABLE',
    url,
    why,
  });

export const invalid = (url: string, why: string) =>
  new ValidatorsError(`the node of --validators-from, ${url}, gave an unusable response (${why})`, {
    code: 'VALIDATORS_INVALID',
    url,
    why,
  });

export const wrongNetwork = (url: string, networkID: number, own: number) =>
  new ValidatorsError(`the node of --validators-from, ${url}, is of network ${networkID}, this node is of network ${own}`, {
    code: 'VALIDATORS_WRONG_NETWORK',
    url,
    networkID,
    own,
  });

export const disagreement = (urls: string, why: string) =>
  new ValidatorsError(`the nodes of --validators-from (${urls}) do not agree (${why}); check that all are honest nodes of the network`, {
    code: 'VALIDATORS_DISAGREE',
    urls,
    why,
  });
