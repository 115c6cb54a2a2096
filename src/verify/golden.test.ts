import { describe, expect, test } from 'bun:test';
import setup from '../../vectors/errors-setup.json' with { type: 'json' };
import scenario from '../../vectors/scenario-txs.json' with { type: 'json' };
import refused from '../../vectors/tx-errors.json' with { type: 'json' };
import { parseHex } from '../bytes/hex.ts';
import { idText } from '../bytes/id.ts';
import { recoverNative } from '../crypto/curve-native.ts';
import { createSignerCache } from '../crypto/recover.ts';
import { parseTx } from '../tx/tx.ts';
import { createLedger, faultOf, localContext, type Put, putAll, txOf, verify } from './ledger.fixture.ts';

const context = { ...localContext, recover: createSignerCache(recoverNative).recover };

type Step = { kind: string; foreign?: boolean; issue?: { tx: string }; sharedMemoryPut?: Put[] };

describe('what the peer refuses is refused with its words', () => {
  const ledger = createLedger(refused.genesisTx);
  test('after the setup, which is accepted', () => {
    for (const { kind, foreign, issue, sharedMemoryPut } of setup.steps as Step[]) {
      if (foreign) putAll(ledger, sharedMemoryPut ?? []);
      else if (kind === 'issue') {
        const tx = parseTx(parseHex('hex', issue?.tx ?? ''));
        verify(tx, ledger.view, context);
        ledger.apply(tx);
      }
    }
  });
  for (const { name, tx, message } of refused.cases)
    test(name, () => expect(faultOf(() => verify(txOf(tx), ledger.view, context))?.text).toBe(message));
});

test('the scenario: what the peer accepts is accepted, in order, and what it refuses on the way is not', () => {
  const ledger = createLedger(scenario.genesisTx);
  for (const step of scenario.steps) {
    if (step.tx === undefined) {
      putAll(ledger, step.sharedMemoryPut as Put[]);
      continue;
    }
    const tx = txOf(step.tx);
    expect([step.name, faultOf(() => verify(tx, ledger.view, context))?.text]).toEqual([step.name, step.message]);
    if (step.message !== undefined) continue;
    expect(idText(tx.id)).toBe(step.txID as string);
    ledger.apply(tx);
  }
});

test('while catching up, the same transactions pass with no look at signatures, operations and imports', () => {
  const ledger = createLedger(scenario.genesisTx);
  const recover = () => {
    throw new Error('nobody is to recover a signer');
  };
  for (const step of scenario.steps) {
    if (step.tx === undefined || step.message !== undefined) continue;
    const tx = txOf(step.tx);
    verify(tx, ledger.view, { ...context, recover, bootstrapped: false });
    ledger.apply(tx);
  }
});
