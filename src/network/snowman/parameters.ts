import { Fault } from '../../base/fault.ts';

/** Parameters of the Snowman consensus. AvalancheGo: snow/consensus/snowball/parameters.go. */
export type SnowParameters = {
  /** Units of stake that a poll samples. */
  readonly k: number;
  /** Votes of one poll that change the preference. */
  readonly alphaPreference: number;
  /** Votes of one poll that raise the confidence. */
  readonly alphaConfidence: number;
  /** Successive polls with `alphaConfidence` votes that decide. */
  readonly beta: number;
};

export const defaultParameters: SnowParameters = { k: 20, alphaPreference: 15, alphaConfidence: 15, beta: 20 };

/** Throws unless k/2 < alphaPreference <= alphaConfidence <= k and beta >= 1. */
export function verifyParameters({ k, alphaPreference, alphaConfidence, beta }: SnowParameters): void {
  const isValid = alphaPreference > Math.floor(k / 2) && alphaPreference <= alphaConfidence && alphaConfidence <= k && beta >= 1;
  if (!isValid)
    throw new SnowmanError(
      `invalid consensus parameters: k ${k}, alphaPreference ${alphaPreference}, alphaConfidence ${alphaConfidence}, beta ${beta}; ` +
        'k/2 < alphaPreference <= alphaConfidence <= k and beta >= 1 must hold',
      { code: 'SNOWMAN_BAD_PARAMETERS' },
    );
}

type SnowmanFault =
  | { code: 'SNOWMAN_BAD_PARAMETERS' }
  | { code: 'SNOWMAN_DUPLICATE_BLOCK'; id: string }
  | { code: 'SNOWMAN_UNKNOWN_PARENT'; id: string; parentID: string };
export class SnowmanError extends Fault<SnowmanFault> {}
