import { expect, test } from 'bun:test';
import { errorAdvice } from '../app/advice/error-advice.ts';
import { parseKey, parseUtxoText } from './codec.ts';
import { createNode, type ErrorCode, isSeracError, SeracError } from './index.ts';

/** The compiler checks the types of this file: without narrowing by code, `error.data` is unknown, and `npm run check` fails. */

test('the code of an error tells what its data has, of a node, of an option and of a key', async () => {
  await using node = await createNode();
  const texts = [
    await node.dev.send({ from: 1, to: node.accounts[2]!.address, amount: '20000 AVAX' }).catch(explain),
    await node.avm.getTx('abc').catch(explain),
    await node.rpc('evm.call').catch(explain),
    await createNode({ acounts: 1 } as object).catch(explain),
    explainThrown(() => parseKey('0x1')),
    explainThrown(() => parseUtxoText('0x00')),
  ];
  expect(texts).toEqual([
    '10000001000000 missing',
    'txID: expected ID',
    'evm.call',
    'did you mean accounts?',
    'CB58_BAD_TEXT',
    'HEX_NO_CHECKSUM',
  ]);
});

function explain(error: unknown): string {
  if (!isSeracError(error)) throw error;
  switch (error.code) {
    case 'DEV_INSUFFICIENT_FUNDS':
      return `${BigInt(error.data.need) - BigInt(error.data.have)} missing`;
    case 'RPC_BAD_ARGUMENT':
      return `${error.data.argument}: expected ${error.data.expected}`;
    case 'UNKNOWN_SERVICE':
      return error.data.method;
    case 'OPTION_UNKNOWN':
      return `did you mean ${error.data.didYouMean}?`;
    default: {
      // @ts-expect-error: not every code has it
      error.data.method;
      return error.code;
    }
  }
}

function explainThrown(work: () => unknown): string {
  try {
    return String(work());
  } catch (error) {
    return explain(error);
  }
}

test('other errors are not of Serac; data of an error without facts has its code', () => {
  expect([new Error('a'), 'a', undefined, null].map(isSeracError)).toEqual([false, false, false, false]);
  expect(new SeracError('closed', { code: 'NODE_CLOSED' }).data).toEqual({ code: 'NODE_CLOSED' });
});

test('the type knows the codes that docs/reference/errors.md lists', () => {
  const known: ErrorCode = 'EVENTS_LOST';
  // @ts-expect-error: a code of another module, which no caller gets
  const unknown: ErrorCode = 'STORE_FULL';
  expect([errorAdvice.has(known), errorAdvice.has(unknown)]).toEqual([true, false]);
});
