import { expect, test } from 'bun:test';
import { consumedIds, effectsOf } from '../src/avm/tx/effects.ts';
import { createFixture, richUtxos } from './fixture.ts';

test('every layer spends only outputs of earlier layers, and each output at most once', () => {
  const { layers, wideTxs, toIssue } = createFixture(2, 20);
  const unspent = new Set<string>();
  for (const [depth, layer] of [...layers, ...toIssue].entries()) {
    for (const tx of layer) {
      expect(tx.bytes.length).toBeLessThanOrEqual(65_536);
      if (depth > 0) for (const id of consumedIds(tx)) expect(unspent.delete(id)).toBe(true);
    }
    for (const tx of layer) for (const { id } of effectsOf(tx).created) unspent.add(id);
  }
  expect(wideTxs.map((tx) => tx.unsigned.outputs.length)).toEqual(Array(richUtxos / 500).fill(501));
});
