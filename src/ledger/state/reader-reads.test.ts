import { describe, expect, test } from 'bun:test';
import { sqliteDrivers, withScratchDatabase } from '../../app/platform/databases.fixture.ts';
import { toHex } from '../../base/bytes/hex.ts';
import type { OpenDatabase } from '../store/database.ts';
import type { ChainState } from './chain-state.ts';
import { copyTables } from './copy-tables.fixture.ts';
import { appendBlocks, commitNext, openChain } from './open-chain.fixture.ts';
import { chainID, otherChainID, randomChain } from './random-chain.fixture.ts';

/** A driver that runs `work` once after the next statement, as if the writer process did it. */
function interrupt(open: OpenDatabase, next: { work?: (() => void) | undefined }): OpenDatabase {
  const after = <T>(result: T): T => {
    const { work } = next;
    next.work = undefined;
    work?.();
    return result;
  };
  return (path, options) => {
    const db = open(path, options);
    return {
      ...db,
      prepare: <Row>(sql: string) => {
        const statement = db.prepare<Row>(sql);
        return {
          run: statement.run,
          get: (...values) => after(statement.get(...values)),
          all: (...values) => after(statement.all(...values)),
        };
      },
    };
  };
}

for (const { name, open } of sqliteDrivers.filter(({ onDisk }) => onDisk))
  describe(`a reader process while the writer process commits (${name})`, () => {
    const within = (seed: number, work: (chains: ReturnType<typeof openBoth>) => void) =>
      withScratchDatabase((path) => {
        const chains = openBoth(path, seed);
        work(chains);
        chains.reader.close();
        chains.writer.close();
      });
    const openBoth = (path: string, seed: number) => {
      const source = randomChain(seed, 3);
      const writer = openChain(open, path);
      appendBlocks(writer, source, 8, 6);
      const next: { work?: (() => void) | undefined } = {};
      return { source, writer, next, reader: openChain(interrupt(open, next), path, { readonly: true }) };
    };

    test('a page of outputs and the balances of an address are those of one commit', () => {
      const start = { address: '00'.repeat(20), utxoID: '00'.repeat(32) } as Parameters<ChainState['utxos']>[1]['start'];
      for (let seed = 0; seed < 6; seed++)
        within(seed, ({ source, writer, next, reader }) => {
          const page = (chain: typeof chainID, addresses: typeof source.addresses) =>
            reader.state.utxos(chain, { addresses, start, limit: 1000 }, true).utxos.map(toHex);
          for (const address of source.addresses)
            for (const read of [
              () => page(chainID, [address]),
              () => page(chainID, source.addresses),
              () => page(otherChainID, [address]),
              () => reader.state.balances(address, 0n),
              () => reader.state.fewBalances(address, 0n, 1000),
            ]) {
              const before = read();
              const block = source.next(writer.state, 6);
              next.work = () => commitNext(writer, block);
              const during = read();
              expect(next.work).toBeUndefined();
              expect([before, read()]).toContainEqual(during);
            }
        });
    });

    test('an asset that is created meanwhile is described, or not there yet', () =>
      within(9, ({ source, writer, next, reader }) => {
        const block = source.next(writer.state, 20);
        const created = block.block.txs.find(({ unsigned }) => unsigned.kind === 'CreateAssetTx');
        next.work = () => commitNext(writer, block);
        expect(reader.state.description(created!.id)).toBeUndefined();
        expect(reader.state.description(created!.id)).toMatchObject({ symbol: expect.anything() });
      }));

    test('a block that is reverted meanwhile is read whole, and is not taken for damage', () =>
      within(10, ({ source, writer, next, reader }) => {
        const restore = copyTables(writer.store);
        appendBlocks(writer, source, 1);
        const [{ id, height, bytes }] = source.model.blocks.slice(-1) as [(typeof source.model.blocks)[number]];
        for (const read of [() => reader.state.block(id), () => reader.state.blockAt(height)]) {
          const undo = copyTables(writer.store);
          next.work = () => writer.store.revert(restore);
          expect(toHex(read() as Uint8Array)).toBe(toHex(bytes));
          expect(read()).toBeUndefined();
          writer.store.revert(undo);
        }
      }));
  });
