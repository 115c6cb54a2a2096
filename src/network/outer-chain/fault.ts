import { Fault } from '../../base/fault.ts';

/** Why an outer block cannot be verified, decided or read; src/network/proposervm has the rules themselves. */
type OuterChainFault =
  | { code: 'OUTER_PARENT_UNKNOWN'; parentID: string }
  | { code: 'OUTER_UNWRAPPED' }
  | { code: 'OUTER_VALIDATORS_NOT_LOADED'; pChainHeight: bigint }
  | { code: 'OUTER_NOT_PROCESSING'; blockID: string }
  | { code: 'OUTER_MISSING'; height: bigint; innerHeight: bigint }
  | { code: 'OUTER_DAMAGED'; row: string };
export class OuterChainError extends Fault<OuterChainFault> {}

export const validatorsNotLoaded = (pChainHeight: bigint) =>
  new OuterChainError(
    `the validators at P-Chain height ${pChainHeight} are not loaded; they are fetched from the node of --validators-from`,
    {
      code: 'OUTER_VALIDATORS_NOT_LOADED',
      pChainHeight,
    },
  );
