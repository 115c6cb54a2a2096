import { Fault } from '../../base/fault.ts';

/** Errors of keys and of building transactions. Amounts are in the smallest unit of the asset. */
export type WalletFault =
  | { code: 'WALLET_BAD_MNEMONIC'; reason: string }
  | { code: 'WALLET_BAD_PATH'; path: string }
  | { code: 'WALLET_BAD_KEY' }
  | { code: 'WALLET_BAD_ADDRESS'; address: string }
  | { code: 'WALLET_INSUFFICIENT_FUNDS'; assetID: string; have: string; need: string }
  | { code: 'WALLET_CANNOT_SIGN'; utxoID: string }
  | { code: 'WALLET_WRONG_OUTPUT'; utxoID: string; kind: string };

export class WalletError extends Fault<WalletFault> {}
