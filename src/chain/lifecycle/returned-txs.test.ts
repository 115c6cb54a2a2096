import { expect, test } from 'bun:test';
import type { Tx } from '../../avm/tx/tx.ts';
import type { AnyFault } from '../../base/fault.ts';
import { ChainError } from './fault.ts';
import { genesis, spend } from './memory-chain.fixture.ts';
import { createMempool } from './mempool.ts';
import { createReturnedTxs } from './returned-txs.ts';

const [a, b, c] = [0, 1, 2].map((index) => spend([[genesis.id, index]], `${index}`)) as [Tx, Tx, Tx];
const rival = spend([[genesis.id, 0]], 'rival');
const invalid = new ChainError('invalid', { code: 'BLOCK_EMPTY' });

function create({ accepted = [], rules = () => {} }: { readonly accepted?: readonly Tx[]; readonly rules?: (tx: Tx) => void } = {}) {
  const mempool = createMempool();
  const [dropped, checked]: [[Tx, AnyFault['fault']['code']][], Tx[]] = [[], []];
  const returned = createReturnedTxs({
    mempool,
    ledger: { hasTx: (id) => accepted.some((tx) => tx.id === id) },
    checkRules: (tx) => {
      checked.push(tx);
      rules(tx);
    },
    onDropped: (tx, { fault }) => dropped.push([tx, fault.code]),
  });
  return { mempool, dropped, checked, ...returned, waiting: () => [...mempool.all()] };
}

test('transactions come back without being verified; a conflict is dropped with its reason, a duplicate is none', () => {
  const { mempool, add, waiting, dropped, checked } = create();
  mempool.add(a);
  add([a, b, rival]);
  expect([waiting(), dropped, checked]).toEqual([[a, b], [[rival, 'MEMPOOL_CONFLICT']], []]);
});

test('only those that are valid, and neither accepted nor waiting, come back', () => {
  const { mempool, addIfValid, waiting, dropped, checked } = create({
    accepted: [b],
    rules: (tx) => {
      if (tx === c) throw invalid;
    },
  });
  mempool.add(a);
  const d = spend([[genesis.id, 4]], 'd');
  addIfValid([a, b, c, d]);
  expect([waiting(), dropped, checked]).toEqual([[a, d], [[c, 'BLOCK_EMPTY']], [c, d]]);
});

test('if the state cannot be read, that one and the rest come back unverified, and the error is thrown', () => {
  const failure = new TypeError('disk');
  const { addIfValid, waiting, dropped, checked } = create({
    rules: (tx) => {
      if (tx === b) throw failure;
    },
  });
  expect(() => addIfValid([a, b, c])).toThrow(failure);
  expect([waiting(), dropped, checked]).toEqual([[a, b, c], [], [a, b]]);
});
