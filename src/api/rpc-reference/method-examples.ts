import type { devMethods } from '../dev/dev-methods.ts';
import type { avmMethods } from '../rpc/avm.ts';
import type { avaxMethods, platformMethods } from '../rpc/counterpart.ts';
import type { evmMethods } from '../rpc/evm.ts';
import type { healthMethods } from '../rpc/health.ts';
import type { infoMethods } from '../rpc/info.ts';
import type { walletMethods } from '../rpc/wallet.ts';
import { crossChainExamples, moneyExamples } from './dev-examples.ts';
import { blocksExamples, faultExamples, identityExamples, insightExamples, timeExamples } from './dev-method-examples.ts';
import type { ExamplesOf } from './method-example.ts';

/** Spends the genesis output of the funded key. */
const issuedTx =
  '0x00000000000000003039d891ad56056d9c01f18f43f58b5c784ad07a4a49cf3d1f11623804b5cba2c6bf00000002dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db00000007000000003b9aca00000000000000000000000001000000013cb7d3842e8cee6a0ebd09f1fe884f6861e1b29cdbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db000000070429d068dcf3f3c0000000000000000000000001000000013cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c00000001dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db00000001dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db000000050429d069189e0000000000010000000000000000000000010000000900000001d65bde49d317656c886598f726e0e412760de14d15fac678e2fd7264a5bdb7017da040d84c65e24cf39cfd57dd2e6524a1e61f082f7152202f8876dcb13a43a800533dc637';

