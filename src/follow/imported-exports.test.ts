import { expect, test } from 'bun:test';
import type { Address } from '../bytes/address.ts';
import { type Id, idOf, zeroId } from '../bytes/id.ts';
import type { Export, OpenExport } from '../index-write/exported-outputs.ts';
import { makeUtxo, type Utxo } from '../tx/utxo.ts';
import { silent } from './fault.ts';
import { completeTaken } from './imported-exports.ts';
import type { UtxoQuery } from './remote.ts';

const foreign = { P: zeroId, C: idOf(Buffer.from('C')) };
const elsewhere = idOf(Buffer.from('elsewhere'));
const owner = idOf(Buffer.from('owner')).slice(0, 40) as Address;
const output = { kind: 'secp256k1fx.TransferOutput', amount: 1n, locktime: 0n, threshold: 1, addresses: [owner] } as const;
const utxo = (n: number): Utxo => makeUtxo(idOf(Buffer.from(`tx ${n}`)), n, idOf(Buffer.from('asset')), { ...output, addresses: [owner] });

/** A node that lists two outputs a page, and a shelf with exports to P and C that it still has or has not. */
function open({ onP = [] as Utxo[], onC = [] as Utxo[] }) {
  const shelf: OpenExport[] = [];
  const asked: string[] = [];
  const node = { height: 9n, P: onP, C: onC, isSilent: false };
  const taken: Id[] = [];
  let now = 0;
  const complete = completeTaken({
    remote: {
      height: async () => {
        asked.push('height');
        return node.height;
      },
      utxos: async ({ of, after }: UtxoQuery) => {
        asked.push(`${of} ${after?.utxo ?? 'first'}`);
        if (node.isSilent) throw silent('platform.getUTXOs', 'no connection');
        const from = after === undefined ? 0 : Number(after.utxo);
        const list = of === 'X' ? [] : node[of];
        return { utxos: list.slice(from, from + 2), next: list.length > from + 2 ? { address: '', utxo: String(from + 2) } : undefined };
      },
    },
    shelf: {
      open: async () => [...shelf],
      take: async (gone: readonly Export[]) => {
        for (const { id } of gone) {
          taken.push(id);
          shelf.splice(
            shelf.findIndex((one) => one.id === id),
            1,
          );
        }
      },
    },
    foreign,
    now: () => now,
  });
  const exported = (n: number, destination: Id, height = 5) => shelf.push({ id: utxo(n).id, destination, height });
  const ask = async () => {
    now += 10_000;
    asked.length = 0;
    await complete([owner]);
    return [...asked];
  };
  return { node, shelf, taken, exported, ask };
}

test('nobody is asked about an address that has no exports, or only to chains the node does not speak for', async () => {
  const { exported, ask, shelf } = open({});
  expect(await ask()).toEqual([]);
  exported(1, elsewhere);
  expect(await ask()).toEqual([]);
  expect(shelf).toHaveLength(1);
});

test('what is listed on any page is there, the rest is gone', async () => {
  const { exported, ask, taken } = open({ onP: [utxo(1), utxo(2), utxo(3)], onC: [utxo(7)] });
  for (const n of [1, 2, 3, 4]) exported(n, foreign.P);
  exported(9, elsewhere);
  expect(await ask()).toEqual(['height', 'P first', 'P 2']);
  expect(taken).toEqual([utxo(4).id]);
  exported(7, foreign.C);
  exported(8, foreign.C);
  expect((await ask()).sort()).toEqual(['C first', 'P 2', 'P first', 'height']);
  expect(taken).toEqual([utxo(4).id, utxo(8).id]);
});

test('a node that does not answer, lists what is not asked for, or has not got so far changes nothing', async () => {
  const { exported, ask, taken, node } = open({});
  exported(1, foreign.P, 9);
  const code = () => ask().then(String, (error) => error.fault.code);
  node.isSilent = true;
  expect(await code()).toBe('FOLLOW_SILENT');
  node.isSilent = false;
  node.height = 8n;
  expect(await code()).toBe('FOLLOW_NONSENSE');
  node.height = 9n;
  node.P = [makeUtxo(zeroId, 0, zeroId, { ...output, addresses: ['f'.repeat(40) as Address] })];
  expect(await code()).toBe('FOLLOW_NONSENSE');
  expect(taken).toEqual([]);
  node.P = [];
  await ask();
  expect(taken).toEqual([utxo(1).id]);
});
