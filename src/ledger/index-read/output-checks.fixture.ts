import { expect } from 'bun:test';
import type { Utxo } from '../../avm/tx/utxo.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import { chainID } from '../state/random-chain.fixture.ts';
import type { OutputEntry, PinnedBlock } from './index-reads.ts';
import type { ReadsCheck } from './index-under-test.fixture.ts';
import { readOutputPages } from './output-pages.fixture.ts';

/** Outputs and transfers between chains, as the explorer reads them, beside a scan of all transactions. */

const checkOutputs: ReadsCheck = async ({ chains: { oracle }, explorer }) => {
  const pins = oracle.pins();
  const last = pins[pins.length - 1] as PinnedBlock;
  const expected = oracle.allTxs.flatMap(({ emitted, consumed }) => [
    ...emitted,
    ...consumed.filter(({ createdOn }) => createdOn !== chainID),
  ]);
  const found = await explorer.outputs(
    expected.map(({ utxo }) => utxo),
    last,
  );
  const comparable = (all: readonly { utxo: Utxo; createdOn: Id; consumedOn: Id; spent: { txID: Id | undefined } | undefined }[]) =>
    all
      .map(({ utxo, createdOn, consumedOn, spent }) => `${utxo.id} ${createdOn} ${consumedOn} ${spent === undefined ? '' : spent.txID}`)
      .sort();
  // Imports by another chain count from the time of its block on.
  const asOfLast = expected.map((output) => ({ ...output, spent: (output.spent?.time ?? 0) > last.time ? undefined : output.spent }));
  const withIDs = found.map((output) => ({
    ...output,
    utxo: output.utxo,
    spent: output.spent && { txID: output.spent.id && (toHex(output.spent.id) as Id) },
  }));
  expect(comparable(withIDs)).toEqual(comparable(asOfLast));
  expect(await explorer.outputs([{ txID: zeroId, outputIndex: 0 }], last)).toEqual([]);
  const byId: (OutputEntry | undefined)[] = [];
  for (const { utxo } of expected) byId.push(await explorer.outputById(utxo.id, last));
  expect(byId.map((output) => output?.utxo.id)).toEqual(expected.map(({ utxo }) => utxo.id));
  expect(await explorer.outputById(zeroId, last)).toBeUndefined();
};

const checkSharedOutputs: ReadsCheck = async ({ chains, explorer }) => {
  const pins = chains.oracle.pins();
  let found = 0;
  for (const pin of [pins[pins.length - 1], pins[30]] as PinnedBlock[])
    for (const address of chains.addresses)
      for (const includeSpent of [false, true]) {
        const common = {
          pin,
          addresses: [address],
          asset: undefined,
          minAmount: 0n,
          includeSpent,
          sortBy: 'timestamp',
          order: 'asc',
        } as const;
        const expected = chains.oracle.allTxs
          .flatMap(({ emitted }) => emitted)
          .filter(({ utxo: { output }, height, consumedOn, spent }) => {
            const isListed = includeSpent || (spent?.seq ?? Number.POSITIVE_INFINITY) > pin.lastTx;
            const isShared = output.addresses.length > 1 && output.addresses.includes(address) && output.threshold > 1;
            return height <= pin.height && consumedOn === chainID && isListed && isShared;
          })
          .sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
          .map(({ utxo }) => utxo.id);
        const listed = (await readOutputPages(explorer.sharedOutputs, { ...common, limit: 2 })).map(({ utxo }) => utxo.id);
        expect(listed).toEqual(expected);
        found += listed.length;
      }
  expect(found).toBeGreaterThan(0);
};

const checkTransfers: ReadsCheck = async ({ chains: { oracle }, explorer }, name) => {
  const moved = oracle.allTxs.flatMap(({ emitted, consumed }) => [
    ...emitted.filter(({ consumedOn }) => consumedOn !== chainID),
    ...consumed.filter(({ createdOn }) => createdOn !== chainID),
  ]);
  const list = async (order: 'asc' | 'desc') => {
    const all = [];
    for (let after: number | undefined; ; ) {
      const page = await explorer.transfers({ after, order, limit: 3 });
      all.push(...page);
      after = page[2]?.seq;
      if (after === undefined) return all;
    }
  };
  const listed = await list('desc');
  expect((await list('asc')).reverse()).toEqual(listed);
  const text = (utxo: Utxo, source: Id, destination: Id, importedBy: Id | undefined) => `${utxo.id} ${source} ${destination} ${importedBy}`;
  expect(listed.map(({ utxo, source, destination, imported }) => text(utxo, source, destination, imported?.txID)).sort()).toEqual(
    moved.map(({ utxo, createdOn, consumedOn, spent }) => text(utxo, createdOn, consumedOn, spent?.txID)).sort(),
  );
  // Blocks of the other chain are unknown, so imported outputs have no block of their export.
  const exports = (all: readonly { utxo: Utxo; exported: { height: number; time: number } | undefined }[]) =>
    all.map(({ utxo, exported }) => `${utxo.id} ${exported?.height} ${exported?.time}`).sort();
  expect(exports(listed)).toEqual(
    exports(moved.map(({ utxo, createdOn, height, time }) => ({ utxo, exported: createdOn === chainID ? { height, time } : undefined }))),
  );
  const { outbound, inbound } = await explorer.atomicOutputs(1000);
  const waiting = moved.filter(({ createdOn, spent }) => createdOn === chainID && spent === undefined).map(({ utxo }) => utxo.id);
  expect(outbound.outputs.map(({ utxo }) => utxo.id).sort()).toEqual(waiting.sort());
  expect(outbound.isComplete).toBe(true);
  if (waiting.length > 1) expect((await explorer.atomicOutputs(1)).outbound).toMatchObject({ isComplete: false, outputs: { length: 1 } });
  const imported = new Set(moved.filter(({ createdOn }) => createdOn !== chainID).map(({ utxo }) => utxo.id));
  // Outputs without owners are not listed.
  const pending = [...oracle.inbound().values()]
    .filter(({ id, output }) => !imported.has(id) && output.addresses.length > 0)
    .map(({ id }) => id);
  expect(inbound?.outputs.map(({ utxo }) => utxo.id).sort()).toEqual(
    name === 'PostgreSQL' || name === 'Citus' ? undefined : (pending.sort() as never),
  );
};

export const outputChecks: readonly ReadsCheck[] = [checkOutputs, checkSharedOutputs, checkTransfers];
