import { describe, expect, test } from 'bun:test';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import { createAddressFormatter, zeroAddress } from '../../base/bytes/address.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';
import type { CrossChainTransfer } from '../../ledger/index-read/explorer-reads.ts';
import { crossChainRoutes } from './cross-chain-routes.ts';

const [xChain, pChain, cChain, avax, tx, importTx] = ['11', '22', '33', '44', '55', '66'].map((two) => two.repeat(32)) as [
  Id,
  Id,
  Id,
  Id,
  Id,
  Id,
];
const utxo = (index: number, amount = 5n) =>
  makeUtxo(tx, index, avax, { kind: 'secp256k1fx.TransferOutput', amount, locktime: 0n, threshold: 1, addresses: [zeroAddress] });
const transfer = (seq: number, changes: object = {}): CrossChainTransfer =>
  ({
    seq,
    utxo: utxo(seq),
    source: xChain,
    destination: pChain,
    exported: { height: 7, time: 70 },
    imported: undefined,
    ...changes,
  }) as CrossChainTransfer;

/** Calls a route of a server that has these outputs. */
async function call(id: string, params: object, changes: object = {}, explorer: object = {}, cursor?: object) {
  const asked: object[] = [];
  const chain = {
    ...{ slug: 'x-chain', aliases: ['X'], id: xChain, reads: { tip: async () => ({ height: 9, time: 90 }), completeFrom: async () => 0 } },
    explorer: {
      transfers: async (query: object) => {
        asked.push(query);
        return [];
      },
      ...explorer,
    },
    ...changes,
  };
  const label = { name: 'Avalanche', symbol: 'AVAX', denomination: 9 };
  const deps = {
    served: { chains: [chain], otherChains: [], network: { names: ['local'], hrp: 'local' } },
    assetLabels: () => async () => ({ labelOf: () => label, isComplete: true }),
    addressFormatter: (hrp: string) => createAddressFormatter('', hrp),
  };
  const route = crossChainRoutes.find((one) => one.id === id);
  const run = route?.run as unknown as (...args: object[]) => Promise<Record<string, unknown>>;
  const paging = { cursor, nextPageToken: (next: object) => JSON.stringify(next) };
  return { answer: await run(deps, { network: 'local', blockchainId: 'x-chain', ...params }, { paging }), asked };
}

const list = (rows: readonly CrossChainTransfer[], params: object = {}, changes: object = {}) =>
  call('listCrossChainTransfers', { pageSize: 2, sortOrder: 'desc', ...params }, changes, { transfers: async () => rows });

describe('transfers between chains', () => {
  test('have both ends: where and when they were exported and imported', async () => {
    const imported = { txID: importTx, time: 80 };
    const { answer } = await list([
      transfer(3, { imported }),
      transfer(2, { source: cChain, destination: xChain, exported: undefined, imported }),
    ]);
    const [first, second] = answer.transfers as Record<string, unknown>[];
    expect(first).toMatchObject({
      ...{ utxoId: idText(utxo(3).id), direction: 'export', sourceChain: idText(xChain), destinationChain: idText(pChain), threshold: 1 },
      ...{ exportTxHash: idText(tx), exportBlockNumber: '7', exportTimestamp: 70, importTxHash: idText(importTx), importTimestamp: 80 },
    });
    expect(second).toMatchObject({ direction: 'import', exportBlockNumber: undefined, exportTimestamp: undefined, importTimestamp: 80 });
    expect([first?.mayBeImported, first?.isIncomplete, second?.mayBeImported]).toEqual([undefined, undefined, undefined]);
  });

  test('that are exported may be imported where a node does not see imports', async () => {
    const flags = async (row: CrossChainTransfer, foreignImports?: string) =>
      ((await list([row], {}, { foreignImports })).answer.transfers as Record<string, unknown>[])[0]?.mayBeImported;
    expect([await flags(transfer(1), 'unknown'), await flags(transfer(1), 'looked-up'), await flags(transfer(1))]).toEqual([
      true,
      true,
      undefined,
    ]);
    expect(await flags(transfer(1, { imported: { txID: undefined, time: 5 } }), 'unknown')).toBeUndefined();
    expect(await flags(transfer(1, { source: pChain, destination: xChain }), 'unknown')).toBeUndefined();
  });

  test('come in pages, each after the last of the one before', async () => {
    const three = [transfer(9), transfer(8), transfer(7)];
    const page = await list(three);
    expect([(page.answer.transfers as unknown[]).length, page.answer.nextPageToken]).toEqual([2, '{"height":9,"after":8}']);
    expect((await list(three.slice(0, 2))).answer.nextPageToken).toBeUndefined();
    const next = await call('listCrossChainTransfers', { pageSize: 2, sortOrder: 'asc' }, {}, {}, { after: 8 });
    expect(next.asked).toEqual([{ after: 8, order: 'asc', limit: 3 }]);
  });

  test('begin after a named output, which must be one that moved', async () => {
    const startAfter = async (entry: object | undefined) => {
      const { asked } = await call(
        'listCrossChainTransfers',
        { pageSize: 2, sortOrder: 'desc', afterUtxoId: tx },
        {},
        { outputById: async () => entry },
      );
      return asked[0];
    };
    expect(await startAfter({ seq: -6 })).toMatchObject({ after: 6 });
    for (const entry of [undefined, { seq: 0 }, { seq: 5 }]) {
      const refused = await startAfter(entry).catch(({ message }: AnyFault) => message);
      expect(refused).toBe(`No output ${idText(tx)} moved from or to x-chain` as never);
    }
  });
});

