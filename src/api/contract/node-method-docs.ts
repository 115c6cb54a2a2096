import type { avmRows, walletRows } from './avm-methods.ts';
import type { devRows } from './client-services.ts';
import type { avaxRows, evmRows, platformRows } from './counterpart-methods.ts';
import { blocksDocs, callDocs, faultDocs, identityDocs, insightDocs, nodeDocs, peerDocs, timeDocs } from './dev-chain-docs.ts';
import { crossChainDocs, labelDocs, moneyDocs } from './dev-money-docs.ts';
import type { healthRows, infoRows } from './info-methods.ts';
import type { DocsOf } from './method.ts';
import type { ServiceName, services } from './services.ts';

/** Spends the genesis output of the funded key. */
const issuedTx =
  '0x00000000000000003039d891ad56056d9c01f18f43f58b5c784ad07a4a49cf3d1f11623804b5cba2c6bf00000002dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db00000007000000003b9aca00000000000000000000000001000000013cb7d3842e8cee6a0ebd09f1fe884f6861e1b29cdbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db000000070429d068dcf3f3c0000000000000000000000001000000013cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c00000001dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db00000001dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db000000050429d069189e0000000000010000000000000000000000010000000900000001d65bde49d317656c886598f726e0e412760de14d15fac678e2fd7264a5bdb7017da040d84c65e24cf39cfd57dd2e6524a1e61f082f7152202f8876dcb13a43a800533dc637';

