import { Avalanche } from '@avalanche-sdk/chainkit';

const serverURL = 'http://127.0.0.1:9650';
const { data, metrics } = new Avalanche({ network: 'fuji', enableTelemetry: false });
const owner = { blockchainId: 'x-chain', addresses: 'fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t' };
const { balances } = await data.primaryNetwork.balances.listByAddresses(owner, { serverURL });
console.log(balances.unlocked[0].symbol, balances.unlocked[0].amount); // AVAX 299899999999000000
const { result } = await metrics.chains.getRollingWindowMetrics({ chainId: 'x-chain', metric: 'txCount' }, { serverURL });
console.log(result.allTime); // 1
