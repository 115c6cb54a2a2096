import { AvaCloudSDK } from '@avalabs/avacloud-sdk';

const serverURL = 'http://127.0.0.1:9650';
const { data } = new AvaCloudSDK({ network: 'fuji', serverURL });
for await (const { result } of await data.primaryNetwork.listBlockchains({}, { serverURL }))
  console.log(result.blockchains.map(({ blockchainName }) => blockchainName).join(', ')); // X-Chain, P-Chain, C-Chain
