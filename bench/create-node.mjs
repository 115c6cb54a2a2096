// Creates a node with the built library, sends, and prints the milliseconds of the import, the first node and each transaction as JSON: `node|bun bench/create-node.mjs`.

const imported = performance.now();
const { createNode } = await import('../dist/sdk/index.js');
const began = performance.now();
const node = await createNode();
const first = performance.now() - began;
const { address } = node.accounts[1];
const sent = performance.now();
for (let i = 0; i < 50; i++) await node.dev.send({ to: address, amount: '1 AVAX' });
const send = (performance.now() - sent) / 50;
await node.close();
console.log(JSON.stringify({ load: began - imported, first, send }));
