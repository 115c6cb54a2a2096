import { Glacier } from '@avalabs/glacier-sdk';

const { primaryNetworkBlocks } = new Glacier({ BASE: 'http://127.0.0.1:9650' });
const block = await primaryNetworkBlocks.getBlockById({ network: 'fuji', blockchainId: 'x-chain', blockId: '0' });
console.log(block.blockHash); // 2R2UY2pZMQr8nR9ywCdqn97Lp5a6hceqtLXkag6vH7KQSVvmst
