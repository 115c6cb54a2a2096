import type { Tx } from '../src/avm/tx/tx.ts';
import { parseUtxo } from '../src/avm/tx/utxo.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { fromHex } from '../src/base/bytes/hex.ts';
import { createChainOracle, heightOf, randomWalletListing } from '../test/chain-oracle.ts';
import type { Client } from '../test/http.ts';
import { createIssuer } from '../test/issuer.ts';
import { createdBy, spentBy } from '../test/ledger-model.ts';
import { expectListingRead, readListing } from '../test/listing-reader.ts';
import { utxosOf } from '../test/network-nodes.ts';
import { chance } from '../test/random-world.ts';
import { BenchError } from './fault.ts';
import { createPatientClient } from './patient-client.ts';

/**
 * The sampled stream: random transactions of every kind, some of them invalid, of a wallet that nobody else pays or spends. What the node lists of
 * this wallet is compared with a plain recomputation from the blocks, which keeps only the transactions of this wallet.
 */
type SampledStream = {
  /** Issues some transactions, then reads lists and compares them. */
  readonly step: () => Promise<void>;
  readonly counts: () => { readonly issued: number; readonly lists: number; readonly items: number };
};

export async function openSampledStream(node: Client, port: number, seed: number): Promise<SampledStream> {
  const issuer = createIssuer({ seed, client: node, funds: 'deposit' });
  const { random, wallet, model } = issuer;
  const isOwn = createOwnership(new Set(wallet.keys.map(({ address }) => address)));
  const chain = createChainOracle(node, isOwn);
  // Several connections, so that each process answers some.
  const clients = Array.from({ length: 4 }, () => createPatientClient(port));
  const format = createAddressFormatter('X', 'local');
  const count = { issued: 0, lists: 0, items: 0 };
  await issuer.fund();

  const compareList = async (): Promise<void> => {
    const listing = randomWalletListing(random, wallet);
    const read = await readListing(clients, listing, 20 + random.below(81), { height: () => heightOf(node), node });
    await chain.readNewBlocks(issuer.deposited);
    expectListingRead(chain, read);
    count.lists++;
    count.items += read.items.length;
  };
  const compareUtxos = async (): Promise<void> => {
    const { address } = random.pick(wallet.keys);
    const listed = (await utxosOf({ name: 'node', client: node }, format(address))).map((hex) => parseUtxo(fromHex(hex)).id).sort();
    const expected = [...model.utxos.values()].filter(({ output }) => output.addresses.includes(address)).map(({ id }) => id);
    if (listed.join() !== expected.sort().join())
      throw new BenchError(`avm.getUTXOs lists ${listed.length} outputs of ${format(address)}, expected ${expected.length}`);
    count.lists++;
    count.items += listed.length;
  };
  return {
    step: async () => {
      if (chance(random, 20)) await issuer.deposit();
      count.issued += (await issuer.issue(1 + random.below(3))).length;
      await compareUtxos();
      await compareList();
    },
    counts: () => ({ ...count }),
  };
}

/** Tells which transactions create outputs of these addresses or spend those of such a transaction; it must see all in order. */
function createOwnership(addresses: ReadonlySet<string>): (tx: Tx) => boolean {
  const outputs = new Set<string>();
  return (tx) => {
    const created = createdBy(tx);
    const spent = spentBy(tx);
    if (!spent.some((id) => outputs.has(id)) && !created.some(({ output }) => output.addresses.some((one) => addresses.has(one))))
      return false;
    for (const id of spent) outputs.delete(id);
    for (const { id } of created) outputs.add(id);
    return true;
  };
}