export const avmExamples: ExamplesOf<typeof avmMethods> = {
  getAllBalances: {
    params: { address: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u' },
    result: '{"balances":[{"asset":"AVAX","balance":"300000000000000000"}]}',
  },
  getAssetDescription: {
    params: { assetID: 'AVAX' },
    result: '{"assetID":"2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe","name":"Avalanche","symbol":"AVAX","denomination":"9"}',
  },
  getBalance: {
    params: { address: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', assetID: 'AVAX' },
    result: '{"balance":"300000000000000000","utxoIDs":[{"txID":"2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe","outputIndex":1}]}',
  },
  getBlock: {
    params: { blockID: '2R2UY2pZMQr8nR9ywCdqn97Lp5a6hceqtLXkag6vH7KQSVvmst', encoding: 'hex' },
    result:
      '{"block":"0x000000000014054f478489b451cecef53155c24f04f441912cc34487db87f16b13a2f4fec8990000000000000000000000005fcb13d0000000000000000000000000000000000000000000000000000000000000000000000000f11be722","encoding":"hex"}',
  },
  getBlockByHeight: {
    params: { height: '0', encoding: 'json' },
    result:
      '{"block":{"parentID":"3LdUD428gni3AFYAooqcTiN3xPGiLE7XdHowi9CsbNGH1i7QY","height":0,"time":1607144400,"merkleRoot":"11111111111111111111111111111111LpoYY","txs":[],"id":"2R2UY2pZMQr8nR9ywCdqn97Lp5a6hceqtLXkag6vH7KQSVvmst"},"encoding":"json"}',
  },
  getHeight: { result: '{"height":"0"}' },
  getTx: {
    params: { txID: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe', encoding: 'json' },
    result:
      '{"tx":{"unsignedTx":{"networkID":12345,"blockchainID":"11111111111111111111111111111111LpoYY","outputs":[],"inputs":[],"memo":"0xb3d82b1367d362de99ab59a658165aff520cbd4db3d82b1367d362de99ab59a658165aff520cbd4d","name":"Avalanche","symbol":"AVAX","denomination":9,"initialStates":[{"fxIndex":0,"fxID":"spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ","outputs":[{"addresses":["X-local1ur873jhz9qnaqv5qthk5sn3e8nj3e0kmggalnu"],"amount":10000000000000000,"locktime":0,"threshold":1},{"addresses":["X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u"],"amount":300000000000000000,"locktime":0,"threshold":1}]}]},"credentials":[],"id":"2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe"},"encoding":"json"}',
  },
  getTxFee: { result: '{"txFee":"1000000","createAssetTxFee":"1000000"}' },
  getTxStatus: { params: { txID: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe' }, result: '{"status":"Accepted"}' },
  getUTXOs: {
    params: { addresses: ['X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'], limit: 1, encoding: 'hexnc' },
    result:
      '{"numFetched":"1","utxos":["0x0000dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db00000001dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db000000070429d069189e0000000000000000000000000001000000013cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c"],"endIndex":{"address":"X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u","utxo":"Gqdc55Wu2egMkQABwJb74h6UydveDxHCMo1uEEUKeEVvPeoUc"},"encoding":"hexnc"}',
  },
  issueTx: {
    params: {
      tx: issuedTx,
      encoding: 'hex',
    },
    result: '{"txID":"tWPttKYYGyDZkH19He719upoCapjBPWdQ9bGsrgz5aytqg9Af"}',
  },
};

export const walletExamples: ExamplesOf<typeof walletMethods> = {
  issueTx: {
    params: {
      tx: '0x00000000000000003039d891ad56056d9c01f18f43f58b5c784ad07a4a49cf3d1f11623804b5cba2c6bf00000002dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db00000007000000003b9aca00000000000000000000000001000000013cb7d3842e8cee6a0ebd09f1fe884f6861e1b29cdbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db000000070429d068a149e780000000000000000000000001000000013cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c0000000174f3d744343cdb2d78bf7407b24c062ffe5dac94c039a5c9249d0b0c533dc63700000001dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db000000050429d068dcf3f3c0000000010000000000000000000000010000000900000001affd325b8f1239c600670ba7412987af34345a21881248cf29bd2e324ac27a93094c34c417c9563b9bab8fdfc0681f546176ff9ad0b951d5e9569c9a361173b9003aa3c9ee',
      encoding: 'hex',
    },
    result: '{"txID":"25y9d9CzLjkU87D9DMu311HDuLvmXphHBWp2RktMdb2tAMypuE"}',
  },
};

export const infoExamples: ExamplesOf<typeof infoMethods> = {
  acps: { result: '{"acps":{}}' },
  getBlockchainID: { params: { alias: 'X' }, result: '{"blockchainID":"2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed"}' },
  getNetworkID: { result: '{"networkID":"12345"}' },
  getNetworkName: { result: '{"networkName":"local"}' },
  getNodeID: { result: '{"nodeID":"NodeID-…","nodePOP":{"publicKey":"0x…","proofOfPossession":"0x…"}}' },
  getNodeIP: { result: '{"ip":"127.0.0.1:0"}' },
  getNodeVersion: {
    result:
      '{"version":"serac/… avalanchego/1.14.2","databaseVersion":"v1.4.5","rpcProtocolVersion":"45","gitCommit":"","vmVersions":{"avm":"serac/… avalanchego/1.14.2","evm":"serac/… avalanchego/1.14.2","platform":"serac/… avalanchego/1.14.2"}}',
  },
  getTxFee: {
    result:
      '{"txFee":"1000000","createAssetTxFee":"1000000","createSubnetTxFee":"100000000","transformSubnetTxFee":"100000000","createBlockchainTxFee":"100000000","addPrimaryNetworkValidatorFee":"0","addPrimaryNetworkDelegatorFee":"0","addSubnetValidatorFee":"1000000","addSubnetDelegatorFee":"1000000"}',
  },
  getVMs: {
    result:
      '{"vms":{"jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq":["avm"],"mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6":["evm"],"rWhpuQPF1kb72esV2momhMuTYGkEb1oL29pt2EBXWmSy4kxnT":["platform"]},"fxs":{"qd2U4HDWUvMrVUeTcCHp6xH3Qpnn1XbU5MDdnBoiifFqvgXwT":"nftfx","rXJsCSEYXg2TehWxCEEGj6JU2PWKTkd6cBdNLjoe2SpsKD9cy":"propertyfx","spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ":"secp256k1fx"}}',
  },
  isBootstrapped: { params: { chain: 'X' }, result: '{"isBootstrapped":true}' },
  peers: { params: { nodeIDs: [] }, result: '{"numPeers":"0","peers":[]}' },
  uptime: { result: '{"rewardingStakePercentage":"100.0000","weightedAveragePercentage":"100.0000"}' },
  upgrades: {
    result:
      '{"apricotPhase1Time":"2020-12-05T05:00:00Z","apricotPhase2Time":"2020-12-05T05:00:00Z","apricotPhase3Time":"2020-12-05T05:00:00Z","apricotPhase4Time":"2020-12-05T05:00:00Z","apricotPhase4MinPChainHeight":0,"apricotPhase5Time":"2020-12-05T05:00:00Z","apricotPhasePre6Time":"2020-12-05T05:00:00Z","apricotPhase6Time":"2020-12-05T05:00:00Z","apricotPhasePost6Time":"2020-12-05T05:00:00Z","banffTime":"2020-12-05T05:00:00Z","cortinaTime":"2020-12-05T05:00:00Z","cortinaXChainStopVertexID":"11111111111111111111111111111111LpoYY","durangoTime":"2020-12-05T05:00:00Z","etnaTime":"2020-12-05T05:00:00Z","fortunaTime":"2020-12-05T05:00:00Z","graniteTime":"2020-12-05T05:00:00Z","graniteEpochDuration":30000000000,"heliconTime":"9999-12-01T00:00:00Z"}',
  },
};

export const healthExamples: ExamplesOf<typeof healthMethods> = {
  health: { params: { tags: ['11111111111111111111111111111111LpoYY'] }, result: '{"checks":{…},"healthy":true}' },
  liveness: { result: '{"checks":{},"healthy":true}' },
  readiness: { result: '{"checks":{"bootstrapped":{"message":[],"timestamp":"…","duration":…}},"healthy":true}' },
};

export const platformExamples: ExamplesOf<typeof platformMethods> = {
  getFeeConfig: {
    result:
      '{"weights":[1,1000,1000,4],"maxCapacity":1000000,"maxPerSecond":100000,"targetPerSecond":50000,"minPrice":1,"excessConversionConstant":2164043}',
  },
  getFeeState: { result: '{"capacity":0,"excess":0,"price":1,"timestamp":"…"}' },
  getHeight: { result: '{"height":"0"}' },
  getStakingAssetID: { result: '{"assetID":"2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe"}' },
  getUTXOs: {
    params: { addresses: ['P-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'], sourceChain: 'X' },
    result:
      '{"numFetched":"0","utxos":[],"endIndex":{"address":"P-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u","utxo":"11111111111111111111111111111111LpoYY"},"encoding":"hex"}',
  },
};

export const avaxExamples: ExamplesOf<typeof avaxMethods> = {
  getUTXOs: {
    params: { addresses: ['C-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'], sourceChain: 'X' },
    result:
      '{"numFetched":"0","utxos":[],"endIndex":{"address":"C-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u","utxo":"11111111111111111111111111111111LpoYY"},"encoding":"hex"}',
  },
};

export const evmExamples: ExamplesOf<typeof evmMethods> = {
  eth_getBalance: { params: ['0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC', 'latest'], result: '"0x295be96e64066972000000"' },
  eth_getTransactionCount: { params: ['0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC', 'latest'], result: '"0x0"' },
};

export const devExamples: ExamplesOf<typeof devMethods> = {
  ...moneyExamples,
  ...crossChainExamples,
  ...blocksExamples,
  ...timeExamples,
  ...identityExamples,
  ...insightExamples(issuedTx),
  ...faultExamples,
  snapshot: { params: { name: 'clean' }, result: '{"name":"clean","height":"…","time":"…"}' },
  revert: { params: { name: 'clean' }, result: '{"height":"…","time":"…"}' },
  listSnapshots: { result: '{"snapshots":[{"name":"clean","height":"…","time":"…"}]}' },
  diff: { params: { from: 'clean' }, result: '{"blocks":{"added":[],"removed":[]},"txs":{"added":[],"removed":[]},"balances":[]}' },
  deleteSnapshot: { params: { name: 'clean' }, result: '{"name":"clean"}' },
  reset: { result: '{"height":"…","time":"…"}' },
};
