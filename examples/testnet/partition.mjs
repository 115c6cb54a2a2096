// A network of three nodes loses one, goes on without it, and has it back.
import { createTestnet } from 'serac';

const testnet = await createTestnet(3);
try {
  const [first, , third] = testnet.nodes;
  const { accounts } = await first.dev.accounts();
  const send = (amount) => first.dev.send({ from: 0, to: accounts[1].address, amount });

  await testnet.partition(3);
  const { txID } = await send('1.5 AVAX');
  await testnet.accepted(txID, 1, 2);
  const missed = await third.avm.getTxStatus({ txID });
  console.log(missed.status);

  await testnet.heal();
  await testnet.latency(100, 1, 3);
  await testnet.accepted(txID);
  console.log((await third.avm.getTxStatus({ txID })).status);
} finally {
  await testnet.close();
}