const avmDocs: DocsOf<typeof avmRows> = {
  getAllBalances: {
    summary: 'The balances of an address in all assets',
    deprecated: '1.9.12',
    params: { address: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u' },
    result: '{"balances":[{"asset":"AVAX","balance":"300000000000000000"}]}',
  },
  getAssetDescription: {
    summary: 'Name, symbol and decimals of an asset',
    params: { assetID: 'AVAX' },
    result: '{"assetID":"2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe","name":"Avalanche","symbol":"AVAX","denomination":"9"}',
  },
  getBalance: {
    summary: 'The balance of an address in one asset, with the outputs that it consists of',
    deprecated: '1.9.12',
    params: { address: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', assetID: 'AVAX' },
    result: '{"balance":"300000000000000000","utxoIDs":[{"txID":"2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe","outputIndex":1}]}',
  },
  getBlock: {
    summary: 'A block by its ID',
    params: { blockID: '2R2UY2pZMQr8nR9ywCdqn97Lp5a6hceqtLXkag6vH7KQSVvmst', encoding: 'hex' },
    result:
      '{"block":"0x000000000014054f478489b451cecef53155c24f04f441912cc34487db87f16b13a2f4fec8990000000000000000000000005fcb13d0000000000000000000000000000000000000000000000000000000000000000000000000f11be722","encoding":"hex"}',
  },
  getBlockByHeight: {
    summary: 'A block by its height; without `height` block 0, as AvalancheGo',
    params: { height: '0', encoding: 'json' },
    result:
      '{"block":{"parentID":"3LdUD428gni3AFYAooqcTiN3xPGiLE7XdHowi9CsbNGH1i7QY","height":0,"time":1607144400,"merkleRoot":"11111111111111111111111111111111LpoYY","txs":[],"id":"2R2UY2pZMQr8nR9ywCdqn97Lp5a6hceqtLXkag6vH7KQSVvmst"},"encoding":"json"}',
  },
  getHeight: { summary: 'The height of the last accepted block', result: '{"height":"0"}' },
  getTx: {
    summary: 'An accepted transaction',
    params: { txID: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe', encoding: 'json' },
    result:
      '{"tx":{"unsignedTx":{"networkID":12345,"blockchainID":"11111111111111111111111111111111LpoYY","outputs":[],"inputs":[],"memo":"0xb3d82b1367d362de99ab59a658165aff520cbd4db3d82b1367d362de99ab59a658165aff520cbd4d","name":"Avalanche","symbol":"AVAX","denomination":9,"initialStates":[{"fxIndex":0,"fxID":"spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ","outputs":[{"addresses":["X-local1ur873jhz9qnaqv5qthk5sn3e8nj3e0kmggalnu"],"amount":10000000000000000,"locktime":0,"threshold":1},{"addresses":["X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u"],"amount":300000000000000000,"locktime":0,"threshold":1}]}]},"credentials":[],"id":"2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe"},"encoding":"json"}',
  },
  getTxFee: { summary: 'The fees of transactions', result: '{"txFee":"1000000","createAssetTxFee":"1000000"}' },
  getTxStatus: {
    summary: 'The status of a transaction',
    deprecated: '1.10.0',
    params: { txID: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe' },
    result: '{"status":"Accepted"}',
  },
  getUTXOs: {
    summary: 'Unspent outputs of addresses, or those that another chain exported to them',
    params: { addresses: ['X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'], limit: 1, encoding: 'hexnc' },
    result:
      '{"numFetched":"1","utxos":["0x0000dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db00000001dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db000000070429d069189e0000000000000000000000000001000000013cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c"],"endIndex":{"address":"X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u","utxo":"Gqdc55Wu2egMkQABwJb74h6UydveDxHCMo1uEEUKeEVvPeoUc"},"encoding":"hexnc"}',
  },
  issueTx: {
    summary: 'Issues a signed transaction',
    params: {
      tx: issuedTx,
      encoding: 'hex',
    },
    result: '{"txID":"tWPttKYYGyDZkH19He719upoCapjBPWdQ9bGsrgz5aytqg9Af"}',
  },
};

const walletDocs: DocsOf<typeof walletRows> = {
  issueTx: {
    summary: 'Issues a signed transaction that may depend on one that was issued before and is not accepted yet',
    deprecated: '1.9.12',
    params: {
      tx: '0x00000000000000003039d891ad56056d9c01f18f43f58b5c784ad07a4a49cf3d1f11623804b5cba2c6bf00000002dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db00000007000000003b9aca00000000000000000000000001000000013cb7d3842e8cee6a0ebd09f1fe884f6861e1b29cdbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db000000070429d068a149e780000000000000000000000001000000013cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c0000000174f3d744343cdb2d78bf7407b24c062ffe5dac94c039a5c9249d0b0c533dc63700000001dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db000000050429d068dcf3f3c0000000010000000000000000000000010000000900000001affd325b8f1239c600670ba7412987af34345a21881248cf29bd2e324ac27a93094c34c417c9563b9bab8fdfc0681f546176ff9ad0b951d5e9569c9a361173b9003aa3c9ee',
      encoding: 'hex',
    },
    result: '{"txID":"25y9d9CzLjkU87D9DMu311HDuLvmXphHBWp2RktMdb2tAMypuE"}',
  },
};

const infoDocs: DocsOf<typeof infoRows> = {
  acps: { summary: 'The votes of the validators on Avalanche Community Proposals', result: '{"acps":{}}' },
  getBlockchainID: {
    summary: 'The ID of a blockchain by its alias',
    params: { alias: 'X' },
    result: '{"blockchainID":"2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed"}',
  },
  getNetworkID: { summary: 'The number of the network', result: '{"networkID":"12345"}' },
  getNetworkName: { summary: 'The name of the network', result: '{"networkName":"local"}' },
  getNodeID: {
    summary: 'The ID of the node and the proof that it has its BLS key',
    result: '{"nodeID":"NodeID-…","nodePOP":{"publicKey":"0x…","proofOfPossession":"0x…"}}',
  },
  getNodeIP: { summary: 'The address that peers connect to', result: '{"ip":"127.0.0.1:0"}' },
  getNodeVersion: {
    summary: 'The versions of the node, its database and its VMs',
    result:
      '{"version":"serac/… avalanchego/1.14.2","databaseVersion":"v1.4.5","rpcProtocolVersion":"45","gitCommit":"","vmVersions":{"avm":"serac/… avalanchego/1.14.2","evm":"serac/… avalanchego/1.14.2","platform":"serac/… avalanchego/1.14.2"}}',
  },
  getTxFee: {
    summary: 'The fees of the network, also those that no longer apply',
    deprecated: '1.12.2',
    result:
      '{"txFee":"1000000","createAssetTxFee":"1000000","createSubnetTxFee":"100000000","transformSubnetTxFee":"100000000","createBlockchainTxFee":"100000000","addPrimaryNetworkValidatorFee":"0","addPrimaryNetworkDelegatorFee":"0","addSubnetValidatorFee":"1000000","addSubnetDelegatorFee":"1000000"}',
  },
  getVMs: {
    summary: 'The virtual machines and feature extensions of the node',
    result:
      '{"vms":{"jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq":["avm"],"mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6":["evm"],"rWhpuQPF1kb72esV2momhMuTYGkEb1oL29pt2EBXWmSy4kxnT":["platform"]},"fxs":{"qd2U4HDWUvMrVUeTcCHp6xH3Qpnn1XbU5MDdnBoiifFqvgXwT":"nftfx","rXJsCSEYXg2TehWxCEEGj6JU2PWKTkd6cBdNLjoe2SpsKD9cy":"propertyfx","spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ":"secp256k1fx"}}',
  },
  isBootstrapped: { summary: 'Whether a chain has caught up with the network', params: { chain: 'X' }, result: '{"isBootstrapped":true}' },
  peers: { summary: 'The peers that the node is connected to', params: { nodeIDs: [] }, result: '{"numPeers":"0","peers":[]}' },
  uptime: {
    summary: 'The uptime of this node as its peers report it, in the primary network: `subnetID` is ignored, as AvalancheGo does',
    result: '{"rewardingStakePercentage":"100.0000","weightedAveragePercentage":"100.0000"}',
  },
  upgrades: {
    summary: 'When the upgrades of the network were or will be activated',
    result:
      '{"apricotPhase1Time":"2020-12-05T05:00:00Z","apricotPhase2Time":"2020-12-05T05:00:00Z","apricotPhase3Time":"2020-12-05T05:00:00Z","apricotPhase4Time":"2020-12-05T05:00:00Z","apricotPhase4MinPChainHeight":0,"apricotPhase5Time":"2020-12-05T05:00:00Z","apricotPhasePre6Time":"2020-12-05T05:00:00Z","apricotPhase6Time":"2020-12-05T05:00:00Z","apricotPhasePost6Time":"2020-12-05T05:00:00Z","banffTime":"2020-12-05T05:00:00Z","cortinaTime":"2020-12-05T05:00:00Z","cortinaXChainStopVertexID":"11111111111111111111111111111111LpoYY","durangoTime":"2020-12-05T05:00:00Z","etnaTime":"2020-12-05T05:00:00Z","fortunaTime":"2020-12-05T05:00:00Z","graniteTime":"2020-12-05T05:00:00Z","graniteEpochDuration":30000000000,"heliconTime":"9999-12-01T00:00:00Z"}',
  },
};

const healthDocs: DocsOf<typeof healthRows> = {
  health: {
    summary: 'Whether the node works: the results of all health checks',
    params: { tags: ['11111111111111111111111111111111LpoYY'] },
    result: '{"checks":{…},"healthy":true}',
  },
  liveness: { summary: 'Whether the node needs no restart', result: '{"checks":{},"healthy":true}' },
  readiness: {
    summary: 'Whether the node has finished starting',
    result: '{"checks":{"bootstrapped":{"message":[],"timestamp":"…","duration":…}},"healthy":true}',
  },
};

const platformDocs: DocsOf<typeof platformRows> = {
  getFeeConfig: {
    summary: 'The parameters of the dynamic fees of the P-Chain',
    result:
      '{"weights":[1,1000,1000,4],"maxCapacity":1000000,"maxPerSecond":100000,"targetPerSecond":50000,"minPrice":1,"excessConversionConstant":2164043}',
  },
  getFeeState: { summary: 'The current price of gas of the P-Chain', result: '{"capacity":0,"excess":0,"price":1,"timestamp":"…"}' },
  getHeight: { summary: 'The height of the P-Chain', result: '{"height":"0"}' },
  getStakingAssetID: { summary: 'The asset that is staked', result: '{"assetID":"2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe"}' },
  getUTXOs: {
    summary: 'Outputs that other chains exported to addresses of the P-Chain',
    params: { addresses: ['P-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'], sourceChain: 'X' },
    result:
      '{"numFetched":"0","utxos":[],"endIndex":{"address":"P-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u","utxo":"11111111111111111111111111111111LpoYY"},"encoding":"hex"}',
  },
};

const avaxDocs: DocsOf<typeof avaxRows> = {
  getUTXOs: {
    summary: 'Outputs that other chains exported to addresses of the C-Chain',
    params: { addresses: ['C-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'], sourceChain: 'X' },
    result:
      '{"numFetched":"0","utxos":[],"endIndex":{"address":"C-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u","utxo":"11111111111111111111111111111111LpoYY"},"encoding":"hex"}',
  },
};

const evmDocs: DocsOf<typeof evmRows> = {
  eth_chainId: {
    summary: 'The chain ID of the C-Chain in its genesis',
    params: [],
    result: '"0xa868"',
  },
  eth_getBalance: {
    summary: 'The balance of an account at genesis, in wei',
    params: ['0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC', 'latest'],
    result: '"0x295be96e64066972000000"',
  },
  eth_getTransactionCount: {
    summary: 'The number of transactions that an account has sent',
    params: ['0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC', 'latest'],
    result: '"0x0"',
  },
};

const devDocs: DocsOf<typeof devRows> = {
  ...moneyDocs,
  ...labelDocs,
  ...crossChainDocs,
  ...blocksDocs,
  ...timeDocs,
  ...identityDocs,
  ...insightDocs(issuedTx),
  ...callDocs,
  ...nodeDocs,
  ...peerDocs,
  ...faultDocs,
  reorg: {
    summary:
      'Replaces the last `depth` blocks by as many others: of the transactions in `blocks`, a list for each block, or of a filler; those of the replaced blocks are dropped, or return to the mempool with `returnTxs`. Needs `--reorg-depth`',
    params: { depth: 1 },
    error:
      '{"code":-32000,"message":"this node does not keep the states that a reorg goes back to; start it with --reorg-depth 64","data":{"code":"SNAPSHOT_NO_REORG","max":0}}',
  },
  snapshot: {
    summary: 'Saves the state of all chains under a name',
    params: { name: 'clean' },
    result: '{"name":"clean","height":"…","time":"…"}',
  },
  revert: { summary: 'Restores the state of a snapshot', params: { name: 'clean' }, result: '{"height":"…","time":"…"}' },
  listSnapshots: { summary: 'The snapshots, oldest first', result: '{"snapshots":[{"name":"clean","height":"…","time":"…"}]}' },
  diff: {
    summary: 'Compares a snapshot with another one or with the current state',
    params: { from: 'clean' },
    result: '{"blocks":{"added":[],"removed":[]},"txs":{"added":[],"removed":[]},"balances":[]}',
  },
  deleteSnapshot: { summary: 'Deletes a snapshot', params: { name: 'clean' }, result: '{"name":"clean"}' },
  reset: { summary: 'Goes back to the state of a fresh chain', result: '{"height":"…","time":"…"}' },
};

/** What the documents say about the methods of each service. */
export const methodDocs: { readonly [S in ServiceName]: DocsOf<(typeof services)[S]['methods']> } = {
  avm: avmDocs,
  wallet: walletDocs,
  info: infoDocs,
  health: healthDocs,
  platform: platformDocs,
  avax: avaxDocs,
  eth: evmDocs,
  dev: devDocs,
};
