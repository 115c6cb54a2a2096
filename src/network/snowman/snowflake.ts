import type { SnowParameters } from './parameters.ts';

/** A Snowflake instance: successive successful polls, and whether they were enough. AvalancheGo: snow/consensus/snowball/*_snowflake.go. */
export type Snowflake = { readonly confidence: number; readonly isFinal: boolean };

export const newSnowflake: Snowflake = { confidence: 0, isFinal: false };

/** After a poll with at least `alphaPreference` votes for the preference. */
export function afterSuccess(flake: Snowflake, votes: number, { alphaConfidence, beta }: SnowParameters): Snowflake {
  const confidence = votes >= alphaConfidence ? flake.confidence + 1 : 0;
  return { confidence, isFinal: flake.isFinal || confidence >= beta };
}

/** After a poll without them: finality stays, confidence does not. */
export const afterFailure = (flake: Snowflake): Snowflake => ({ confidence: 0, isFinal: flake.isFinal });
