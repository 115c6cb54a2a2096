import { expect, test } from 'bun:test';
import { makeUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { type Id, idOf, zeroId } from '../../base/bytes/id.ts';
import type { ExportedOutput, UnspentExport } from '../../ledger/index-write/exported-outputs.ts';
import { noResponse } from './fault.ts';
import type { RemoteUtxoQuery } from './remote.ts';
import { createSpentExportsBackfill } from './spent-exports-backfill.ts';

const foreign = { P: zeroId, C: idOf(Buffer.from('C')) };
const elsewhere = idOf(Buffer.from('elsewhere'));
const owner = idOf(Buffer.from('owner')).slice(0, 40) as Address;
const output = { kind: 'secp256k1fx.TransferOutput', amount: 1n, locktime: 0n, threshold: 1, addresses: [owner] } as const;
const utxo = (n: number): Utxo => makeUtxo(idOf(Buffer.from(`tx ${n}`)), n, idOf(Buffer.from('asset')), { ...output, addresses: [owner] });

/** A fake node with two outputs per page, and an index with exports to P and C that are unspent on the node or not. */
function open({ onP = [] as Utxo[], onC = [] as Utxo[] }) {
  const unspentExports: UnspentExport[] = [];
  const requests: string[] = [];
  const node = { height: 9n, P: onP, C: onC, isSilent: false };
  const markedSpent: Id[] = [];
  let now = 0;
  const backfill = createSpentExportsBackfill({
    remote: {
      height: async () => {
        requests.push('height');
        return node.height;
      },
      utxos: async ({ list: name, after }: RemoteUtxoQuery) => {
        const chain = name.slice(-1) as 'P' | 'C';
        requests.push(`${chain} ${after?.utxo ?? 'first'}`);
        if (node.isSilent) throw noResponse('platform.getUTXOs', 'no connection');
        const from = after === undefined ? 0 : Number(after.utxo);
        const list = node[chain];
        return { utxos: list.slice(from, from + 2), next: list.length > from + 2 ? { address: '', utxo: String(from + 2) } : undefined };
      },
    },
    exportedOutputs: {
      listUnspent: async () => [...unspentExports],
      markSpent: async (spent: readonly ExportedOutput[]) => {
        for (const { id } of spent) {
          markedSpent.push(id);
          unspentExports.splice(
            unspentExports.findIndex((one) => one.id === id),
            1,
          );
        }
      },
    },
    foreign,
    now: () => now,
  });
  const exported = (n: number, destination: Id, height = 5) => unspentExports.push({ id: utxo(n).id, destination, height });
  const runBackfill = async () => {
    now += 10_000;
    requests.length = 0;
    await backfill([owner]);
    return [...requests];
  };
  return { node, unspentExports, markedSpent, exported, runBackfill };
}

test('no request is made for an address without exports, or with exports only to chains other than P and C', async () => {
  const { exported, runBackfill, unspentExports } = open({});
  expect(await runBackfill()).toEqual([]);
  exported(1, elsewhere);
  expect(await runBackfill()).toEqual([]);
  expect(unspentExports).toHaveLength(1);
});

test('exports that no page lists are marked as spent', async () => {
  const { exported, runBackfill, markedSpent } = open({ onP: [utxo(1), utxo(2), utxo(3)], onC: [utxo(7)] });
  for (const n of [1, 2, 3, 4]) exported(n, foreign.P);
  exported(9, elsewhere);
  expect(await runBackfill()).toEqual(['height', 'P first', 'P 2']);
  expect(markedSpent).toEqual([utxo(4).id]);
  exported(7, foreign.C);
  exported(8, foreign.C);
  expect((await runBackfill()).sort()).toEqual(['C first', 'P 2', 'P first', 'height']);
  expect(markedSpent).toEqual([utxo(4).id, utxo(8).id]);
});

test('no export is marked as spent if the node does not answer, is behind, or lists outputs of another address', async () => {
  const { exported, runBackfill, markedSpent, node } = open({});
  exported(1, foreign.P, 9);
  const code = () => runBackfill().then(String, (error) => error.fault.code);
  node.isSilent = true;
  expect(await code()).toBe('FOLLOW_SILENT');
  node.isSilent = false;
  node.height = 8n;
  await runBackfill();
  expect(markedSpent).toEqual([]);
  node.height = 9n;
  node.P = [makeUtxo(zeroId, 0, zeroId, { ...output, addresses: ['f'.repeat(40) as Address] })];
  expect(await code()).toBe('FOLLOW_NONSENSE');
  expect(markedSpent).toEqual([]);
  node.P = [];
  await runBackfill();
  expect(markedSpent).toEqual([utxo(1).id]);
});
