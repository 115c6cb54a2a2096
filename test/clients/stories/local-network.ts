import { cb58Decode } from '../../../src/base/bytes/cb58.ts';

/** IDs and fees of the local network. */
export const local = {
  networkID: 12345,
  hrp: 'local',
  xBlockchainID: '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed',
  pBlockchainID: '11111111111111111111111111111111LpoYY',
  cBlockchainID: '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC',
  avaxAssetID: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
  txFee: 1_000_000n,
  createAssetTxFee: 1_000_000n,
} as const;

/** The key that its genesis funds. */
export const ewoqText = 'PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN';
export const ewoqSecret: Uint8Array = Uint8Array.from(cb58Decode(ewoqText.slice('PrivateKey-'.length)));

export const oneAvax = 1_000_000_000n;

/** A locktime in the past (2017) and one in the future (2096). */
export const pastLocktime = 1_500_000_000n;
export const futureLocktime = 4_000_000_000n;

/** Error messages of AvalancheGo, the same through every client. */
export const errorMessages = {
  tooFewSigners: 'failed to verify transfer: input has less signers than expected',
  emptySignature: 'failed to verify transfer: invalid signature',
  timeLocked: 'failed to verify transfer: output is time locked',
} as const;