describe('outputs in shared memory', () => {
  const outputs = (...rows: readonly (readonly [Id, bigint])[]) =>
    rows.map(([otherChain, amount], i) => ({ otherChain, utxo: utxo(i, amount) }));
  const sums = async (atomic: object, changes: object = {}) => {
    let reads = 0;
    const explorer = {
      atomicOutputs: async (limit: number) => {
        reads++;
        expect(limit).toBe(10_000);
        return atomic;
      },
    };
    const { answer } = await call('getCrossChainBalances', {}, changes, explorer);
    return { isComplete: answer.isComplete, outbound: answer.outbound, inbound: answer.inbound, reads };
  };
  const outbound = { outputs: outputs([pChain, 1n], [cChain, 2n], [pChain, 4n]), isComplete: true };

  test('are added up by the other chain', async () => {
    const answer = (await sums({ outbound, inbound: { outputs: outputs([cChain, 8n]), isComplete: true } })) as Record<string, unknown>;
    const short = (all: unknown) =>
      (all as { chainId: string; utxoCount: number; amounts: { amount: string }[]; mayBeImported?: boolean }[]).map((one) => [
        ...[one.chainId, one.utxoCount, one.amounts.map(({ amount }) => amount).join(), one.mayBeImported],
      ]);
    expect(short(answer.outbound)).toEqual([
      [idText(pChain), 2, '5', undefined],
      [idText(cChain), 1, '2', undefined],
    ]);
    expect([short(answer.inbound), answer.isComplete]).toEqual([[[idText(cChain), 1, '8', undefined]], true]);
  });

  test('are read again if a lookup may have marked some as imported', async () => {
    const reads = async (changes: object) => (await sums({ outbound, inbound: undefined }, { status: () => 'OK', ...changes })).reads;
    expect(await reads({})).toBe(1);
    expect(await reads({ foreignImports: 'unknown' })).toBe(1);
    expect(await reads({ foreignImports: 'looked-up', backfillAddresses: async () => 'done' })).toBe(2);
    let count = 0;
    expect(await reads({ foreignImports: 'looked-up', backfillAddresses: async () => 'done', backfills: () => count })).toBe(1);
    expect(await reads({ foreignImports: 'looked-up', backfillAddresses: async () => 'done', backfills: () => count++ })).toBe(2);
  });

  test('may be imported already where imports are not known', async () => {
    const answer = (await sums({ outbound, inbound: undefined }, { foreignImports: 'unknown' })) as {
      outbound?: { mayBeImported?: boolean }[];
    };
    expect(answer.outbound?.map(({ mayBeImported }) => mayBeImported)).toEqual([true, true]);
  });

  test('are complete if both directions are; one that is not known does not count', async () => {
    const none = { outputs: [], isComplete: true };
    const isComplete = async (atomic: object) => (await sums(atomic)).isComplete;
    expect(await isComplete({ outbound: none, inbound: undefined })).toBe(true);
    expect(await isComplete({ outbound: none, inbound: { ...none, isComplete: false } })).toBe(false);
    expect(await isComplete({ outbound: { ...none, isComplete: false }, inbound: none })).toBe(false);
  });
});
