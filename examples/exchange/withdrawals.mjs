// Pays withdrawals as an exchange does: many customers in one transaction, each exactly once, also if the program stops in the middle.
// node withdrawals.mjs shows it on a chain inside this program.
import { createNode } from 'serac';
import {
  baseTx,
  formatTx,
  idText,
  ownedBy,
  parseAddress,
  parseKey,
  parseUtxoText,
  readChainParams,
  signDraft,
  transfer,
} from 'serac/codec';

/**
 * Pays all open withdrawals in one transaction. It is signed and stored before it is sent: whoever starts again sends the same bytes, so nobody is
 * paid twice. `store` would be a database.
 */
export async function payWithdrawals(node, { hotKey, hotAddress, store }) {
  if (store.pending === undefined) {
    const open = store.withdrawals.filter(({ txID }) => txID === undefined);
    if (open.length === 0) return;
    const wallet = { keys: [parseKey(hotKey)], chainParams: await readChainParams(node) };
    const { utxos } = await node.avm.getUTXOs([hotAddress]);
    const sent = open.map(({ to, amount }) => transfer(wallet.chainParams.feeAsset, amount, ownedBy([parseAddress(to)])));
    const tx = signDraft(baseTx(wallet, { utxos: utxos.map(parseUtxoText) }, sent));
    store.pending = { txID: idText(tx.id), bytes: formatTx(tx), withdrawals: open };
  }
  const { txID, bytes, withdrawals } = store.pending;
  if ((await node.avm.getTxStatus(txID)).status !== 'Accepted') await node.avm.issueTx(bytes);
  while ((await node.avm.getTxStatus(txID)).status !== 'Accepted') await new Promise((resolve) => setTimeout(resolve, 50));
  for (const withdrawal of withdrawals) withdrawal.txID = txID;
  store.pending = undefined;
}

const node = await createNode();
const [, hot, ann, ben] = node.accounts;
const store = {
  pending: undefined,
  withdrawals: [
    { to: ann.address, amount: 5n },
    { to: ben.address, amount: 2_000_000_000n },
  ],
};
const pay = () => payWithdrawals(node, { hotKey: hot.privateKey, hotAddress: hot.address, store });

// The transaction is sent, and the answer is lost: the exchange does not know whether it was paid.
await node.dev.failNext({ method: 'avm.getTxStatus', times: 1, error: 'connection lost' });
await pay().catch(({ message }) => console.log(`failed: ${message.includes('connection lost')}, pending: ${store.pending !== undefined}`));
await pay();
await pay();
const paid = async ({ address }) => (await node.avm.getBalance({ address, assetID: 'AVAX' })).balance - 10_000_000_000_000n;
console.log(`ann ${await paid(ann)}, ben ${await paid(ben)}, pending: ${store.pending !== undefined}`); // ann 5, ben 2000000000, pending: false
await node.close();
