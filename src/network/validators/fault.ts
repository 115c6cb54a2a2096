import { Fault } from '../../base/fault.ts';

type ValidatorsFault =
  | { code: 'VALIDATORS_UNAVAILABLE'; url: string; why: string }
  /** The trusted node is of another network, or its response cannot be right. */
  | { code: 'VALIDATORS_INVALID'; url: string; why: string };
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
