// Sends 1.5 AVAX on a chain inside this program, and waits until the transaction is accepted: node send.mjs
import { createNode } from 'serac';

const node = await createNode();
const [, , account] = node.accounts;
const { txID } = await node.dev.send({ to: account.address, amount: '1.5 AVAX', memo: 'invoice 7' });
const { balance } = await node.avm.getBalance({ address: account.address, assetID: 'AVAX' });
console.log(txID.length > 40, balance); // true 10001500000000n
await node.close();
