import { scriptLiteral } from '../text/code-literal.ts';

/** A function of avalanchejs 5: its class, its name, and its arguments: the parameters as an object, or the named ones by position. */
type AvalanchejsCall = readonly [api: string, name: string, args: 'params' | readonly string[]];

const x = 'avm.AVMApi';
const p = 'pvm.PVMApi';
const info = 'info.InfoApi';

/** The methods that avalanchejs has a function for. */
const calls: { readonly [method: string]: AvalanchejsCall } = {
  'avm.getAllBalances': [x, 'getAllBalances', 'params'],
  'avm.getAssetDescription': [x, 'getAssetDescription', ['assetID']],
  'avm.getBalance': [x, 'getBalance', 'params'],
  'avm.getTx': [x, 'getTxJson', 'params'],
  'avm.getTxFee': [x, 'getTxFee', []],
  'avm.getTxStatus': [x, 'getTxStatus', 'params'],
  'avm.getUTXOs': [x, 'getUTXOs', 'params'],
  'avm.issueTx': [x, 'issueTx', 'params'],
  'info.getBlockchainID': [info, 'getBlockchainId', ['alias']],
  'info.getNetworkID': [info, 'getNetworkId', []],
  'info.getNetworkName': [info, 'getNetworkName', []],
  'info.getNodeID': [info, 'getNodeId', []],
  'info.getNodeIP': [info, 'getNodeIp', []],
  'info.getNodeVersion': [info, 'getNodeVersion', []],
  'info.getVMs': [info, 'getVMs', []],
  'info.isBootstrapped': [info, 'isBootstrapped', ['chain']],
  'info.peers': [info, 'peers', ['nodeIDs']],
  'info.upgrades': [info, 'getUpgradesInfo', []],
  'info.uptime': [info, 'uptime', []],
  'platform.getFeeConfig': [p, 'getFeeConfig', []],
  'platform.getFeeState': [p, 'getFeeState', []],
  'platform.getHeight': [p, 'getHeight', []],
  'platform.getStakingAssetID': [p, 'getStakingAssetID', 'params'],
  'platform.getUTXOs': [p, 'getUTXOs', 'params'],
  'avax.getUTXOs': ['evm.EVMApi', 'getUTXOs', 'params'],
};

/** The example of a method with avalanchejs; undefined if avalanchejs does not have the method. */
export function avalanchejsCode(method: string, params: Readonly<Record<string, unknown>>, origin: string): string | undefined {
  const call = Object.hasOwn(calls, method) ? calls[method] : undefined;
  if (call === undefined) return undefined;
  const [api, name, args] = call;
  const given = args === 'params' ? [params] : args.filter((arg) => params[arg] !== undefined).map((arg) => params[arg]);
  return `import { ${api.split('.')[0]} } from '@avalabs/avalanchejs';

const api = new ${api}('${origin}');
console.log(await api.${name}(${given.map(scriptLiteral).join(', ')}));`;
}
