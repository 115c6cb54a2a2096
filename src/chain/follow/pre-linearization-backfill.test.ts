import { expect, test } from 'bun:test';
import { makeUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { idOf } from '../../base/bytes/id.ts';
import type { FollowLedger } from './ledger.ts';
import { createPreLinearizationBackfill } from './pre-linearization-backfill.ts';
import type { RemoteUtxoQuery } from './remote.ts';

const addressNamed = (name: string) => idOf(Buffer.from(name)).slice(0, 40) as Address;
const utxoOf = (address: Address, n: number): Utxo =>
  makeUtxo(idOf(Buffer.from(`tx ${n}`)), n, idOf(Buffer.from('asset')), {
    kind: 'secp256k1fx.TransferOutput',
    amount: 1n,
    locktime: 0n,
    threshold: 1,
    addresses: [address],
  });

/** A fake node that lists three outputs per address, two per page, and whose height grows with every request for it. */
function open(spoil: (page: Utxo[]) => Utxo[] = (page) => page, backfilledAddresses?: FollowLedger['backfilledAddresses']) {
  const events: string[] = [];
  let height = 10n;
  const added: Utxo[] = [];
  const backfill = createPreLinearizationBackfill({
    remote: {
      height: async () => ++height,
      utxos: async ({ address, after }: RemoteUtxoQuery) => {
        events.push(`list ${after?.utxo ?? 'first'}`);
        return after === undefined
          ? { utxos: spoil([utxoOf(address, 1), utxoOf(address, 2)]), next: { address: 'there', utxo: 'second' } }
          : { utxos: spoil([utxoOf(address, 3)]), next: undefined };
      },
    },
    ledger: {
      addPreLinearizationUtxos: async (utxos) => {
        events.push(`add ${utxos.length}`);
        added.push(...utxos);
      },
      ...(backfilledAddresses && { backfilledAddresses }),
    },
    waitForHeight: async (wanted) => void events.push(`reach ${wanted}`),
  });
  return { backfill, events, added };
}

test('a page is added only after all blocks up to the node height at the time of listing are stored', async () => {
  const { backfill, events } = open();
  await backfill([addressNamed('a')]);
  expect(events).toEqual(['list first', 'reach 11', 'add 2', 'list second', 'reach 12', 'add 1']);
});

test('an address is recorded when all its outputs are stored, and not listed by the next process', async () => {
  const records = new Set<Address>();
  const recorded = { has: async (one: Address) => records.has(one), add: async (one: Address) => void records.add(one) };
  const [a, b] = [addressNamed('a'), addressNamed('b')];
  const failing = open(() => {
    throw new Error('the node is gone');
  }, recorded);
  await failing.backfill([a]).catch(() => undefined);
  expect(records.size).toBe(0);
  await open(undefined, recorded).backfill([a]);
  expect([...records]).toEqual([a]);
  const later = open(undefined, recorded);
  await later.backfill([a, b]);
  expect(later.events.filter((event) => event === 'list first')).toHaveLength(1);
});

test('an address is listed once, for concurrent and later callers', async () => {
  const { backfill, events, added } = open();
  const addresses = Array.from({ length: 30 }, (_, i) => addressNamed(String(i)));
  await Promise.all([backfill(addresses), backfill([...addresses, ...addresses]), backfill(addresses.slice(5))]);
  await backfill(addresses);
  expect(events.filter((event) => event === 'list first')).toHaveLength(30);
  expect(added).toHaveLength(90);
});

test('outputs of another address are an invalid response, and the address is listed again on the next call', async () => {
  const other = addressNamed('other');
  const { backfill, events, added } = open(() => [utxoOf(other, 9)]);
  const code = () => backfill([addressNamed('a')]).then(String, (error) => error.fault.code);
  expect([await code(), await code()]).toEqual(['FOLLOW_NONSENSE', 'FOLLOW_NONSENSE']);
  expect(events).toEqual(['list first', 'list first']);
  expect(added).toEqual([]);
});
