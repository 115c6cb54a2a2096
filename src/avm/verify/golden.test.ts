import { describe, expect, test } from 'bun:test';
import setup from '../../../vectors/errors-setup.json' with { type: 'json' };
import scenario from '../../../vectors/scenario-txs.json' with { type: 'json' };
import refused from '../../../vectors/tx-errors.json' with { type: 'json' };
import { parseHex } from '../../base/bytes/hex.ts';
import { idText } from '../../base/bytes/id.ts';
import { recoverNative } from '../../base/crypto/curve-native.ts';
import { createSignerCache } from '../../base/crypto/recover.ts';
import { parseTx } from '../tx/tx.ts';
import { createTestLedger, faultOf, localContext, putInSharedMemory, type SharedMemoryPut, txOf, verify } from './ledger.fixture.ts';

const context = { ...localContext, recover: createSignerCache(recoverNative).recover };

type Step = { kind: string; foreign?: boolean; issue?: { tx: string }; sharedMemoryPut?: SharedMemoryPut[] };

describe('a transaction that AvalancheGo rejects is rejected with the same message', () => {
  const ledger = createTestLedger(refused.genesisTx);
  test('the setup transactions are accepted', () => {
    for (const { kind, foreign, issue, sharedMemoryPut } of setup.steps as Step[]) {
      if (foreign) putInSharedMemory(ledger, sharedMemoryPut ?? []);
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

test('the scenario transactions are accepted or rejected as by AvalancheGo, in order', () => {
  const ledger = createTestLedger(scenario.genesisTx);
  for (const step of scenario.steps) {
    if (step.tx === undefined) {
      putInSharedMemory(ledger, step.sharedMemoryPut as SharedMemoryPut[]);
      continue;
    }
    const tx = txOf(step.tx);
    expect([step.name, faultOf(() => verify(tx, ledger.view, context))?.text]).toEqual([step.name, step.message]);
    if (step.message !== undefined) continue;
    expect(idText(tx.id)).toBe(step.txID as string);
    ledger.apply(tx);
  }
});

test('while catching up, the accepted transactions pass and no signature is recovered', () => {
  const ledger = createTestLedger(scenario.genesisTx);
  const recover = () => {
    throw new Error('a signer was recovered');
  };
  for (const step of scenario.steps) {
    if (step.tx === undefined || step.message !== undefined) continue;
    const tx = txOf(step.tx);
    verify(tx, ledger.view, { ...context, recover, bootstrapped: false });
    ledger.apply(tx);
  }
});
