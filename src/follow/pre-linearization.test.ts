import { expect, test } from 'bun:test';
import type { Address } from '../bytes/address.ts';
import { idOf } from '../bytes/id.ts';
import { makeUtxo, type Utxo } from '../tx/utxo.ts';
import { completeOlder } from './pre-linearization.ts';
import type { UtxoQuery } from './remote.ts';

const addressNamed = (name: string) => idOf(Buffer.from(name)).slice(0, 40) as Address;
const utxoOf = (address: Address, n: number): Utxo =>
  makeUtxo(idOf(Buffer.from(`tx ${n}`)), n, idOf(Buffer.from('asset')), {
    kind: 'secp256k1fx.TransferOutput',
    amount: 1n,
    locktime: 0n,
    threshold: 1,
    addresses: [address],
  });

/** A node that lists three outputs of every address, two in a page, and whose height grows with every question for it. */
function open(spoil: (page: Utxo[]) => Utxo[] = (page) => page) {
  const events: string[] = [];
  let height = 10n;
  const added: Utxo[] = [];
  const complete = completeOlder({
    remote: {
      height: async () => ++height,
      utxos: async ({ address, after }: UtxoQuery) => {
        events.push(`list ${after?.utxo ?? 'first'}`);
        return after === undefined
          ? { utxos: spoil([utxoOf(address, 1), utxoOf(address, 2)]), next: { address: 'there', utxo: 'second' } }
          : { utxos: spoil([utxoOf(address, 3)]), next: undefined };
      },
    },
    ledger: {
      addOlder: async (utxos) => {
        events.push(`add ${utxos.length}`);
        added.push(...utxos);
      },
    },
    reached: async (wanted) => void events.push(`reach ${wanted}`),
  });
  return { complete, events, added };
}

test('every page is added only after the blocks of the height at which it was listed are here', async () => {
  const { complete, events } = open();
  await complete([addressNamed('a')]);
  expect(events).toEqual(['list first', 'reach 11', 'add 2', 'list second', 'reach 12', 'add 1']);
});

test('an address is listed once, however many ask for it, at once or later', async () => {
  const { complete, events, added } = open();
  const addresses = Array.from({ length: 30 }, (_, i) => addressNamed(String(i)));
  await Promise.all([complete(addresses), complete([...addresses, ...addresses]), complete(addresses.slice(5))]);
  await complete(addresses);
  expect(events.filter((event) => event === 'list first')).toHaveLength(30);
  expect(added).toHaveLength(90);
});

test('outputs of somebody else are nonsense, and the address is asked for again the next time', async () => {
  const other = addressNamed('other');
  const { complete, events, added } = open(() => [utxoOf(other, 9)]);
  const code = () => complete([addressNamed('a')]).then(String, (error) => error.fault.code);
  expect([await code(), await code()]).toEqual(['FOLLOW_NONSENSE', 'FOLLOW_NONSENSE']);
  expect(events).toEqual(['list first', 'list first']);
  expect(added).toEqual([]);
});
