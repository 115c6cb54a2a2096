// Credits deposits as an exchange does: one address per customer, each deposit once, also after a restart or a revert.
// node deposits.mjs shows it on a chain inside this program; with a URL it watches that node: node deposits.mjs http://127.0.0.1:9650
import { createNode } from 'serac';
import { createClient } from 'serac/client';

/** Calls `credit` for every deposit of an asset to one of the customers' addresses, and `undo` for the ones that a revert takes back. */
export async function watchDeposits(node, { customers, assetID, credit, undo, store, until = () => false }) {
  // If events were lost, the stream throws EVENTS_LOST: compare the balances of all customers with the deposits.
  // The position and the credited deposits would be in a database, written in one transaction.
  const stream = node.events({ address: [...customers.keys()], asset: assetID, kind: ['tx', 'reverted'], after: store.lastEventId });
  for await (const event of stream) {
    if (event.kind === 'tx')
      for (const { address, assetID: asset, change } of event.balanceChanges) {
        const customer = customers.get(address);
        if (customer === undefined || asset !== assetID || change <= 0n) continue;
        store.deposits.push({ customer, amount: change, txID: event.txID, height: event.height });
        credit(customer, change, event.txID);
      }
    if (event.kind === 'reverted') {
      for (const { customer, amount, txID } of store.deposits.filter(({ height }) => height > event.height)) undo(customer, amount, txID);
      store.deposits = store.deposits.filter(({ height }) => height <= event.height);
    }
    store.lastEventId = event.id;
    if (until(store)) return;
  }
}

const [, , url] = process.argv;
const node = url === undefined ? await createNode() : createClient({ url });
const { accounts } = url === undefined ? node : await node.dev.accounts();
const { assetID } = await node.avm.getAssetDescription('AVAX');
const customers = new Map([
  [accounts[3].address, 'ann'],
  [accounts[4].address, 'ben'],
]);
const store = { deposits: [], lastEventId: undefined };
const credit = (customer, amount) => console.log(`credit ${customer} ${amount}`);
const undo = (customer, amount) => console.log(`undo ${customer} ${amount}`);
const watch = (until) => watchDeposits(node, { customers, assetID, credit, undo, store, until });

const first = watch(({ deposits }) => deposits.length === 2);
await new Promise((resolve) => setTimeout(resolve, 100));
await node.dev.send({ to: accounts[3].address, amount: 5n });
await node.dev.snapshot('before');
await node.dev.send({ to: accounts[4].address, amount: '2 AVAX' });
await first;
// The watcher was not running while these happened. It resumes after the last event that it has processed.
await node.dev.revert('before');
await node.dev.send({ to: accounts[4].address, amount: 7n });
await watch(({ deposits }) => deposits.length === 2);
console.log(store.deposits.map(({ customer, amount }) => `${customer} ${amount}`).join(', ')); // ann 5, ben 7
await node.close?.();
