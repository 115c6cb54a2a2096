import { cb58Decode } from '../../../src/bytes/cb58.ts';

/** What the local network is, on every node that starts from its genesis. */
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

/** Lock times that stay past and future for as long as these stories will be told. */
export const longAgo = 1_500_000_000n;
export const farAway = 4_000_000_000n;

/** AvalancheGo's words, the same from every client. */
export const refusals = {
  tooFewSigners: 'failed to verify transfer: input has less signers than expected',
  emptySignature: 'failed to verify transfer: invalid signature',
  timeLocked: 'failed to verify transfer: output is time locked',
} as const;
