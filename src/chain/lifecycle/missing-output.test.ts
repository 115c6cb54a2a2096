import { expect, test } from 'bun:test';
import { TxError } from '../../avm/verify/fault.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';
import { ChainError } from './fault.ts';
import { explainMissingOutput } from './missing-output.ts';

const [creator, spender] = ['ab'.repeat(32) as Id, 'cd'.repeat(32) as Id];
const missing = (fault: object = {}): AnyFault =>
  new TxError('no such output', { code: 'TX_UTXO_NOT_FOUND', createdBy: idText(creator), outputIndex: 3, ...fault } as never);

/** The explained fault; `asked` has the outputs and transactions that were looked up. */
function explain(
  error: AnyFault,
  { consumer, wasConsumed = false }: { consumer?: Id; wasConsumed?: boolean } = {},
  areImportsUnknown?: boolean,
) {
  const asked: unknown[] = [];
  const ledger = {
    consumerOf: (ref: object) => {
      asked.push(ref);
      return consumer;
    },
    wasConsumed: () => wasConsumed,
  };
  const status = (id: Id) => {
    asked.push(id);
    return 'Processing' as const;
  };
  const explained = explainMissingOutput(error, ledger, status, areImportsUnknown);
  return { explained, fault: explained.fault as object, message: explained.message, asked };
}

test('an output that was spent: by whom, if that is known', () => {
  const { fault, message, asked } = explain(missing(), { consumer: spender });
  expect([message, fault]).toEqual([
    'no such output',
    expect.objectContaining({ code: 'TX_UTXO_NOT_FOUND', outputIndex: 3, isSpent: true, spentBy: idText(spender) }),
  ]);
  expect(asked).toEqual([{ txID: creator, outputIndex: 3 }]);
  const unknown = explain(missing(), { wasConsumed: true });
  expect(unknown.fault).toMatchObject({ isSpent: true });
  expect('spentBy' in unknown.fault).toBe(false);
});

test('an output that was not spent: the status of the transaction that creates it, if it is of this chain', () => {
  expect(explain(missing())).toMatchObject({
    fault: { isSpent: false, createdByStatus: 'Processing' },
    asked: [expect.anything(), creator],
  });
  expect(explain(missing({ sourceChain: 'P' })).fault).toMatchObject({ isSpent: false, createdByStatus: undefined });
});

test('an output without a number is the first', () => {
  expect(explain(missing({ outputIndex: undefined })).asked[0]).toEqual({ txID: creator, outputIndex: 0 });
});

test('on a node that does not know what other chains export, an import is told so', () => {
  const { fault, message, asked } = explain(missing({ sourceChain: 'P', path: 'inputs[0]' }), { consumer: spender }, true);
  expect([fault, asked]).toEqual([{ code: 'TX_IMPORT_UNKNOWN', sourceChain: 'P', path: 'inputs[0]' }, []]);
  expect(message).toStartWith('this node does not run chain P');
  expect(explain(missing(), {}, true).fault).toMatchObject({ code: 'TX_UTXO_NOT_FOUND' });
});

test('other errors stay as they are', () => {
  const others = [
    new ChainError('x', { code: 'BLOCK_EMPTY' }),
    new TxError('x', { code: 'TX_NO_VALUE_OUTPUT' }),
    missing({ createdBy: undefined }),
  ];
  for (const error of others) expect(explain(error, { consumer: spender }).explained).toBe(error);
});
