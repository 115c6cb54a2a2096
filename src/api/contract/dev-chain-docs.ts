import { type callRows, maxLoggedCalls } from './dev-call-methods.ts';
import {
  type blocksRows,
  type faultRows,
  type identityRows,
  type insightRows,
  maxPeerDelay,
  type nodeRows,
  type peerRows,
  type timeRows,
} from './dev-chain-methods.ts';
import type { DocsOf } from './method.ts';

/** Summaries and examples of the methods in dev-chain-methods.ts, for the documents and docs; a test runs the examples. */
export const blocksDocs: DocsOf<typeof blocksRows> = {
  mine: {
    summary: 'Builds blocks of the waiting transactions, or with a filler transaction if none waits',
    params: { blocks: 2 },
    result: '{"height":"…","time":"…","filler":true}',
  },
  setAutomine: {
    summary: 'Whether a block is built as soon as a transaction waits',
    params: { enabled: true },
    result: '{"automine":true,"interval":0}',
  },
  setIntervalMining: {
    summary: 'Builds a block every so many seconds; 0 ends it',
    params: { seconds: 0 },
    result: '{"automine":true,"interval":0}',
  },
  getMempool: { summary: 'The transactions in the mempool', result: '{"txs":[],"total":0}' },
  dropTx: {
    summary: 'Removes a transaction from the mempool',
    params: { txID: 'tWPttKYYGyDZkH19He719upoCapjBPWdQ9bGsrgz5aytqg9Af' },
    error:
      '{"code":-32000,"message":"the transaction tWPttKYYGyDZkH19He719upoCapjBPWdQ9bGsrgz5aytqg9Af is not in the mempool","data":{"code":"DEV_NOT_PENDING","txID":"tWPttKYYGyDZkH19He719upoCapjBPWdQ9bGsrgz5aytqg9Af"}}',
  },
};

export const timeDocs: DocsOf<typeof timeRows> = {
  getTime: { summary: 'The clock of the chain', result: '{"time":"…","offset":"0","frozen":false}' },
  setTime: {
    summary: 'Sets the clock',
    params: { time: '2030-01-01T00:00:00Z' },
    result: '{"time":"189345600…","offset":"…","frozen":false}',
  },
  increaseTime: { summary: 'Advances the clock', params: { seconds: '30d' }, result: '{"time":"189604800…","offset":"…","frozen":false}' },
  setNextBlockTime: {
    summary: 'Sets the time of the next block',
    params: { time: 1900000000 },
    result: '{"time":"…","offset":"…","frozen":false}',
  },
  freezeTime: { summary: 'Stops the clock', result: '{"time":"…","offset":"…","frozen":true}' },
  resetTime: { summary: 'Sets the clock back to real time', result: '{"time":"…","offset":"0","frozen":false}' },
};

