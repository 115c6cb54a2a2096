import { expect, test } from 'bun:test';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import { type Address, zeroAddress } from '../../base/bytes/address.ts';
import { zeroId } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';
import type { ExportLookup } from './export-lookup.ts';
import { findImportedOutputs } from './imported-outputs.ts';
import type { RemoteUtxoCursor } from './remote.ts';
import { listUtxoPages } from './utxo-pages.ts';

const other = 'ab'.repeat(20) as Address;
const utxoOf = (index: number, ...addresses: Address[]) =>
  makeUtxo(zeroId, index, zeroId, { kind: 'secp256k1fx.TransferOutput', amount: 1n, locktime: 0n, threshold: 1, addresses });
const cursor = (number: number): RemoteUtxoCursor => ({ number }) as unknown as RemoteUtxoCursor;

test('pages follow each other up to one without a next, each asked for after the one before', async () => {
  const pages = [
    { utxos: [utxoOf(0, zeroAddress)], next: cursor(1) },
    { utxos: [], next: cursor(2) },
    { utxos: [utxoOf(1, other, zeroAddress), utxoOf(2, zeroAddress)], next: undefined },
  ];
  const asked: unknown[] = [];
  const utxos = async (query: unknown) => {
    asked.push(query);
    return pages[asked.length - 1] as never;
  };
  const read = await Array.fromAsync(listUtxoPages({ utxos }, 'own' as never, zeroAddress));
  expect(read).toEqual(pages.map((page) => page.utxos));
  expect(asked).toEqual([undefined, cursor(1), cursor(2)].map((after) => ({ list: 'own', address: zeroAddress, after })));
});

test('a node that lists an output of another address is not believed', async () => {
  const utxos = async () => ({ utxos: [utxoOf(0, zeroAddress), utxoOf(1, other)], next: undefined });
  const read = Array.fromAsync(listUtxoPages({ utxos }, 'own' as never, zeroAddress)).catch(({ fault }: AnyFault) => fault);
  expect((await read) as object).toMatchObject({ code: 'FOLLOW_NONSENSE', why: 'it lists an output of another address' });
});

test('a list without an end ends after 100,000 pages', async () => {
  let pages = 0;
  const page = Promise.resolve({ utxos: [], next: cursor(1) });
  const read = async (): Promise<void> => {
    for await (const _ of listUtxoPages({ utxos: () => page }, 'own' as never, zeroAddress)) pages++;
  };
  expect(await read().catch(({ fault }: AnyFault) => fault)).toMatchObject({
    code: 'FOLLOW_NONSENSE',
    why: 'it lists more than 100000 pages',
  });
  expect(pages).toBe(100_000);
});

test('outputs of other chains: found, unknown, or not created by their export; sixteen are looked up at a time', async () => {
  const utxos = Array.from({ length: 20 }, (_, i) => utxoOf(i, zeroAddress));
  const imports = utxos.map(({ id, outputIndex }) => ({ id, sourceChain: other as never, input: { txID: `${outputIndex}` } as never }));
  let [running, most] = [0, 0];
  const find: ExportLookup['find'] = async (from, txID) => {
    expect(from).toBe(other as never);
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    if (txID === ('3' as never)) return undefined;
    return txID === ('4' as never) ? [] : utxos;
  };
  const found = await findImportedOutputs(imports, { find });
  expect(most).toBe(16);
  expect([...found.unknown]).toEqual([utxos[3]?.id as never]);
  expect([...found.utxos.values()]).toEqual(utxos.filter((_, i) => i !== 3 && i !== 4));
});
