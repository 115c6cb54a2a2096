import { expect, test } from 'bun:test';
import { consumedIds, effectsOf } from '../src/tx/effects.ts';
import { createFixture, richUtxos } from './fixture.ts';

test('every layer spends only what layers before it made, and nothing twice', () => {
  const { layers, wideTxs, toIssue } = createFixture(2, 20);
  const held = new Set<string>();
  for (const [depth, layer] of [...layers, ...toIssue].entries()) {
    for (const tx of layer) {
      expect(tx.bytes.length).toBeLessThanOrEqual(65_536);
      if (depth > 0) for (const id of consumedIds(tx)) expect(held.delete(id)).toBe(true);
    }
    for (const tx of layer) for (const { id } of effectsOf(tx).created) held.add(id);
  }
  expect(wideTxs.map((tx) => tx.unsigned.outputs.length)).toEqual(Array(richUtxos / 500).fill(501));
});