export const identityDocs: DocsOf<typeof identityRows> = {
  impersonate: {
    summary: 'Lets transactions spend the outputs of an address without its signature',
    params: { address: 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465' },
    result: '{"addresses":["X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465"],"total":1,"auto":false}',
  },
  stopImpersonating: {
    summary: 'Requires the signature of an address again',
    params: { address: 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465' },
    result: '{"addresses":[],"total":0,"auto":false}',
  },
  setAutoImpersonate: {
    summary: 'Whether every address can be spent from without a signature',
    params: { enabled: false },
    result: '{"addresses":[],"total":0,"auto":false}',
  },
};

/** The transaction of the example of `avm.issueTx`, which is accepted by then: its input is spent. */
export const insightDocs = (issuedTx: string): DocsOf<typeof insightRows> => ({
  explainTx: {
    summary: 'Runs every check of a transaction on the last accepted state and shows the values that it compares',
    params: { tx: issuedTx },
    result:
      '{"txID":"tWPttKYYGyDZkH19He719upoCapjBPWdQ9bGsrgz5aytqg9Af","type":"BaseTx","accepted":false,"checks":[{"rule":"type","ok":true},{"rule":"chain and memo","ok":true},{"rule":"amounts and fee","ok":true,"assets":[{"assetID":"2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe","have":"300000000000000000","amount":"299999999999000000","fee":"1000000","burned":"1000000"}]},…{"rule":"utxo","path":"inputs[0]","ok":false,…"isSpent":true,"spentBy":"tWPttKYYGyDZkH19He719upoCapjBPWdQ9bGsrgz5aytqg9Af"…{"rule":"mempool","ok":null}]}',
  },
  decode: {
    summary: 'Decodes a transaction, a block or an output',
    params: {
      bytes:
        '0x000000000014054f478489b451cecef53155c24f04f441912cc34487db87f16b13a2f4fec8990000000000000000000000005fcb13d0000000000000000000000000000000000000000000000000000000000000000000000000f11be722',
    },
    result:
      '{"kind":"block","size":90,"id":"2R2UY2pZMQr8nR9ywCdqn97Lp5a6hceqtLXkag6vH7KQSVvmst","block":{"parentID":"3LdUD428gni3AFYAooqcTiN3xPGiLE7XdHowi9CsbNGH1i7QY","height":0,"time":1607144400,"merkleRoot":"11111111111111111111111111111111LpoYY","txs":[],"id":"2R2UY2pZMQr8nR9ywCdqn97Lp5a6hceqtLXkag6vH7KQSVvmst"}}',
  },
  getTxLifecycle: {
    summary: 'When a transaction was received, verified, refused, dropped or accepted, and why',
    params: { txID: 'tWPttKYYGyDZkH19He719upoCapjBPWdQ9bGsrgz5aytqg9Af' },
    result:
      '{"txID":"tWPttKYYGyDZkH19He719upoCapjBPWdQ9bGsrgz5aytqg9Af","status":"Accepted","steps":[{"step":"received","time":"…"},{"step":"verified","time":"…"},{"step":"pooled","time":"…"},{"step":"accepted","time":"…","height":"1","blockID":"…"}]}',
  },
  getUTXO: {
    summary: 'One output, spent or unspent',
    params: { utxoID: 'tWPttKYYGyDZkH19He719upoCapjBPWdQ9bGsrgz5aytqg9Af:0' },
    result:
      '{"utxoID":"2csngeCiaqMf4ngyG8Z8TnaK1qJEh8cNn6twK2FxqnHmx23Hp5","txID":"tWPttKYYGyDZkH19He719upoCapjBPWdQ9bGsrgz5aytqg9Af","outputIndex":0,"type":"secp256k1fx.TransferOutput","assetID":"2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe","symbol":"AVAX","denomination":9,"amount":"1000000000","addresses":["X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u"],"threshold":1,"locktime":"0","spent":false}',
  },
  getAsset: {
    summary: 'An asset by its ID, alias or symbol',
    params: { assetID: 'AVAX' },
    result: '{"assetID":"2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe","name":"Avalanche","symbol":"AVAX","denomination":9}',
  },
});

export const callDocs: DocsOf<typeof callRows> = {
  calls: {
    summary: `The last calls to this node, newest first: up to ${maxLoggedCalls.toLocaleString('en-US')}, without their secrets; some of them with a text in a \`method\` or path, with \`errors\`, or \`after\` a number. Keeping begins with the first call of this method and ends 5 minutes after the last one`,
    params: { limit: 1 },
    result: '{"calls":[],"last":0,"kept":0,"skipped":0,"since":…}',
  },
  callBodies: {
    summary: 'Request and answer of a call of `dev.calls`, without their secrets',
    params: { number: 0 },
    error: '{"code":-32000,"message":"call 0 is not in the log of calls","data":{"code":"DEV_NO_CALL","number":0,"max":1000}}',
  },
};

export const peerDocs: DocsOf<typeof peerRows> = {
  blockPeers: {
    summary: 'Cuts a joined node off from these nodes until the next call, to try a partition; needs `serac join --dev-methods`',
    params: { nodeIDs: [] },
    error: '{"code":-32000,"message":"this node decides its blocks alone and has no peers…","data":{"code":"DEV_NO_PEERS"}}',
  },
  delayPeers: {
    summary: `Makes what a joined node sends to these nodes arrive later by \`ms\` (at most ${maxPeerDelay}), until a call with 0, to try a slow network; needs \`serac join --dev-methods\``,
    params: { nodeIDs: [], ms: 100 },
    error: '{"code":-32000,"message":"this node decides its blocks alone and has no peers…","data":{"code":"DEV_NO_PEERS"}}',
  },
};

export const nodeDocs: DocsOf<typeof nodeRows> = {
  nodeInfo: {
    summary: 'The state of the node: versions, network, last block, clock, mining',
    result:
      '{"version":"…","network":{"id":12345,"name":"local","hrp":"local"},"blockchainID":"2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed","height":"…","blockID":"…","blockTime":"…","time":"…","offset":"0","frozen":false,"automine":true,"interval":0,"pending":0,"impersonated":0,"impersonatedAddresses":[],"autoImpersonate":false,"faults":[]}',
  },
};

export const faultDocs: DocsOf<typeof faultRows> = {
  setLatency: {
    summary: 'Delays calls of one method or of all',
    params: { ms: 0, method: 'avm.getHeight' },
    result: '{"ms":0,"method":"avm.getHeight"}',
  },
  failNext: {
    summary: 'Makes the next calls of a method fail',
    params: { method: 'avm.getHeight', times: 0 },
    result: '{"method":"avm.getHeight","times":0}',
  },
  setUnhealthy: {
    summary: 'Makes a health check fail, or pass again',
    params: { check: 'database' },
    result: '{"check":"database","healthy":true}',
  },
};
