import { Fault } from '../../base/fault.ts';

type GenesisFault =
  | { code: 'GENESIS_BAD_JSON' }
  | { code: 'GENESIS_BAD_FIELD'; path: string }
  | { code: 'GENESIS_INVALID'; rule: GenesisRule }
  | { code: 'GENESIS_ORDER_UNDEFINED' }
  | { code: 'GENESIS_ASSET_WITH_OUTPUTS'; alias: string }
  | { code: 'GENESIS_NO_ASSETS' }
  | { code: 'CHAINS_BAD_ALIAS'; alias: string }
  | { code: 'CHAINS_TOO_MANY'; max: number };
export class GenesisError extends Fault<GenesisFault> {}

/** Checks of a genesis configuration. AvalancheGo: genesis/genesis.go, validateConfig. */
export type GenesisRule =
  | 'networkID'
  | 'supply'
  | 'startTime'
  | 'stakeDuration'
  | 'stakers'
  | 'stakedFunds'
  | 'lockedAmount'
  | 'cChainGenesis'
  | 'validatorWeight'
  | 'validatorEnd';
