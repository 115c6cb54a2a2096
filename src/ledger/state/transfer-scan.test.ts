import { expect, test } from 'bun:test';
import { sqliteDrivers } from '../../app/platform/databases.fixture.ts';
import type { Address } from '../../base/bytes/address.ts';
import { appendBlocks, type OpenChain, openChain } from './open-chain.fixture.ts';
import { type Model, randomChain } from './random-chain.fixture.ts';
import type { TransferQuery } from './transfer-scan.ts';

/** The expected result of a scan for the current state of the model, as text. */
function expected({ unspent }: Model, { address, includePartial, now, assetID }: TransferQuery): string {
  const found = [...unspent.values()].filter(({ utxo: { output, assetID: asset } }) => {
    if (output.kind !== 'secp256k1fx.TransferOutput' || !output.addresses.includes(address)) return false;
    return (assetID ?? asset) === asset && (includePartial || (output.addresses.length === 1 && output.locktime <= now));
  });
  // The model has them in the order in which they were created.
  return found
    .reverse()
    .map(({ utxo: { txID, outputIndex, assetID, output } }) => [txID, outputIndex, assetID, 'amount' in output && output.amount].join(' '))
    .join('\n');
}

/** Runs a scan with three rows per step; `between` runs between two steps. */
function scan(chain: OpenChain, query: TransferQuery, between: (step: number) => void): { text: string; steps: number } {
  const work = chain.state.transfers(query, 3);
  for (let steps = 1; ; steps++) {
    const { done, value } = work.next();
    if (done) return { steps, text: value.map((one) => [one.txID, one.outputIndex, one.assetID, one.amount].join(' ')).join('\n') };
    between(steps);
  }
}

const queries = (address: Address): TransferQuery[] => [
  { address, includePartial: true, now: 0n },
  { address, includePartial: false, now: 3000n },
];

test('a scan returns the state of one height, also if blocks are accepted between its steps', () => {
  let longest = 0;
  let torn = 0;
  for (const seed of [1, 2, 3, 4]) {
    const chain = openChain(sqliteDrivers[0].open);
    const source = randomChain(seed, 3);
    appendBlocks(chain, source, 25);
    for (const address of source.addresses)
      for (const query of queries(address)) {
        const begin = expected(source.model, query);
        const states = new Set([begin]);
        const { text, steps } = scan(chain, query, (step) => {
          // At first a block after every other step, then none, so that the scan can end.
          if (step % 2 === 0 || step > 12) return;
          appendBlocks(chain, source, 1);
          states.add(expected(source.model, query));
        });
        expect(states.has(text)).toBe(true);
        longest = Math.max(longest, steps);
        if (text !== begin) torn++;
      }
    chain.close();
  }
  // Otherwise the test would prove nothing.
  expect(longest).toBeGreaterThan(5);
  expect(torn).toBeGreaterThan(5);
});

test('without new blocks a scan takes one pass, and one step for few outputs', () => {
  const chain = openChain(sqliteDrivers[0].open);
  const source = randomChain(5, 3);
  appendBlocks(chain, source, 20);
  for (const address of source.addresses)
    for (const query of queries(address)) {
      const owned = [...source.model.unspent.values()].filter(({ utxo }) => utxo.output.addresses.includes(address)).length;
      const { text, steps } = scan(chain, query, () => {});
      expect(text).toBe(expected(source.model, query));
      expect(steps).toBe(Math.floor(owned / 3) + 1);
      expect(chain.state.transfers(query).next().done).toBe(true);
    }
  chain.close();
});
