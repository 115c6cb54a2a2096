import { expect, test } from 'bun:test';
import type { Address } from '../bytes/address.ts';
import { drivers } from '../platform/databases.fixture.ts';
import { grow, type OpenChain, openChain } from './grow.fixture.ts';
import { type Model, randomChain } from './random-chain.fixture.ts';
import type { TransferQuery } from './transfer-scan.ts';

/** What a scan should give for the state as the model has it now, as text. */
function expected({ unspent }: Model, { address, partial, now, assetID }: TransferQuery): string {
  const found = [...unspent.values()].filter(({ utxo: { output, assetID: asset } }) => {
    if (output.kind !== 'secp256k1fx.TransferOutput' || !output.addresses.includes(address)) return false;
    return (assetID ?? asset) === asset && (partial || (output.addresses.length === 1 && output.locktime <= now));
  });
  const newestFirst = found.sort((a, b) => Number(b.height - a.height) || (a.utxo.id < b.utxo.id ? -1 : 1));
  return newestFirst
    .map(({ utxo: { txID, outputIndex, assetID, output } }) => [txID, outputIndex, assetID, 'amount' in output && output.amount].join(' '))
    .join('\n');
}

/** Runs a scan of three rows a step; `between` runs between two steps. */
function scan(chain: OpenChain, query: TransferQuery, between: (step: number) => void): { text: string; steps: number } {
  const work = chain.state.transfers(query, 3);
  for (let steps = 1; ; steps++) {
    const { done, value } = work.next();
    if (done) return { steps, text: value.map((one) => [one.txID, one.outputIndex, one.assetID, one.amount].join(' ')).join('\n') };
    between(steps);
  }
}

const queries = (address: Address): TransferQuery[] => [
  { address, partial: true, now: 0n },
  { address, partial: false, now: 3000n },
];

test('blocks accepted between its steps: a scan still shows the state of one height', () => {
  let longest = 0;
  let torn = 0;
  for (const seed of [1, 2, 3, 4]) {
    const chain = openChain(drivers[0].open);
    const source = randomChain(seed, 3);
    grow(chain, source, 25);
    for (const address of source.addresses)
      for (const query of queries(address)) {
        const begin = expected(source.model, query);
        const states = new Set([begin]);
        const { text, steps } = scan(chain, query, (step) => {
          // A block after every other step at first, then none: blocks come faster than this only if they never end.
          if (step % 2 === 0 || step > 12) return;
          grow(chain, source, 1);
          states.add(expected(source.model, query));
        });
        expect(states.has(text)).toBe(true);
        longest = Math.max(longest, steps);
        if (text !== begin) torn++;
      }
    chain.close();
  }
  // Else nothing was tested.
  expect(longest).toBeGreaterThan(5);
  expect(torn).toBeGreaterThan(5);
});

test('without blocks in between it takes one pass, and few outputs one step', () => {
  const chain = openChain(drivers[0].open);
  const source = randomChain(5, 3);
  grow(chain, source, 20);
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
